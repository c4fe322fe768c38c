from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from played_journal import JOURNEY, write_journal

from kernel.journal.evaluation.verdicts import Judgement
from kernel.journal.inspection import Inspection
from kernel.journal.lines import TurnLine
from kernel.journal.projection import ProjectedTurn, project
from kernel.journal.reader import decode_line
from kernel.journal.recorded import RecordedTurn
from kernel.journal.story import MOMENTS, Story, journey_story, journeys_in, story_of, tell_story

Write = Callable[..., Path]


class PlacesByDetail:
    """Reads a turn's detail as the place that it was in."""

    def project(self, line: bytes) -> ProjectedTurn:
        value = decode_line(Path("j"), 1, line, None)
        assert isinstance(value, RecordedTurn)
        return project(TurnLine(turn=value.turn))

    def judge(self, turn: RecordedTurn) -> Judgement:
        return Judgement(place=turn.turn.detail)

    def inspect(self, turn: RecordedTurn) -> Inspection:
        return Inspection()


def reading(_: str) -> PlacesByDetail:
    return PlacesByDetail()


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_run(
        name: str, *turns: dict[str, Any], generation: int = 1, journey: str = "world:w:player:p"
    ) -> Path:
        header = {
            "kind": "header",
            "schemaVersion": 3,
            "scenarioId": "s",
            "startedAt": f"2026-03-0{generation}T10:00:00.000Z",
            "driverGeneration": generation,
            "runId": name,
            "journeyId": journey,
            "environmentId": "pokemon-firered",
        }
        lines = [header]
        for number, said in enumerate(turns):
            own = {
                "turn": number,
                "observationSha256": None,
                "monologue": "a secret thought",
                "intent": "i",
                "notes": "secret notes",
                "objective": None,
                "action": {"kind": "wait"},
                "outcome": "accepted",
                "effect": "it happened",
            }
            lines.append({"kind": "turn", "schemaVersion": 2, "turn": own | said})
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    return write_run


def story(directory: Path) -> Story:
    told = journey_story(directory, "world:w:player:p", reading).story
    assert told is not None
    return told


def test_the_card_spans_all_runs_in_the_order_of_their_generations(
    write: Write, tmp_path: Path
) -> None:
    write("b", {"objective": "third"}, generation=3)
    write("c", {"objective": "first"}, {"objective": "second"}, generation=1)
    write("a", {"objective": "elsewhere"}, generation=9, journey="world:w:player:q")
    card = story(tmp_path)
    assert (card.runs, card.turns, card.objective) == (2, 3, "third")
    assert card.first_started_at == "2026-03-01T10:00:00.000Z"
    assert card.latest_started_at == "2026-03-03T10:00:00.000Z"
    assert card.environment_id == "pokemon-firered"
    assert journeys_in(tmp_path) == ("world:w:player:q", "world:w:player:p")


def test_a_later_run_without_a_turn_keeps_the_objective(write: Write, tmp_path: Path) -> None:
    write("a", {"objective": "go on"}, generation=1)
    write("b", generation=2)
    assert story(tmp_path).objective == "go on"


def test_the_objective_is_that_of_the_journeys_last_turn(write: Write, tmp_path: Path) -> None:
    """K17: of two runs of one generation the one that came further."""
    first = write("a", {"objective": "one"}, {"objective": "two"}, generation=2)
    header, *turns = write("b", {"objective": "three"}, generation=2).read_text().splitlines()
    later = header.replace("2026-03-02", "2026-03-09")
    (tmp_path / "b.jsonl").write_text("\n".join((later, *turns, "")))
    assert story(tmp_path).objective == "two"
    first.unlink()
    assert story(tmp_path).objective == "three"


def test_moments_of_several_runs_are_told_run_by_run(write: Write, tmp_path: Path) -> None:
    wish = {"effect": "a word", "speakWanted": True}
    write("a", wish, {}, wish, generation=1)
    assert "In run" not in tell_story(story(tmp_path))
    write("b", wish, generation=2)
    assert tell_story(story(tmp_path)).splitlines()[-5:] == [
        "In run a:",
        "  turn 0: a word",
        "  turn 2: a word",
        "In run b:",
        "  turn 0: a word",
    ]


def test_only_moments_that_the_player_judged_worth_a_word_are_told(
    write: Write, tmp_path: Path
) -> None:
    write(
        "a",
        {"effect": "quiet"},
        {"effect": "wished", "speak_wanted": True, "speakWanted": True, "objective": "up"},
        {"effect": "said", "speak": "Look!"},
        {"effect": "only answered", "reply": "Yes."},
        {"effect": None, "speakWanted": True},
    )
    told = [(moment.turn, moment.effect, moment.toward) for moment in story(tmp_path).moments]
    assert told == [(1, "wished", "up"), (2, "said", None)]


def test_thoughts_and_notes_stay_off_the_card(write: Write, tmp_path: Path) -> None:
    write("a", {"speakWanted": True})
    assert "secret" not in tell_story(story(tmp_path))


def test_the_card_is_bounded(write: Write, tmp_path: Path) -> None:
    long = "x" * 500
    for generation in (1, 2):
        write(
            f"run-{generation}",
            *(
                {
                    "effect": long,
                    "objective": long,
                    "speakWanted": True,
                    "detail": f"map {generation} {number} {long}",
                }
                for number in range(20)
            ),
            generation=generation,
        )
    card = story(tmp_path)
    assert len(card.maps) == 16
    assert {len(name) for name in card.maps} == {200}
    assert card.maps[-1].startswith("map 2 19 ")
    assert len(card.moments) == MOMENTS == 12
    assert {moment.turn for moment in card.moments} == set(range(8, 20))
    assert {moment.run_id for moment in card.moments} == {"run-2"}
    assert {len(moment.effect) for moment in card.moments} == {200}
    assert {len(moment.toward or "") for moment in card.moments} == {160}
    assert len(card.objective or "") == 160


def test_a_map_that_is_visited_again_moves_to_the_end(write: Write, tmp_path: Path) -> None:
    write("a", {"detail": "meadow"}, {"detail": "mill"}, {"detail": None}, {"detail": "meadow"})
    assert story(tmp_path).maps == ("mill", "meadow")


def test_a_bad_file_is_named_and_hides_no_other(write: Write, tmp_path: Path) -> None:
    write("good", {"objective": "go on"})
    damaged = write("late-damage", {"objective": "never"})
    damaged.write_bytes(damaged.read_bytes() + b"{}\n{}\n")
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "no-header.jsonl").write_bytes(b"{}\n")
    told = journey_story(tmp_path, "world:w:player:p", reading)
    assert told.story is not None
    assert (told.story.runs, told.story.objective) == (1, "go on")
    assert sorted(Path(str(error).split(",")[0]).name for error in told.bad) == [
        "late-damage.jsonl",
        "no-header.jsonl",
    ]


def test_a_journey_that_nobody_played_has_no_story(tmp_path: Path) -> None:
    assert journey_story(tmp_path, "nobody", reading).story is None
    assert journey_story(tmp_path / "nowhere", "nobody", reading).story is None


def test_a_written_run_is_told(tmp_path: Path) -> None:
    path = write_journal(tmp_path, 60)
    told = story_of([path], lambda _: None).story
    assert told is not None
    assert (told.journey_id, told.turns) == (JOURNEY, 60)
    assert tell_story(told).startswith("pokemon-firered: 60 turns in 1 run\n")
