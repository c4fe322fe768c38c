"""One run's journal as the session holds it: opened after the join, summed while it is written."""

from __future__ import annotations

import msgspec

from kernel.body import AnyTurn
from kernel.journal.lines import Line, Screenshot, TurnLine, UsageLine
from kernel.journal.screenshots import Screenshots
from kernel.journal.usage import UsageTally
from kernel.journal.writer import JournalWriter
from kernel.troubles import Troubles


class Trail:
    """Writes lines to the run's journal and keeps the sums that its summary will state."""

    def __init__(self, writer: JournalWriter) -> None:
        self.writer = writer
        self.usage = UsageTally()
        self.pictures = Screenshots(writer.path)
        self._troubles = Troubles()

    def write(self, line: Line) -> None:
        """Append one line; losing it is counted by the writer, never raised."""
        if isinstance(line, UsageLine):
            self.usage.add(line)
        self.writer.write(line)
        if self.writer.written.trouble is not None:
            self._troubles.say("journal", self.writer.written.trouble)

    def write_turn(self, turn: AnyTurn, line: Line, reasons: tuple[str, ...]) -> None:
        """Append a turn's line, with its picture when there are reasons to keep one."""
        sight = turn.after or turn.before or turn.shown
        if reasons and sight is not None and sight.frame and isinstance(line, TurnLine):
            kept = self.pictures.keep(sight.frame, turn.number, reasons)
            if self.pictures.trouble is not None:
                self._troubles.say("pictures", self.pictures.trouble)
            if kept is not None:
                line = msgspec.structs.replace(line, screenshot=kept)
        self.write(line)

    def keep_end(self, frame: bytes | None) -> Screenshot | msgspec.UnsetType:
        """The picture of the run's end, when there is one."""
        kept = self.pictures.keep_end(frame) if frame else None
        return msgspec.UNSET if kept is None else kept
