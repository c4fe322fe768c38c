"""Which events the player hears of, and what is told of those that were missed (K15, K16a)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bodies.minecraft import wire
from bodies.minecraft.events import Events, told

AT = "2026-01-01T00:00:00Z"


def event(sequence: int, type: str = "chat", **data: Any) -> dict[str, Any]:
    return {"sequence": sequence, "at": AT, "type": type, "data": data}


def page(*events: dict[str, Any], latest: int = 0, dropped: int | None = None) -> wire.EventPage:
    latest = max([latest, *(e["sequence"] for e in events)])
    return msgspec.convert(
        {"events": events, "latestSequence": latest, "droppedBeforeSequence": dropped},
        wire.EventPage,
    )


@pytest.mark.parametrize(
    ("type", "data", "text"),
    [
        ("chat", {"player": "Kim", "text": "hi"}, 'Kim said: "hi"'),
        ("chat", {"player": "Alex", "text": "hi"}, None),
        ("chat", {"player": "Kim"}, None),
        (
            "damage",
            {"player": "Alex", "cause": "ice", "health": 4},
            "you were hurt by ice; health 4",
        ),
        ("damage", {}, "you were hurt"),
        ("death", {"player": "Alex", "cause": "fell"}, "you died: fell"),
        ("death", {"player": "Kim"}, "Kim died"),
        ("player_join", {"player": "Kim"}, "Kim came"),
        ("player_join", {"player": "Alex"}, None),
        ("player_leave", {"player": "Kim"}, "Kim left"),
        ("action_completion", {}, None),
        ("connection", {}, None),
        ("viewer", {}, None),
    ],
)
def test_events_in_words(type: str, data: dict[str, Any], text: str | None) -> None:
    read = msgspec.convert(event(1, type, **data), wire.MotorEvent)
    assert told(read, "Alex") == text


def test_an_event_is_taken_once() -> None:
    events = Events("Alex")
    first = page(event(1, player="Kim", text="a"), event(2, player="Kim", text="b"))
    assert events.take(first).text == 'Kim said: "a"\nKim said: "b"'
    assert events.take(first).text is None
    assert (events.heard, events.lost, events.latest) == (2, 0, 2)


@pytest.mark.parametrize(
    ("pages", "lost"),
    [
        ([page(event(1)), page(event(2))], 0),
        ([page(event(1)), page(event(5))], 3),
        ([page(event(1)), page(event(9), dropped=9)], 7),
        ([page(event(1)), page(event(10), dropped=6)], 8),
        ([page(event(1)), page(dropped=4, latest=3)], 2),
        ([page(event(1)), page(latest=4)], 3),
        ([page(event(7), dropped=7)], 0),
        ([page(event(9)), page(event(2))], 1),
        ([page(latest=5), page(event(6))], 0),
    ],
)
def test_a_gap_in_the_sequence_is_counted(pages: list[wire.EventPage], lost: int) -> None:
    events = Events("Alex")
    texts = [events.take(one).text for one in pages]
    assert events.lost == lost
    assert events.gaps == (lost > 0)
    assert any(text and "were lost" in text for text in texts) is (lost > 0)


def test_the_connection_is_looked_at_when_an_event_says_so() -> None:
    assert Events("Alex").take(page(event(1, "connection"))).connection
    assert not Events("Alex").take(page(event(1, "damage"))).connection


def test_a_full_page_is_followed_by_the_next_and_its_text_is_bounded() -> None:
    flood = [event(n, player="Kim", text="x" * 250) for n in range(1, 65)]
    taken = Events("Alex").take(page(*flood, latest=1000))
    assert taken.more
    assert taken.text is not None
    assert len(taken.text) == 2000
