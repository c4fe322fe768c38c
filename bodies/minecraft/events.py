"""A motor's events: which of them the player hears of, in which words, and what was missed."""

from __future__ import annotations

from dataclasses import dataclass

from bodies.minecraft import wire

TOLD_CHARACTERS = 2_000


@dataclass(slots=True)
class Events:
    """Follows the sequence of one session's events. Counters only grow."""

    username: str
    latest: int | None = None
    """Sequence of the last event that was taken; None before the first look."""
    heard: int = 0
    gaps: int = 0
    lost: int = 0
    """Events that a motor dropped before they could be read, as far as the sequence tells."""

    def take(self, page: wire.EventPage) -> Taken:
        """Take one page. Events that were taken before, and the player's own words, are left."""
        lost = self._missed(page)
        fresh = [e for e in page.events if self.latest is None or e.sequence > self.latest]
        fresh.sort(key=lambda event: event.sequence)
        for event in fresh:
            if self.latest is not None:
                lost += max(0, event.sequence - self.latest - 1)
            self.latest = event.sequence
        if self.latest is None:
            self.latest = page.latest_sequence
        elif not page.events:
            lost += max(0, page.latest_sequence - self.latest)
            self.latest = max(self.latest, page.latest_sequence)
        lines = [line for event in fresh if (line := told(event, self.username)) is not None]
        self.heard += len(lines)
        self.gaps += lost > 0
        self.lost += lost
        if lost:
            lines.insert(0, f"({lost} earlier events were lost)")
        return Taken(
            text="\n".join(lines)[-TOLD_CHARACTERS:] or None,
            connection=any(event.type == "connection" for event in fresh),
            more=bool(fresh) and page.latest_sequence > (self.latest or 0),
        )

    def _missed(self, page: wire.EventPage) -> int:
        """What the motor says it dropped beyond what was read. A count that fell begins anew."""
        if self.latest is not None and page.latest_sequence < self.latest:
            self.latest = None
            return 1
        first_kept = page.dropped_before_sequence
        if self.latest is None or first_kept is None or first_kept <= self.latest + 1:
            return 0
        missed, self.latest = first_kept - self.latest - 1, first_kept - 1
        return missed


@dataclass(frozen=True, slots=True)
class Taken:
    """What one page came to."""

    text: str | None
    """The lines for the player, newest last; None when there is nothing to tell."""
    connection: bool
    """Something happened to the connection: ask for the status."""
    more: bool
    """There are more events to be read at once."""


def told(event: wire.MotorEvent, username: str) -> str | None:
    """One event in words; None for what the player is not told."""
    data = event.data
    who = "you" if data.player == username else data.player or "somebody"
    own = who == "you"
    match event.type:
        case "chat":
            return None if own or not data.text else f'{who} said: "{data.text[:256]}"'
        case "damage":
            hurt = "you were hurt" if own or data.player is None else f"{who} was hurt"
            left = f"; health {data.health:g}" if data.health is not None else ""
            return hurt + (f" by {data.cause[:80]}" if data.cause else "") + left
        case "death":
            died = "you died" if own or data.player is None else f"{who} died"
            return died + (f": {data.cause[:80]}" if data.cause else "")
        case "player_join":
            return None if own else f"{who} came"
        case "player_leave":
            return None if own else f"{who} left"
        case _:
            return None
