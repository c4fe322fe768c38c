from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kernel.interjections import CAPACITY, OVERFLOW_CHARACTERS, Interjections

AT = "2026-01-01T00:00:00.000Z"


def drained(queue: Interjections, bound: int = 500) -> list[str]:
    read: list[str] = []
    while said := queue.show(bound):
        assert len(said) <= 3
        assert all(0 < len(one.text) <= bound for one in said)
        read += [one.text for one in said]
        queue.delivered()
    return read


def test_k16_at_most_three_are_shown_oldest_first() -> None:
    queue = Interjections()
    for n in range(5):
        queue.put("Ann", f"{n}", AT)
    assert [said.text for said in queue.show(500)] == ["0", "1", "2"]
    queue.delivered()
    assert [said.text for said in queue.show(500)] == ["3", "4"]


def test_k16a_what_was_not_delivered_is_shown_again_and_marked_so() -> None:
    queue = Interjections()
    queue.put("Ann", "hello", AT)
    assert [said.again for said in queue.show(500)] == [False]
    assert [said.again for said in queue.show(500)] == [True]
    queue.delivered()
    assert queue.show(500) == ()
    assert queue.undelivered() == (0, ())


def test_k15_what_is_longer_than_the_bound_follows_in_the_next_reads() -> None:
    queue = Interjections()
    queue.put("Ann", "a" * 700, AT)
    queue.put("Bob", "b", AT)
    assert [(said.speaker, len(said.text)) for said in queue.show(500)] == [("Ann", 500)]
    queue.delivered()
    shown = [(said.speaker, len(said.text)) for said in queue.show(500)]
    assert shown == [("Ann", 200), ("Bob", 1)]


def test_k15_the_thirty_third_merges_and_keeps_its_speaker() -> None:
    queue = Interjections()
    for n in range(CAPACITY):
        queue.put("Ann", f"{n}", AT)
    queue.put("Ann", "more", AT)
    queue.put("Bob", "hi", AT)
    assert (len(queue), queue.queued, queue.merged) == (CAPACITY, CAPACITY + 2, 2)
    assert drained(queue)[-1] == "31\nmore\nBob: hi"


def test_k15_past_sixteen_thousand_characters_the_oldest_of_the_overflow_is_dropped() -> None:
    queue = Interjections()
    for n in range(CAPACITY - 1):
        queue.put("Ann", f"{n}", AT)
    for n in range(5):
        queue.put("Ann", f"{n}" * 4000, AT)
    text = "".join(drained(queue))
    assert queue.dropped == 2
    assert "0000" not in text
    assert "1111" not in text
    assert all(f"{n}" * 4000 in text.replace("\n", "") for n in (2, 3, 4))


def test_one_message_longer_than_the_overflow_keeps_its_end() -> None:
    queue = Interjections()
    for _ in range(CAPACITY):
        queue.put("Ann", "x", AT)
    queue.put("Ann", "y" * (OVERFLOW_CHARACTERS + 10) + "z", AT)
    read = "".join(drained(queue))
    assert read.endswith("z")
    assert read.count("y") == OVERFLOW_CHARACTERS - 1
    assert queue.dropped == 2


def test_what_was_never_delivered_is_named_with_its_times() -> None:
    queue = Interjections()
    for n in range(4):
        queue.put("Ann", "x", f"2026-01-01T00:00:0{n}.000Z")
    queue.show(500)
    queue.delivered()
    assert queue.undelivered() == (1, ("2026-01-01T00:00:03.000Z",))


def test_blank_text_is_nothing_said() -> None:
    queue = Interjections()
    queue.put("Ann", " \n ", AT)
    assert len(queue) == queue.queued == 0


@given(
    st.lists(st.text("ab\nc", min_size=1, max_size=40).filter(str.strip), max_size=60),
    st.integers(1, 17),
)
def test_below_the_overflow_nothing_is_lost_or_reordered(texts: list[str], bound: int) -> None:
    queue = Interjections()
    for text in texts:
        queue.put("Ann", text, AT)
    together = "".join(drained(queue, bound)).replace("\n", "")
    assert together == "".join(texts).replace("\n", "")
    assert queue.dropped == 0
    assert queue.undelivered() == (0, ())
