"""What is recognized in the public motor's prose, and what is not."""

from __future__ import annotations

import pytest

from bodies.minecraft import wire
from bodies.minecraft.public.prose import (
    ChatLine,
    Look,
    read_chat,
    read_look,
    read_stacks,
    tells_failure,
    tells_history,
    tells_no_bot,
)

LOOK = """\
🔍 SCANNING ENVIRONMENT 🔍

You are at coordinates X:12, Y:-64, Z:-4.
Your health is 17.5/20 and hunger is 18/20.
It is morning and the weather is clear.
You are holding dirt.

You see these blocks around you:
- 1 grass_block
- 1 fully grown wheat

You see these entities nearby:
- Kim (1 blocks away)
- cow (4 blocks away)
- 3 Oak Log (5 blocks away)

Your inventory contains 2 different items:
- dirt: 2
- oak_log: 1"""


def test_a_look_around_is_read() -> None:
    carried = {"dirt": 2, "oak_log": 1}
    place = wire.Point(12.5, -64, -3.5)
    assert read_look(LOOK) == Look(place, 17.5, 18, ("Kim", "cow"), carried, all_carried=True)


def test_what_a_look_around_leaves_out_is_not_known() -> None:
    more = read_look(f"{LOOK}\n... and 3 other item types")
    assert (more.carried, more.all_carried) == ({"dirt": 2, "oak_log": 1}, False)
    assert read_look("Your inventory is empty.") == Look(None, None, None, (), {}, True)
    for text in ("", "A tree is at coordinates X:1, Y:2, Z:3.", "Your health is undefined/20"):
        assert read_look(text) == Look(None, None, None, (), None, False)


@pytest.mark.parametrize(
    ("stacks", "counts"),
    [
        ("3 oak planks, 64 dirt, 12 dirt", {"oak_planks": 3, "dirt": 76}),
        ("nothing.", {}),
        ("1 lapis lazuli", {"lapis_lazuli": 1}),
    ],
)
def test_an_inventory_is_read(stacks: str, counts: dict[str, int]) -> None:
    text = f"You just finished examining your inventory and it contains: {stacks}."
    assert read_stacks(text) == counts
    assert read_stacks("You cannot open it.") == {}


def test_chat_is_read_in_order_and_once_and_cut() -> None:
    text = "\n".join(
        (
            "=== Chat History ===",
            "Showing 6 messages",
            "==================",
            "[4:16:48 PM] [System] <Kim> hello: you",
            "[4:16:48 PM] <Kim>: hello: you",
            "[4:16:49 PM] [System] Bo joined the game.",
            "[4:16:50 PM] [Whisper] <Bo>: " + "x" * 300,
            "[4:16:51 PM] [System] Set own game mode",
            "[4:16:52 PM] [System] Bo left the game",
        )
    )
    assert tells_history(text)
    assert read_chat(text) == (
        ChatLine("[4:16:48 PM]", "Kim", "chat", "hello: you"),
        ChatLine("[4:16:49 PM]", "Bo", "player_join"),
        ChatLine("[4:16:50 PM]", "Bo", "chat", "x" * 256),
        ChatLine("[4:16:52 PM]", "Bo", "player_leave"),
    )


@pytest.mark.parametrize(
    ("text", "failed", "no_bot"),
    [
        ("You have successfully finished crafting 4 oak_planks.", False, False),
        ("You have arrived near your destination of location 1.0, 2.0, 3.0.", False, False),
        ("You finished mining 2 oak_log and there is no more nearby.", False, False),
        ("You're moving towards it.\n\nYou had trouble navigating to the location.", True, False),
        ("You have failed to craft 4 oak_planks because you need wood", True, False),
        ("Mistake: you do not have dirt in your inventory to place.", True, False),
        ("You couldn't find oak_log nearby, you should try to do something else.", True, False),
        ("You attempted to place a dirt, but you are in the way.", True, False),
        ("Skill execution failed: Skill execution timed out after 30 seconds", True, False),
        ("Skill execution failed: No active bot. Please use 'joinGame' first.", True, True),
        ("Failed to leave game: No bot found with username 'Alex'", True, False),
    ],
)
def test_words_of_failure(text: str, failed: bool, no_bot: bool) -> None:
    assert (tells_failure(text), tells_no_bot(text)) == (failed, no_bot)
