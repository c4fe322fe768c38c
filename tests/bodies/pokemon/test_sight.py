import hashlib
from typing import Any

import msgspec

from bodies.pokemon import wire
from bodies.pokemon.observations import Witness
from bodies.pokemon.sight import Eyes


def test_a_stage_carries_the_observations_and_the_body_they_are_of(sighted: Any):
    stage = msgspec.json.decode(sighted(generation=4).stage)

    assert [seen["kind"] for seen in stage["observations"]] == ["danger", "scene", "overworld"]
    assert stage["provenance"] == {
        "body": "world",
        "sessionId": "ses_1",
        "worldId": "kanto",
        "bodyGeneration": 4,
        "adapterVersion": 2,
    }


def test_a_scene_is_told_in_a_few_words(sighted: Any):
    assert sighted().scene == "harbor-town (3,2) facing south"
    assert sighted("battle").scene == "battle, no position"
    assert len(sighted(map_id="m" * 300).scene) <= 120


def test_the_picture_in_text_shows_people_dialog_and_cursor(sighted: Any):
    menu = wire.Menu("shop", 1, (wire.MenuEntry("buy", "Buy"), wire.MenuEntry("sell", "Sell")))
    sight = sighted("menu", npcs=(wire.Npc(1, 1, 5, 1),), lines=("Ahoy!",), menu=menu)

    assert sight.picture == (
        "#######\n#....o#\n#..@..#\n#.....#\n###D###\n\nAhoy!\n\n  Buy\n> Sell"
    )


def test_people_outside_the_map_and_on_the_player_are_not_drawn(sighted: Any):
    far = wire.Npc(1, 1, 50, 1)
    under = wire.Npc(2, 1, 3, 2)

    assert "o" not in sighted(npcs=(far, under)).picture


def test_a_frame_is_known_by_its_digest(sighted: Any, png: Any):
    sight = sighted(png=png("a"))

    assert sight.frame == png("a")
    assert sight.frame_sha256 == hashlib.sha256(png("a")).hexdigest()
    assert sighted().frame_sha256 is None


def test_what_was_seen_before_never_shows_in_a_later_sight(screen: Any):
    """Samplings that find the same screen share its reading; no other one gets any of it."""

    def eyes() -> Eyes:
        return Eyes(Witness("ses_1", "kanto", "player-1", "firered"), "kanto")

    menu = wire.Menu("shop", 0, (wire.MenuEntry("buy", "Buy"),))
    same = {"frame": 20}
    changes = (
        *({}, same, {"at": (4, 2)}, {"input_ready": False}, {"mode": "menu", "menu": menu}),
        *({"lines": ("Ahoy!",)}, {"generation": 2}, {"npcs": (wire.Npc(1, 1, 5, 1),)}, same),
    )
    one = eyes()
    for samplings, change in enumerate(changes):
        observed = screen(**change)
        fresh = eyes()
        for _ in range(samplings):
            fresh.sight(screen(decoded=False), None)
        assert one.sight(observed, None) == fresh.sight(observed, None)
