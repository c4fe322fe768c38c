"""How a body's own turn lines become the turn that every reader of the project knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import UNSET, Raw, Struct, UnsetType

from kernel.journal.lines import NULL, Screenshot, Turn, TurnLine, require_narration_pair

if TYPE_CHECKING:
    from kernel.journal.evaluation.verdicts import Judgement
    from kernel.journal.inspection import Inspection
    from kernel.journal.recorded import RecordedTurn

NAMELESS: Final = ""
"""The environment of journals from before their headers named one."""


class ProjectedTurn(Struct, frozen=True, kw_only=True):
    """A turn line as read, whichever body wrote it.

    `evidence` encodes an `Evidence`, or is null where the body keeps its own proof: then
    `game_evidence` holds it.
    """

    at: str | UnsetType
    turn: Turn
    evidence: Raw = NULL
    game_evidence: Raw = NULL
    screenshot: Screenshot | UnsetType = UNSET
    speech_delivery_id: str | UnsetType = UNSET
    narration_event: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        require_narration_pair(self.speech_delivery_id, self.narration_event)


class JournalReading(Protocol):
    """A body's side of reading its journals."""

    def project(self, line: bytes) -> ProjectedTurn:
        """Read one turn line. Raises msgspec's `DecodeError` for a damaged one."""
        ...

    def judge(self, turn: RecordedTurn) -> Judgement:
        """The verdicts on a turn that are the game's own. Raises JournalDamaged."""
        ...

    def inspect(self, turn: RecordedTurn) -> Inspection:
        """What can be shown of a turn. Raises JournalDamaged."""
        ...


FindReading = Callable[[str], JournalReading | None]
"""Gives the reading for an environment id; None: its turn lines have the project's own shape."""


def canonical(environment_id: str) -> None:
    """The `FindReading` that knows no game."""
    del environment_id


def project(line: TurnLine) -> ProjectedTurn:
    """A turn line that has the project's own shape already."""
    return ProjectedTurn(
        at=line.at,
        turn=line.turn,
        evidence=line.evidence,
        screenshot=line.screenshot,
        speech_delivery_id=line.speech_delivery_id,
        narration_event=line.narration_event,
    )
