import msgspec
import pytest
from msgspec import UNSET

from bodies.pokemon import wire
from bodies.pokemon.actions import CATALOGUE, described, payload


@pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)
def test_the_catalogue_names_the_fields_of_the_wire_in_their_order(kind):
    struct = kind.struct
    info = msgspec.inspect.type_info(struct)

    assert info.tag == kind.name
    assert [field.encode_name for field in info.fields] == [field.name for field in kind.fields]
    assert [field.required for field in info.fields] == [field.required for field in kind.fields]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (wire.ButtonPress("a", 16), "press A (16 frames)"),
        (wire.ButtonPress("up", 16, 4), "press UP 4 times (16 frames)"),
        (wire.FrameAdvance(45), "wait 45 frames"),
        (wire.WalkTo(3, 4), "walk to (3,4)"),
        (wire.AdvanceDialog(), "read on"),
        (wire.EnterText("ROSE"), 'write "ROSE"'),
        (wire.EnterText("ROSE", False), 'write "ROSE" without confirming'),
        (wire.SelectMenuEntry("yes"), "choose yes"),
    ],
)
def test_an_action_is_described_for_people(action: wire.Action, words: str):
    assert described(action) == words


def test_the_trail_says_entry_id_where_the_wire_says_entry():
    action = wire.SelectMenuEntry("yes")

    assert bytes(payload(action)) == b'{"kind":"select_menu_entry","entryId":"yes"}'
    assert msgspec.json.encode(action) == b'{"kind":"select_menu_entry","entry":"yes"}'


def test_what_was_not_given_is_in_neither():
    assert bytes(payload(wire.EnterText("ROSE", UNSET))) == b'{"kind":"enter_text","text":"ROSE"}'
