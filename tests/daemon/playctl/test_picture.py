"""The live picture, drawn into text."""

import pytest
from msgspec.structs import replace
from rich.console import Console

from daemon.control import wire
from daemon.playctl.picture import Picture
from daemon.playctl.watching import drawn
from kernel.session.specification import BudgetCeiling

CARD = wire.Card(
    turn=7,
    at="",
    outcome="accepted",
    picture="#####\n#.@.#\n#####",
    thought="A door, at last.",
    intent="go in",
    objective="leave the house",
    action="press up",
    effect="walked to 3,4",
    spoken="Hello?",
)


def used(tokens: int, ceiling: int | None, cost: float | None = None) -> wire.BudgetUsed:
    return wire.BudgetUsed(
        tokens=tokens, token_ceiling=ceiling, cost=cost, cost_ceiling=None, unreported_calls=2
    )


def turn(card: wire.Card, budget: wire.BudgetUsed) -> wire.TurnEnded:
    return wire.TurnEnded(seat="red", session_id="s", card=card, budget=budget)


def text_of(picture: Picture, height: int = 36) -> str:
    screen = Console(width=110, height=height, no_color=True, force_terminal=False)
    with screen.capture() as captured:
        screen.print(picture.draw())
    return captured.get()


def test_a_turn_is_shown_with_its_map_thoughts_and_budget():
    picture = Picture()
    picture.take(turn(CARD, used(500, 1000)))
    text = text_of(picture)
    for part in (
        "#.@.#",
        "A door, at last.",
        "leave the house",
        "press up",
        "walked to 3,4",
        "Hello?",
        "500 / 1,000",
        "unknown",
        "2 calls without reported usage",
    ):
        assert part in text, part
    assert "~$0" not in text


def test_earlier_turns_and_news_are_kept_in_sight():
    picture = Picture()
    picture.take(turn(CARD, used(1, None)))
    later = wire.Card(turn=8, at="", outcome="rejected_by_adapter", action="press a")
    picture.take(turn(later, used(2, None)))
    picture.take(
        wire.NotableRaised(seat="red", session_id="s", id="n", notable="stuck", detail="12 times")
    )
    picture.take(
        wire.PhaseChanged(seat="red", session_id="s", phase="backoff", turn=9, waiting=4.0)
    )
    text = text_of(picture)
    assert "7  press up  walked to 3,4" in text
    assert "stuck: 12 times" in text
    assert "2 / no ceiling" in text


def test_nothing_of_a_model_reaches_the_terminal_as_a_command():
    picture = Picture()
    nasty = wire.Card(
        turn=1, at="", outcome="x", thought="\x1b[2J[bold]not markup[/bold]", picture="\x9b1m"
    )
    picture.take(playing(9))
    picture.take(wire.PhaseChanged(seat="red", session_id="s", phase="\x1b]0;x\x07", turn=1))
    picture.take(turn(nasty, used(1, None)))
    text = text_of(picture)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\x9b" not in text
    assert "[bold]not markup[/bold]" in text


def test_before_anything_was_told_it_says_so():
    assert "waiting for the daemon" in text_of(Picture())


def playing(max_turns: int) -> wire.SeatChanged:
    session = wire.SessionView(
        session_id="s",
        sitting_id="t",
        seat="red",
        generation=1,
        state="running",
        began_at="",
        ceiling=BudgetCeiling(max_turns=max_turns),
    )
    seat = wire.SeatView(
        seat="red", body="b", game="g", model="m", state="running", session=session
    )
    return wire.SeatChanged(seat=seat)


def spoken(text: str) -> wire.Spoken:
    return wire.Spoken(
        seat="red",
        session_id="s",
        delivery_id="d",
        room=None,
        speech="reply",
        text=text,
        turn=7,
    )


def test_words_of_the_turn_are_told_with_it_and_afterwards_as_news():
    picture = Picture()
    picture.take(spoken("Hello?"))
    picture.take(turn(CARD, used(1, None)))
    assert text_of(picture).count("Hello?") == 1
    assert "says  Hello?" in text_of(picture)
    picture.take(turn(replace(CARD, turn=8, spoken=None), used(1, None)))
    assert "reply  Hello?" in text_of(picture)


def test_words_are_no_alarms_and_signals_are_told_in_words():
    picture = Picture()
    picture.take(turn(replace(CARD, gauges={"turnsWithoutProgress": 3}), used(1, None)))
    picture.take(spoken("Good morning"))
    text = text_of(picture)
    assert "turns without progress 3" in text
    assert "reply  Good morning" in text
    assert "!  " not in text


def test_a_ceiling_of_turns_has_its_bar_and_the_end_leaves_a_line():
    picture = Picture()
    assert picture.last_line() == ""
    picture.take(playing(40))
    picture.take(turn(CARD, used(500, 1000)))
    assert "8 / 40" in text_of(picture)
    assert picture.last_line() == "red: running, turn 7; tokens 500 / 1,000, cost unknown"


def test_a_small_terminal_keeps_what_was_done_and_what_came_of_it():
    picture = Picture()
    picture.take(turn(replace(CARD, thought="so much to think about " * 60), used(1, None)))
    text = text_of(picture, height=18)
    assert "press up" in text
    assert "walked to 3,4" in text


def test_an_interrupted_picture_leaves_its_last_line(capsys: pytest.CaptureFixture[str]):
    def interrupted() -> None:
        with drawn(live=True, leaves_line=True) as draw:
            draw(playing(40))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert capsys.readouterr().out.endswith("red: running, no turn yet; tokens -, cost -\n")


def test_lines_tell_each_fact_once(capsys: pytest.CaptureFixture[str]):
    def seat(state: wire.SeatState, detail: str = "") -> wire.SeatChanged:
        view = playing(40).seat
        return wire.SeatChanged(seat=replace(view, state=state, detail=detail))

    with drawn(live=False) as draw:
        for event in (
            seat("running"),
            seat("running"),
            spoken("Hello?"),
            turn(CARD, used(1, None)),
            seat("stopping", "finished: 8 turns were played"),
            seat("stopping", "8 turns were played"),
            seat("idle"),
        ):
            draw(event)
    assert capsys.readouterr().out.splitlines() == [
        "red  running",
        "red  reply: Hello?",
        "red  turn 7  press up → walked to 3,4",
        "red  stopping: finished: 8 turns were played",
        "red  idle",
    ]
