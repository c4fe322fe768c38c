"""Tells the conversation behind a sitting what it should know; holds no turn (K32, K33)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import trio

from kernel.journal.lines import Line, NotableLine
from kernel.notables import NotableKind, Notables
from kernel.session import wire

LAST_WORD_SECONDS = 2.0


@dataclass(slots=True)
class Telling:
    """Journals and sends each kind at most once a sitting; never waits but at the end."""

    notables: Notables
    write: Callable[[Line], None]
    emit: Callable[[wire.FromSession], None]
    acknowledged: Callable[[str], Awaitable[None]]
    _told: list[str] = field(default_factory=list[str])

    def tell(self, kind: NotableKind, turn: int | None, detail: str) -> None:
        """Raise a notable; a kind that this sitting was told already is dropped."""
        if not self.notables.first(kind):
            return
        self.write(NotableLine(notable=kind, turn=turn, detail=detail[:400]))
        self._told.append(kind)
        self.emit(wire.Notable(id=kind, notable=kind, detail=detail[:400]))

    async def last_word(self) -> None:
        """Wait until the supervisor has all of them, at most two seconds (K33)."""
        with trio.move_on_after(LAST_WORD_SECONDS):
            for id in self._told:
                await self.acknowledged(id)
