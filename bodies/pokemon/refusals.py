"""What the world refused, remembered: nothing known to be refused is sent again (K21).

Remembered at once: `semantic_state_unavailable` for a helper action, and `walk_exit_unsupported`
for an exit that the map lists. Remembered when it came three times: any other refusal. The evidence
is the fingerprint for signals; of a listed exit it is the listing itself.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import msgspec

from bodies.pokemon import wire
from bodies.pokemon.actions import described
from bodies.pokemon.sight import View

REMEMBERED = 32
TIMES = 3

_HELPERS = (wire.WalkTo, wire.AdvanceDialog, wire.EnterText, wire.SelectMenuEntry)
_ADVICE: dict[str, str] = {
    "script_holding": "a script holds the screen; wait some frames and look again",
    "dialog_not_open": "no text is open to read; wait some frames or press a button instead",
    "menu_not_open": "no menu is open to choose from; use the buttons",
    "naming_screen_not_open": "no naming screen is open",
    "semantic_state_unavailable": "this screen is not decoded; use buttons and waiting",
}


@dataclass(frozen=True, slots=True)
class Refused:
    """One refusal and how often it came under its evidence."""

    refusal: wire.ActionRefusal
    times: int
    at_once: bool

    @property
    def known(self) -> bool:
        return self.at_once or self.times >= TIMES


class Refusals:
    """At most 32 of them, the oldest out first; of one body generation."""

    def __init__(self) -> None:
        self._entries: dict[tuple[wire.Action, Hashable], Refused] = {}
        self._generation: int | None = None

    def known(self, action: wire.Action, view: View) -> wire.ActionRefusal | None:
        """The refusal that this action will meet under this evidence, if that is known."""
        if view.observed.body_generation != self._generation:
            return None
        for evidence in (view.mark, _listed_exit(action, view)):
            entry = self._entries.get((action, evidence))
            if entry and entry.known:
                return entry.refusal
        return None

    def note(self, action: wire.Action, refusal: wire.ActionRefusal, view: View) -> None:
        """One more refusal by the world under this evidence."""
        if view.observed.body_generation != self._generation:
            self._entries.clear()
            self._generation = view.observed.body_generation
        listed = _listed_exit(action, view) if refusal.reason == "walk_exit_unsupported" else None
        at_once = listed is not None or (
            refusal.reason == "semantic_state_unavailable" and isinstance(action, _HELPERS)
        )
        key = (action, listed or view.mark)
        before = self._entries.pop(key, None)
        again = before is not None and before.refusal.reason == refusal.reason
        times = before.times + 1 if before and again else 1
        self._entries[key] = Refused(refusal, times, at_once)
        if len(self._entries) > REMEMBERED:
            del self._entries[next(iter(self._entries))]

    def under(self, view: View) -> tuple[str, ...]:
        """The known refusals that stand under this evidence, in words for the model."""
        if view.observed.body_generation != self._generation:
            return ()
        return tuple(
            f"{described(action)}: {entry.refusal.reason}"
            for (action, evidence), entry in self._entries.items()
            if entry.known and evidence in (view.mark, _listed_exit(action, view))
        )


def advice_for(refusal: wire.ActionRefusal) -> str | None:
    """What the refusal carries, in words for the model (≤ 300 characters with its bounds)."""
    match refusal:
        case wire.ActionRefusal(reason="budget"):
            return f"too long an action: {refusal.asked} asked, {refusal.allowed} allowed"
        case wire.ActionRefusal(reason="walk_target_outside_map"):
            bounds = msgspec.json.encode(refusal.bounds or None).decode()
            return f"outside this map, whose bounds are {bounds[:200]}"
        case wire.ActionRefusal(reason="walk_target_impassable"):
            return "that tile cannot be walked on" + _nearest("open", refusal.nearest_open)
        case wire.ActionRefusal(reason="no_path_to_target"):
            return "no way leads there" + _nearest("reachable", refusal.nearest_reachable)
        case wire.ActionRefusal(reason="walk_exit_unsupported", at=at, to=to):
            where = f"the exit at ({at.x},{at.y})" if at else "that exit"
            leads = f" to {to}" if to else ""
            return f"{where}{leads} cannot be walked onto; step beside it and use the buttons"
        case wire.ActionRefusal(reason="menu_entry_not_present", available=available):
            return "the menu has: " + (", ".join(_entry(e) for e in available or ()) or "nothing")
        case _:
            return _ADVICE.get(refusal.reason)


def _listed_exit(action: wire.Action, view: View) -> wire.MinimapExit | None:
    minimap = view.observed.minimap or None
    if not isinstance(action, wire.WalkTo) or minimap is None or not minimap.exits:
        return None
    for listed in minimap.exits:
        if (listed.at.x, listed.at.y) == (action.x, action.y) and listed.walk_to == "unsupported":
            return listed
    return None


def _nearest(word: str, point: object) -> str:
    if isinstance(point, wire.MapPoint):
        return f"; the nearest {word} tile is ({point.x},{point.y})"
    return ""


def _entry(entry: wire.MenuEntry | str) -> str:
    return entry if isinstance(entry, str) else f'{entry.id} ("{entry.label}")'
