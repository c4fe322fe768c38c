"""What can be shown of a turn: the screen as text, the tiles around, what the action gave."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from bodies.pokemon.recorded_evidence import (
    Moment,
    RecordedEvidence,
    evidence_of,
    scene_in,
)
from kernel.journal.evaluation.verdicts import Coordinate, Position
from kernel.journal.inspection import Inspection, Passage, Surroundings
from kernel.journal.recorded import RecordedTurn


def inspect(turn: RecordedTurn) -> Inspection:
    """Open one turn. Raises JournalDamaged."""
    evidence = evidence_of(turn) or RecordedEvidence()
    result = turn.decode(_result, evidence.action_result, "evidence.actionResult")
    shown = _Screen(turn, evidence.decision, "decision")
    after = _Screen(turn, evidence.post_action, "postAction")
    return Inspection(
        saw=tuple(shown.told(around=True)),
        result=(*_given(result), *after.told(around=False)),
        surroundings=(*shown.surroundings(), *after.surroundings()),
    )


class _Screen:
    """What one stage saw. Raises JournalDamaged."""

    def __init__(self, turn: RecordedTurn, moment: Moment | None, stage: str) -> None:
        moment = moment or Moment()
        within = f"evidence.{stage}"
        self._scene = scene_in(turn, moment, stage)
        self._overworld = turn.decode(_overworld, moment.data("overworld"), f"{within}.overworld")
        self._dialog = turn.decode(_dialog, moment.data("dialog"), f"{within}.dialog")
        self._menu = turn.decode(_menu, moment.data("menu"), f"{within}.menu")

    def told(self, *, around: bool) -> Iterator[Passage]:
        if self._scene:
            yield Passage("scene", _scene_words(self._scene.mode, self._scene.input_ready))
        if overworld := self._overworld:
            if at := overworld.position:
                facing = f", facing {overworld.facing}" if overworld.facing else ""
                yield Passage("place", f"{at.map_id} ({at.x},{at.y}){facing}")
            if around and overworld.minimap:
                yield Passage("around", "\n".join(overworld.minimap.rows), fixed=True)
        if self._dialog:
            yield Passage("text", "\n".join(self._dialog.lines))
        if self._menu:
            yield Passage("menu", _menu_words(self._menu))

    def surroundings(self) -> Iterator[Surroundings]:
        overworld = self._overworld
        if overworld is None or overworld.position is None or overworld.minimap is None:
            return
        corner = overworld.minimap.top_left
        yield Surroundings(
            map_id=overworld.position.map_id,
            x=corner.x,
            y=corner.y,
            rows=overworld.minimap.rows,
        )


def _scene_words(mode: str | None, ready: bool | None) -> str:
    return (mode or "unknown") + {None: "", True: ", ready", False: ", not ready"}[ready]


def _menu_words(menu: _Menu) -> str:
    entries = (
        ("▸ " if number == menu.cursor else "  ") + (entry.label or entry.id)
        for number, entry in enumerate(menu.entries)
    )
    return "\n".join((menu.menu_id, *entries))


def _given(result: _Result | None) -> Iterator[Passage]:
    if result is None:
        return
    done = result.result
    yield Passage("result", f"{done.status or 'unknown'}, by {result.source or 'unknown'}")
    if done.message:
        yield Passage("message", done.message)
    outcome = done.outcome
    if outcome is None:
        return
    if outcome.transcript:
        yield Passage("read", "\n".join(outcome.transcript))
    if outcome.steps is not None:
        planned = "" if outcome.planned_steps is None else f" of {outcome.planned_steps}"
        blocked = f", stopped by {outcome.blocked_because}" if outcome.blocked_because else ""
        yield Passage("steps", f"{outcome.steps}{planned}{blocked}")
    if outcome.frames_spent is not None:
        changed = "" if outcome.screen_changed else ", the screen did not change"
        yield Passage(
            "spent", f"{outcome.inputs_spent} inputs, {outcome.frames_spent} frames{changed}"
        )


class _Corner(Struct, frozen=True):
    x: Coordinate
    y: Coordinate


class _Minimap(Struct, frozen=True, rename="camel"):
    top_left: _Corner
    rows: tuple[str, ...]


class _Overworld(Struct, frozen=True):
    position: Position | None = None
    facing: str | None = None
    minimap: _Minimap | None = None


class _Dialog(Struct, frozen=True):
    lines: tuple[str, ...] = ()


class _Entry(Struct, frozen=True):
    id: str
    label: str | None = None


class _Menu(Struct, frozen=True, rename="camel"):
    menu_id: str
    cursor: int | None = None
    entries: tuple[_Entry, ...] = ()


class _Outcome(Struct, frozen=True, rename="camel"):
    inputs_spent: int | None = None
    frames_spent: int | None = None
    screen_changed: bool = True
    planned_steps: int | None = None
    steps: int | None = None
    blocked_because: str | None = None
    transcript: tuple[str, ...] = ()


class _Settled(Struct, frozen=True, rename="camel"):
    status: str | None = None
    message: str | None = None
    outcome: _Outcome | None = None


class _Result(Struct, frozen=True):
    source: str | None = None
    result: _Settled = _Settled()


_result = msgspec.json.Decoder[_Result | None](_Result | None)
_overworld = msgspec.json.Decoder[_Overworld | None](_Overworld | None)
_dialog = msgspec.json.Decoder[_Dialog | None](_Dialog | None)
_menu = msgspec.json.Decoder[_Menu | None](_Menu | None)
