from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from bodies.pokemon import wire


def decoded(kind, text):
    return msgspec.json.decode(text, type=kind)


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (wire.ButtonPress("a", 16, 8),
         '{"kind":"button_press","button":"a","holdFrames":16,"repeat":8}'),
        (wire.ButtonPress("l", 1), '{"kind":"button_press","button":"l","holdFrames":1}'),
        (wire.FrameAdvance(45), '{"kind":"frame_advance","frames":45}'),
        (wire.WalkTo(17, 9), '{"kind":"walk_to","x":17,"y":9}'),
        (wire.AdvanceDialog(), '{"kind":"advance_dialog"}'),
        (wire.EnterText("ADA"), '{"kind":"enter_text","text":"ADA"}'),
        (wire.EnterText("A-1?", True), '{"kind":"enter_text","text":"A-1?","confirm":true}'),
        (wire.SelectMenuEntry("yes"), '{"kind":"select_menu_entry","entry":"yes"}'),
    ],
)  # fmt: skip
def test_an_action_is_written_as_the_world_reads_it_and_back(action, text):
    assert msgspec.json.encode(action).decode() == text
    assert decoded(wire.Action, text) == action


@pytest.mark.parametrize(
    "text",
    [
        '{"kind":"button_press","button":"z","holdFrames":1}',
        '{"kind":"button_press","button":"a","holdFrames":0}',
        '{"kind":"button_press","button":"a","holdFrames":241}',
        '{"kind":"button_press","button":"a","holdFrames":1,"repeat":17}',
        '{"kind":"button_press","button":"a","holdFrames":true}',
        '{"kind":"frame_advance","frames":3601}',
        '{"kind":"walk_to","x":-1,"y":0}',
        '{"kind":"walk_to","x":0,"y":1024}',
        '{"kind":"walk_to","x":0}',
        '{"kind":"enter_text","text":""}',
        '{"kind":"enter_text","text":"ABCDEFGHIJK"}',
        '{"kind":"enter_text","text":"É"}',
        '{"kind":"enter_text","text":"ADA\\n"}',
        '{"kind":"select_menu_entry","entry":""}',
        '{"kind":"open_save"}',
    ],
)
def test_an_action_outside_the_bounds_is_none(text):
    with pytest.raises(msgspec.ValidationError):
        decoded(wire.Action, text)


@pytest.mark.parametrize(
    ("text", "npcs", "menu"),
    [("{}", UNSET, UNSET), ('{"npcs":[],"menu":null}', (), None)],
)
def test_unread_is_told_from_empty_and_from_none(text, npcs, menu):
    state = decoded(wire.GameState, text)
    assert (state.npcs, state.menu) == (npcs, menu)
    assert msgspec.json.encode(state).decode() == text


def test_a_field_that_nobody_knows_is_passed_over():
    assert decoded(wire.MapPoint, '{"mapId":"m","x":1,"y":2,"z":3}') == wire.MapPoint("m", 1, 2)


@pytest.mark.parametrize("text", ['{"mapId":"m","x":"1","y":2}', '{"mapId":null,"x":1,"y":2}'])
def test_a_field_of_another_type_is_refused(text):
    with pytest.raises(msgspec.ValidationError):
        decoded(wire.MapPoint, text)


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ('{"reason":"budget","asked":90,"allowed":64}', {"asked": 90, "allowed": 64}),
        ('{"reason":"walk_target_outside_map","bounds":{"width":8}}', {"bounds": {"width": 8}}),
        ('{"reason":"walk_target_impassable","nearestOpen":null}', {"nearest_open": None}),
        ('{"reason":"no_path_to_target","nearestReachable":{"mapId":"m","x":1,"y":2}}',
         {"nearest_reachable": wire.MapPoint("m", 1, 2)}),
        ('{"reason":"walk_exit_unsupported","at":{"mapId":"m","x":1,"y":2},"to":"cave"}',
         {"at": wire.MapPoint("m", 1, 2), "to": "cave"}),
        ('{"reason":"menu_entry_not_present","available":["yes",{"id":"no","label":"No"}]}',
         {"available": ("yes", wire.MenuEntry("no", "No"))}),
        ('{"reason":"script_holding"}', {}),
        ('{"reason":"a_newer_reason"}', {}),
    ],
)  # fmt: skip
def test_a_refusal_keeps_what_the_world_says_beside_the_reason(text, refusal):
    read = decoded(wire.ActionRefusal, text)
    assert read == wire.ActionRefusal(read.reason, **refusal)
    assert msgspec.json.encode(read).decode() == text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"kind":"walk_to","target":{"mapId":"m","x":1,"y":2},"plannedSteps":3,"steps":2,'
         '"arrived":false,"blockedAt":null,"blockedBecause":"npc","warped":false}',
         wire.WalkToDetail),
        ('{"kind":"advance_dialog","transcript":["Hello!"],"presses":2,"endedBecause":"closed"}',
         wire.AdvanceDialogDetail),
        ('{"kind":"enter_text","typed":"ADA","confirmed":true,"endedBecause":"confirmed"}',
         wire.EnterTextDetail),
        ('{"kind":"select_menu_entry","menuId":"m","entryId":"yes","label":"Yes","confirmed":true,'
         '"presses":1,"endedBecause":"selected"}', wire.SelectMenuEntryDetail),
    ],
)  # fmt: skip
def test_what_came_of_a_composite_action_is_told_by_its_kind(text, kind):
    assert type(decoded(wire.ActionDetail, text)) is kind


REAL_RUN = Path(__file__).parents[5] / "shared" / "data" / "real-run" / "world-actions.jsonl"


@pytest.mark.skipif(not REAL_RUN.parent.parent.exists(), reason="the real run's record is not here")
def test_every_action_and_refusal_of_a_real_run_is_read_without_loss():
    class Line(msgspec.Struct):
        action: wire.Action
        refusal: wire.ActionRefusal | None = None

    for line in REAL_RUN.read_text().splitlines()[1:]:
        read = msgspec.json.decode(line, type=Line)
        plain = msgspec.json.decode(line)
        assert msgspec.to_builtins(read.action) == plain["action"]
        assert msgspec.to_builtins(read.refusal) == plain.get("refusal")


actions = st.one_of(
    st.builds(
        wire.ButtonPress,
        st.sampled_from(["a", "up", "start"]),
        st.integers(1, 240),
        st.just(UNSET) | st.integers(1, 16),
    ),
    st.builds(wire.FrameAdvance, st.integers(1, 3600)),
    st.builds(wire.WalkTo, st.integers(0, 1023), st.integers(0, 1023)),
    st.builds(wire.EnterText, st.from_regex(r"[A-Za-z0-9 .,!?/-]{1,10}", fullmatch=True)),
    st.builds(wire.SelectMenuEntry, st.text(min_size=1, max_size=200)),
)


@given(actions, st.text(max_size=40))
def test_whatever_may_be_asked_survives_the_wire(action, key):
    act = wire.Act(action, key)
    assert decoded(wire.Act, msgspec.json.encode(act)) == act
