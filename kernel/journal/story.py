"""The story card of a journey: bounded, for an audience, over all of its runs.

Thoughts, notes and button presses stay off it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Final

from msgspec import UNSET, Struct

from kernel.journal.damage import JournalError
from kernel.journal.evaluation.evaluate import judge_of
from kernel.journal.lines import HeaderLine
from kernel.journal.memory import Rank, journals_in, rank_of, read_header
from kernel.journal.projection import FindReading
from kernel.journal.recorded import RecordedTurn
from kernel.journal.run import RunWalk

MAPS: Final = 16
MOMENTS: Final = 12
MAP_TEXT: Final = 200
EFFECT_TEXT: Final = 200
TOWARD_TEXT: Final = 160


class Moment(Struct, frozen=True, kw_only=True, rename="camel"):
    """A turn that the player judged worth a word: what happened, and toward what."""

    run_id: str | None
    turn: int
    at: str | None
    effect: str
    toward: str | None


class Story(Struct, frozen=True, kw_only=True, rename="camel"):
    """The card. `maps` are distinct, the one visited last stands last; `moments` are in order."""

    journey_id: str | None
    environment_id: str | None
    first_started_at: str
    latest_started_at: str
    runs: int
    turns: int
    objective: str | None
    maps: tuple[str, ...]
    moments: tuple[Moment, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """`story` is None when no run could be read. A bad file is named and hides no other."""

    story: Story | None
    bad: tuple[JournalError, ...]


def journey_story(directory: Path, journey_id: str, find_reading: FindReading) -> Told:
    """The card of one journey. Reads its journals whole, one turn at a time.

    Raises JournalUnreadable when the directory itself cannot be listed.
    """
    bad: list[JournalError] = []
    paths = [path for path, journey in _journeys(directory, bad) if journey == journey_id]
    told = story_of(paths, find_reading)
    return Told(told.story, (*bad, *told.bad))


def journeys_in(directory: Path) -> tuple[str, ...]:
    """The journeys that a directory's journals belong to; bad files are passed over.

    Raises JournalUnreadable when the directory itself cannot be listed.
    """
    found = (journey for _, journey in _journeys(directory, []) if journey is not None)
    return tuple(dict.fromkeys(found))


def story_of(paths: Iterable[Path], find_reading: FindReading) -> Told:
    """The card of these runs, which are taken to be of one journey."""
    bad: list[JournalError] = []
    chapters: list[_Chapter] = []
    for path in paths:
        try:
            chapter = _read(path, find_reading)
        except JournalError as error:
            bad.append(error)
            continue
        if chapter is not None:
            chapters.append(chapter)
    chapters.sort(key=_Chapter.order)
    return Told(_card(chapters) if chapters else None, tuple(bad))


def tell_story(story: Story) -> str:
    """The card as text for people."""
    runs = f"{story.runs} run{'s' if story.runs > 1 else ''}"
    lines = [
        f"{story.environment_id or 'A journey'}: {story.turns:,} turns in {runs}",
        f"from {story.first_started_at}, latest start {story.latest_started_at}",
    ]
    if story.objective is not None:
        lines.append(f"Now: {story.objective}")
    if story.maps:
        lines.append(f"Through: {' → '.join(story.maps)}")
    for run_id, moments in groupby(story.moments, lambda moment: moment.run_id):
        if story.runs > 1:
            # Each run counts its turns from 0.
            lines.append(f"In run {run_id or 'without a name'}:")
        for moment in moments:
            toward = f" (toward: {moment.toward})" if moment.toward else ""
            lines.append(f"  turn {moment.turn}: {moment.effect}{toward}")
    return "\n".join(lines)


@dataclass(slots=True)
class _Chapter:
    """What of one run the card may need."""

    header: HeaderLine
    turns: int = 0
    last_number: int = -1
    objective: str | None = None
    maps: dict[str, None] = field(default_factory=dict[str, None])
    moments: deque[Moment] = field(default_factory=lambda: deque(maxlen=MOMENTS))

    def order(self) -> tuple[Rank, str]:
        return rank_of(self.header), self.header.started_at

    def latest_turn(self) -> tuple[Rank, int, str]:
        """What is the journey's last word has the greatest (K17)."""
        return rank_of(self.header), self.last_number, self.header.started_at

    def visit(self, place: str) -> None:
        self.maps.pop(place, None)
        self.maps[place] = None
        if len(self.maps) > MAPS:
            del self.maps[next(iter(self.maps))]


def _journeys(directory: Path, bad: list[JournalError]) -> Iterator[tuple[Path, str | None]]:
    for path in journals_in(directory):
        try:
            header = read_header(path)
        except JournalError as error:
            bad.append(error)
            continue
        if header is not None:
            yield path, header.journey_id or None


def _read(path: Path, find_reading: FindReading) -> _Chapter | None:
    walk = RunWalk(path, find_reading)
    chapter: _Chapter | None = None
    judge = None
    for turn in walk.turns():
        judge = judge or judge_of(walk, find_reading)
        if chapter is None:
            assert walk.header is not None
            chapter = _Chapter(walk.header)
        chapter.turns += 1
        if turn.turn.turn > chapter.last_number:
            chapter.last_number = turn.turn.turn
            chapter.objective = turn.turn.objective
        if place := judge(turn).place:
            chapter.visit(_cut(place, MAP_TEXT))
        if moment := _moment(turn, walk.header):
            chapter.moments.append(moment)
    if chapter is None and walk.header is not None:
        return _Chapter(walk.header)
    return chapter


def _moment(turn: RecordedTurn, header: HeaderLine | None) -> Moment | None:
    said = turn.turn
    worth_a_word = said.speak_wanted or said.speak is not None
    if not worth_a_word or said.effect is None:
        return None
    return Moment(
        run_id=(header.run_id or None) if header else None,
        turn=said.turn,
        at=turn.at,
        effect=_cut(said.effect, EFFECT_TEXT),
        toward=None if said.objective is None else _cut(said.objective, TOWARD_TEXT),
    )


def _card(chapters: list[_Chapter]) -> Story:
    latest = chapters[-1]
    whole = _Chapter(latest.header)
    for chapter in chapters:
        for place in chapter.maps:
            whole.visit(place)
        whole.moments.extend(chapter.moments)
        whole.turns += chapter.turns
    played = [chapter for chapter in chapters if chapter.turns]
    whole.objective = max(played, key=_Chapter.latest_turn, default=latest).objective
    starts = sorted(chapter.header.started_at for chapter in chapters)
    environment = latest.header.environment_id
    return Story(
        journey_id=latest.header.journey_id or None,
        environment_id=None if environment is UNSET else environment,
        first_started_at=starts[0],
        latest_started_at=starts[-1],
        runs=len(chapters),
        turns=whole.turns,
        objective=None if whole.objective is None else _cut(whole.objective, TOWARD_TEXT),
        maps=tuple(whole.maps),
        moments=tuple(whole.moments),
    )


def _cut(text: str, bound: int) -> str:
    return text if len(text) <= bound else text[: bound - 1] + "…"
