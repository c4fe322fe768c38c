import json
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from bodies.pokemon import wire
from bodies.pokemon.observations import Witness

MENU = wire.Menu("shop", 1, (wire.MenuEntry("buy", "Buy"), wire.MenuEntry("sell", "Sell")))


def told(observed: wire.Observation) -> dict[str, Any]:
    witness = Witness("ses_1", "kanto", "player-1", "firered")
    seen = json.loads(
        msgspec.json.encode(witness.observations(observed, witness.shown_by(observed)))
    )
    return {one["kind"]: one["data"] for one in seen}


def test_an_overworld_has_the_recorded_shape(screen: Any):
    exit_ = wire.MinimapExit(wire.MapPoint("harbor-town", 3, 4), "ferry", "unsupported")
    npc = wire.Npc(2, 23, 1, 1, "east")
    data = told(screen(npcs=(npc,), exits=(exit_,)))["overworld"]

    tile = {"elevation": None, "metatileId": None, "passable": True}
    assert data == {
        "position": {"mapId": "harbor-town", "x": 3, "y": 2},
        "facing": "south",
        "surroundings": {
            "north": {**tile, "x": 3, "y": 1},
            "east": {**tile, "x": 4, "y": 2},
            "south": {**tile, "x": 3, "y": 3},
            "west": {**tile, "x": 2, "y": 2},
            "ahead": {**tile, "x": 3, "y": 3},
        },
        "mapSize": None,
        "minimap": {
            "topLeft": {"x": 0, "y": 0},
            "rows": ["#######", "#.....#", "#..@..#", "#.....#", "###D###"],
        },
        "occupants": [{"localId": 2, "graphicsId": 23, "x": 1, "y": 1, "facing": "east"}],
        "exits": {
            "warps": [{"x": 3, "y": 4, "destination": "ferry", "walkTo": "unsupported"}],
            "connections": None,
        },
        "ramStateSha256": None,
    }


def test_dialog_and_menu_have_the_recorded_shape(screen: Any):
    seen = told(screen("menu", lines=("Ahoy!",), menu=MENU))

    assert seen["dialog"] == {
        "speaker": "firered",
        "lines": ["Ahoy!"],
        "lineIndex": 0,
        "untrusted": True,
    }
    assert seen["menu"] == {
        "menuId": "shop",
        "cursor": 1,
        "entries": [{"id": "buy", "label": "Buy"}, {"id": "sell", "label": "Sell"}],
        "untrusted": True,
    }


@pytest.mark.parametrize(
    ("shown", "code", "certain", "kinds"),
    [
        ({}, "policy_boundary", True, {"danger", "scene", "overworld"}),
        (
            {"mode": "dialog", "lines": ("Ahoy!",)},
            "policy_boundary",
            True,
            {"danger", "scene", "overworld", "dialog"},
        ),
        ({"mode": "battle"}, "input_bound", False, {"danger", "scene"}),
        ({"mode": "naming"}, "input_bound", False, {"danger", "scene"}),
        ({"mode": "unknown", "decoded": False}, "uncertain_state", False, {"danger", "scene"}),
        ({"mode": "dialog", "at": None, "lines": ()}, "input_bound", False, {"danger", "scene"}),
    ],
)
def test_danger_says_how_far_the_state_can_be_trusted(
    screen: Any, shown: dict[str, Any], code: str, certain: bool, kinds: set[str]
):
    seen = told(screen(**shown))

    assert set(seen) == kinds
    assert seen["danger"]["code"] == code
    assert seen["danger"]["stateCertain"] is certain


def test_what_was_not_read_is_null_and_what_is_empty_is_empty(screen: Any):
    unread = told(screen(npcs=UNSET))["overworld"]
    empty = told(screen(npcs=(), connections=()))["overworld"]

    assert unread["occupants"] is None
    assert unread["exits"]["connections"] is None
    assert empty["occupants"] == []
    assert empty["exits"]["connections"] == []


def test_a_party_that_was_read_stands_in_overworld_and_battle(screen: Any):
    member = wire.PartyMember(0, 4, 6, 11, 20, (10,))
    told_member = {
        "slot": 0,
        "speciesId": 4,
        "level": 6,
        "currentHp": 11,
        "maxHp": 20,
        "moveIds": [10],
    }

    assert told(screen(party=(member,)))["overworld"]["party"] == [told_member]
    assert told(screen("battle", party=(member,)))["battle"] == {"party": [told_member]}
    assert "party" not in told(screen())["overworld"]


def test_surroundings_at_the_edge_of_the_minimap_are_not_made_up(screen: Any):
    assert told(screen(at=(3, 4)))["overworld"]["surroundings"] is None


def test_every_observation_has_an_id_of_its_own(screen: Any):
    witness = Witness("ses_1", "kanto", "player-1", "firered")
    dialog = screen("dialog", lines=("Ahoy!",))
    shown = witness.shown_by(dialog)
    ids = [seen.observation_id for _ in range(3) for seen in witness.observations(dialog, shown)]

    assert len(set(ids)) == len(ids) == 12


def test_what_a_digest_is_made_of_is_the_canonical_json(sighted: Any):
    member = wire.PartyMember(0, 4, 6, 11, 20, (10,))
    npc = wire.Npc(2, 23, 1, 1, "east")
    sight = sighted("menu", lines=("Ahoy, é!",), menu=MENU, npcs=(npc,), party=(member,))
    observations = msgspec.json.decode(sight.stage)["observations"]
    canonical = json.dumps(observations, separators=(",", ":"), sort_keys=True, ensure_ascii=False)

    assert sight.native.recorded == canonical.encode()
