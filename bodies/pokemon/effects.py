"""What an action did, read from typed evidence: the screen before, the result, the screen after.

Two effects are the same when their `same` values are equal, and nothing else counts: not the
action, not the words. What counts as the same:
- a refusal: the reason and what the refusal carried;
- a box of text that opened, went on, closed or stayed: the box's lines;
- a menu that opened, moved or closed: its id, entries and cursor;
- a change of place, of facing or of scene: the state that was reached;
- a walk that was stopped: the tile that stopped it and where the player stands;
- text that was read, a name, a choice: that text, name or choice;
- a new picture of an undecoded screen: that picture;
- nothing at all: the state that did not change.
No text that was made here is ever read back.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

from bodies.pokemon import wire
from bodies.pokemon.actions import DIRECTIONS
from bodies.pokemon.fingerprint import menu_fingerprint
from bodies.pokemon.observations import undecoded
from bodies.pokemon.refusals import advice_for
from bodies.pokemon.results import Done
from bodies.pokemon.sight import View
from kernel.body import Effect

TEXT = 200
ADVICE = 300
STEP_FRAMES = 16
"""A direction held this long takes a step where nothing is in the way."""

What = Literal[
    "refused",
    "unseen",
    "replaced",
    "entered",
    "moved",
    "stopped",
    "wall",
    "turned",
    "read",
    "named",
    "chose",
    "box",
    "stayed",
    "menu",
    "scene",
    "screen",
    "unchanged",
]

_STOPPED: dict[str, tuple[str, str]] = {
    "npc": ("somebody stands at", "wait, go around them, or talk to them"),
    "battle": ("a battle began at", "play the battle; the walk can go on after it"),
    "transition": ("the screen changed at", "let it finish before the next step"),
    "state_changed": ("the way was closed at", "something unseen stands there; go around it"),
}
_READ_ENDS: dict[str, str] = {
    "dialog_closed": "the text ended",
    "choice_open": "a choice waits",
    "battle_ended": "the battle ended",
    "frame_bound_reached": "there is more text",
    "script_holding": "a script holds the screen",
}


_SAME_AS: dict[What, str] = {"wall": "still", "unchanged": "still", "stayed": "box"}
"""What is told apart in words and is the same kind of effect all the same."""


class Happening(Effect, frozen=True):
    """An effect with its kind and with what makes it the same as another."""

    what: What = "unchanged"
    same: Hashable = None

    @property
    def unchanged(self) -> bool:
        """Whether nothing at all changed."""
        return self.what in ("wall", "stayed", "unchanged", "refused")


def happened(done: Done, before: View, after: View | None) -> Happening:
    """What this action did."""
    outcome = done.outcome
    if outcome is None:
        failure = done.failure or "no_answer"
        return _happening("unseen", failure, f"not known: {failure.replace('_', ' ')}")
    if isinstance(outcome, wire.Rejected):
        refusal = outcome.refusal
        return _refused(refusal.reason, refusal_key(refusal), advice_for(refusal))
    if after is None:
        return _happening("unseen", None, "it ran; the screen after it was not seen")
    if before.observed.body_generation != after.observed.body_generation:
        generation = after.observed.body_generation
        return _happening(
            "replaced",
            generation,
            "another body took this one's place",
            "everything known of the screen before is void",
        )
    detail = outcome.detail or None
    match detail:
        case wire.WalkToDetail() if detail.planned_steps:
            return _walked(detail, before, after)
        case wire.AdvanceDialogDetail() if detail.transcript:
            return _read(detail)
        case wire.EnterTextDetail():
            return _named(detail)
        case wire.SelectMenuEntryDetail() if detail.confirmed:
            return _happening("chose", (detail.menu_id, detail.entry_id), f'chose "{detail.label}"')
        case _:
            return _compared(done.action, outcome, before, after)


def refusal_key(refusal: wire.ActionRefusal) -> Hashable:
    """Reason and payload, as a value that can be compared."""
    return (
        refusal.reason,
        refusal.asked,
        refusal.allowed,
        repr(refusal.bounds),
        refusal.nearest_open,
        refusal.nearest_reachable,
        refusal.at,
        refusal.to,
        refusal.available,
    )


def _refused(reason: str, key: Hashable, advice: str | None) -> Happening:
    words = reason.replace("_", " ")
    text = f"refused, nothing ran: {words}"
    return _happening("refused", key, text, advice, stands=False)


def _walked(detail: wire.WalkToDetail, before: View, after: View) -> Happening:
    at = after.at
    if at and before.at and at.map_id != before.at.map_id:
        return _entered(at, f"walked {detail.steps} steps onto an exit: ")
    if detail.blocked_at is not None and not detail.arrived:
        return _stopped(detail, detail.blocked_at, after)
    if detail.arrived and at:
        return _happening(
            "moved",
            (at.map_id, at.x, at.y),
            f"walked {detail.steps} steps to ({at.x},{at.y})",
        )
    if at is None:
        mode = after.observed.scene.mode
        return _happening("scene", mode, f"walked {detail.steps} steps; the scene is now {mode}")
    return _happening(
        "stopped",
        (None, at.map_id, at.x, at.y),
        f"walked {detail.steps} of {detail.planned_steps} steps and stands at ({at.x},{at.y})",
        stands=False,
    )


def _stopped(detail: wire.WalkToDetail, tile: wire.MapPoint, after: View) -> Happening:
    words, advice = _STOPPED.get(detail.blocked_because or "", ("it was stopped at", "look again"))
    at = after.at
    return _happening(
        "stopped",
        (tile, (at.map_id, at.x, at.y) if at else after.observed.scene.mode),
        f"walked {detail.steps} of {detail.planned_steps} steps, then {words} ({tile.x},{tile.y})",
        advice,
        stands=False,
    )


def _read(detail: wire.AdvanceDialogDetail) -> Happening:
    ending = _READ_ENDS.get(detail.ended_because, detail.ended_because.replace("_", " "))
    room = TEXT - len(ending) - 12
    advice = "answer it" if detail.ended_because == "choice_open" else None
    return _happening(
        "read",
        detail.transcript,
        f'read "{_cut(" / ".join(detail.transcript), room)}"; {ending}',
        advice,
    )


def _named(detail: wire.EnterTextDetail) -> Happening:
    ending = "confirmed" if detail.confirmed else "not confirmed yet"
    return _happening(
        "named", (detail.typed, detail.confirmed), f'wrote "{detail.typed}", {ending}'
    )


def _compared(action: wire.Action, ran: wire.Ran, before: View, after: View) -> Happening:
    """What differs between two decoded screens; the first that holds."""
    was, at = before.at, after.at
    if was and at and was.map_id != at.map_id:
        return _entered(at, "")
    if was and at and (was.x, was.y) != (at.x, at.y):
        return _happening("moved", (at.map_id, at.x, at.y), f"moved to ({at.x},{at.y})")
    if before.lines != after.lines:
        return _box(before.lines, after.lines)
    if menu_fingerprint(before.menu) != menu_fingerprint(after.menu):
        return _menu(before.menu, after.menu)
    if was and at and was.facing != at.facing:
        return _happening(
            "turned",
            (at.map_id, at.x, at.y, at.facing),
            f"turned {at.facing} without a step",
            _how_to_step(action),
            stands=False,
        )
    mode = after.observed.scene.mode
    if before.observed.scene.mode != mode or (was is None) is not (at is None):
        return _happening("scene", (mode, at is None), f"the scene is now {mode}")
    if undecoded(after.observed):
        return _picture(ran, before, after)
    return _still(action, before, after)


def _how_to_step(action: wire.Action) -> str:
    if isinstance(action, wire.ButtonPress) and action.hold_frames >= STEP_FRAMES:
        return "the tile ahead may be blocked"
    return f"hold the direction for {STEP_FRAMES} frames to walk"


def _entered(at: wire.Overworld, how: str) -> Happening:
    return _happening(
        "entered", (at.map_id, at.x, at.y), f"{how}entered {at.map_id} at ({at.x},{at.y})"
    )


def _box(was: tuple[str, ...] | None, now: tuple[str, ...] | None) -> Happening:
    if now is None:
        return _happening("box", was, "the box of text closed")
    words = "the text went on" if was else "a box of text opened"
    return _happening("box", now, f'{words}: "{_cut(" ".join(now), 150)}"')


def _menu(was: wire.Menu | None, now: wire.Menu | None) -> Happening:
    if now is None:
        return _happening("menu", menu_fingerprint(was), "the menu closed")
    mark = menu_fingerprint(now)
    if was is None or was.menu_id != now.menu_id:
        return _happening("menu", mark, f"the menu {now.menu_id} opened")
    cursor = now.cursor
    if cursor is not None and 0 <= cursor < len(now.entries):
        return _happening("menu", mark, f'the cursor is on "{now.entries[cursor].label}"')
    return _happening("menu", mark, f"the menu {now.menu_id} changed")


def _picture(ran: wire.Ran, before: View, after: View) -> Happening:
    """An undecoded screen on both sides: the picture is all there is to go by."""
    pictured = before.frame_sha256 is not None and after.frame_sha256 is not None
    changed = before.frame_sha256 != after.frame_sha256 if pictured else ran.screen_changed
    if changed:
        return _happening("screen", after.mark, "the picture changed", stands=False)
    return _happening("unchanged", after.mark, "nothing changed on the screen", stands=False)


def _still(action: wire.Action, before: View, after: View) -> Happening:
    """Nothing decoded changed. On a box it counts as that box, whatever was pressed."""
    if after.lines:
        return _happening("stayed", after.lines, "the box of text stayed as it was", stands=False)
    was, at = before.at, after.at
    if (
        isinstance(action, wire.ButtonPress)
        and was
        and at
        and was.facing == DIRECTIONS.get(action.button)
        and before.observed.scene.input_ready
    ):
        return _happening(
            "wall",
            after.mark,
            f"{action.button} is blocked from ({at.x},{at.y})",
            "go around, or face something else",
            stands=False,
        )
    advice = None if after.observed.scene.input_ready else "the game may not be taking input yet"
    return _happening("unchanged", after.mark, "nothing changed", advice, stands=False)


def _happening(
    what: What, same: Hashable, text: str, advice: str | None = None, *, stands: bool = True
) -> Happening:
    kind = _SAME_AS.get(what, what)
    return Happening(
        text=_cut(text, TEXT),
        advice=_cut(advice, ADVICE) if advice else None,
        stands=stands,
        what=what,
        same=(kind, same),
    )


def _cut(text: str, bound: int) -> str:
    text = text.replace("\n", " ")
    return text if len(text) <= bound else text[: bound - 1] + "…"
