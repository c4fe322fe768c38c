"""A line as far as its place in the journal goes: envelope, number, brackets; not what it says.

Lines that are no turns are small and are read whole. Of a turn the rest is skipped, which makes
this several times as fast as reading it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from kernel.journal.damage import damage_of
from kernel.journal.lenience import read
from kernel.journal.lines import (
    ActionLine,
    Count,
    DecisionLine,
    EvidenceWindowLine,
    HeaderLine,
    JournalGapLine,
    Line,
    NotableLine,
    Screenshot,
    SummaryLine,
    TransportLine,
    UsageLine,
)
from kernel.undecodable import UNDECODABLE


class Numbered(Struct, frozen=True):
    """What every body's turn has."""

    turn: Count
    outcome: str


class TurnGlance(Line, frozen=True, kw_only=True, tag="turn"):
    """A turn line of any body."""

    schema_version: Literal[1, 2] = 2
    turn: Numbered
    screenshot: Screenshot | UnsetType = UNSET


Glance = (
    HeaderLine
    | TurnGlance
    | DecisionLine
    | ActionLine
    | UsageLine
    | NotableLine
    | EvidenceWindowLine
    | JournalGapLine
    | TransportLine
    | SummaryLine
)
"""What one line shows at a glance."""


def glance_at(path: Path, number: int, text: bytes) -> Glance:
    """Look at one line. Raises JournalDamaged, naming the field."""
    try:
        text.decode()
        return read(_glance, text)
    except UNDECODABLE as error:
        raise damage_of(path, number, error) from error


_glance = msgspec.json.Decoder[Glance](Glance)
