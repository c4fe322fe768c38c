from collections.abc import Hashable
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bodies.pokemon import wire
from bodies.pokemon.fingerprint import fence_fingerprint, signal_fingerprint
from bodies.pokemon.observations import undecoded

MENU = wire.Menu("shop", 0, (wire.MenuEntry("buy", "Go"), wire.MenuEntry("sell", "Go")))
NPCS = st.lists(
    st.builds(
        wire.Npc,
        st.integers(1, 20),
        st.integers(0, 99),
        st.integers(0, 30),
        st.integers(0, 30),
        st.sampled_from(["north", "east", None]),
    ),
    max_size=5,
).map(tuple)


def for_signals(observed: wire.Observation, frame_sha256: str) -> Hashable:
    fence = fence_fingerprint(observed)
    return signal_fingerprint(fence, frame_sha256, undecoded=undecoded(observed))


@pytest.mark.parametrize(
    "change",
    [
        {"generation": 2},
        {"mode": "menu"},
        {"at": (4, 2)},
        {"facing": "north"},
        {"map_id": "elsewhere"},
        {"lines": ("Ahoy!",)},
        {"menu": MENU},
    ],
)
def test_a_change_of_state_is_seen(screen: Any, change: dict[str, Any]):
    """K18, case 23."""
    assert fence_fingerprint(screen(**change)) != fence_fingerprint(screen())


def test_a_moved_cursor_is_a_change(screen: Any):
    moved = msgspec.structs.replace(MENU, cursor=1)

    assert fence_fingerprint(screen(menu=moved)) != fence_fingerprint(screen(menu=MENU))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(NPCS, NPCS, st.integers(0, 9999), st.booleans(), st.text(max_size=5))
def test_bystanders_clocks_and_readiness_are_no_change(
    screen: Any, some: Any, others: Any, frame: int, ready: bool, clock: str
):
    """K8, case 23: only a bystander moved, so the action is sent."""
    before = screen(npcs=some)
    after = msgspec.structs.replace(
        screen(npcs=others, frame=frame, input_ready=ready), observed_at=clock
    )

    assert fence_fingerprint(before) == fence_fingerprint(after)
    assert for_signals(before, "one") == for_signals(after, "another")


def test_two_undecoded_screens_of_one_body_are_equal_to_the_fence_alone(screen: Any):
    one, other = screen("unknown", decoded=False), screen("unknown", decoded=False, frame=900)

    assert fence_fingerprint(one) == fence_fingerprint(other)
    assert for_signals(one, "a") != for_signals(other, "b")
    assert for_signals(one, "a") == for_signals(other, "a")


def test_a_screen_that_flips_to_battle_is_a_change_even_undecoded(screen: Any):
    unknown, battle = screen("unknown", decoded=False), screen("battle", decoded=False)

    assert fence_fingerprint(unknown) != fence_fingerprint(battle)


def test_a_battle_without_text_is_told_apart_by_its_picture(screen: Any):
    battle = screen("battle")

    assert for_signals(battle, "a") != for_signals(battle, "b")


def test_two_entries_with_one_label_differ_by_id(screen: Any):
    """Case 24."""
    swapped = msgspec.structs.replace(MENU, entries=MENU.entries[::-1])

    assert fence_fingerprint(screen(menu=MENU)) != fence_fingerprint(screen(menu=swapped))
