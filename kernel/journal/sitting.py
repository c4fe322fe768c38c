"""What a sitting has used and told so far, from the journals of its earlier runs (K28, K32)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, repeat
from pathlib import Path

from kernel.journal.damage import JournalDamaged
from kernel.journal.lines import NotableLine, UsageLine
from kernel.journal.reader import decode_line, lines_that_fit
from kernel.journal.usage import UsageTally


@dataclass(frozen=True, slots=True)
class SittingSoFar:
    """Sums over runs that have ended, whichever way."""

    charged: int
    """Tokens, unsettled reservations included."""
    unwritten: int
    """Tokens beyond these that a full disk kept out of the journals of the runs that told them."""
    dollars: Decimal | None
    """None: some call had no known price, and the sum has none for good (K29)."""
    estimated: bool
    unreported: int
    notables: frozenset[str]
    turns: int
    """Turn numbers that were used, a turn cut off after its decision included."""


def sitting_so_far(journals: Iterable[Path], told_tokens: Iterable[int] = ()) -> SittingSoFar:
    """Sum the sitting's earlier runs; `told_tokens` is what each told that the sitting had used.

    Reads each file once and decodes only `usage` and `notable` lines: about a millisecond per
    megabyte. Raises JournalUnreadable, and JournalDamaged for such a line that is no longer whole.
    """
    tally = UsageTally()
    notables: set[str] = set()
    unwritten = turns = 0
    for path, told in zip(journals, chain(told_tokens, repeat(0)), strict=False):
        undecided = 0
        for number, text in lines_that_fit(path):
            if text.startswith(_TURN):
                turns += 1
                undecided = 0
            elif text.startswith(_DECISION):
                undecided = 1
            elif text.startswith((_USAGE, _NOTABLE)):
                try:
                    line = decode_line(path, number, text, None)
                except JournalDamaged:
                    if text.endswith(b"\n"):
                        raise
                    break
                if isinstance(line, UsageLine):
                    tally.add(line)
                elif isinstance(line, NotableLine):
                    notables.add(line.notable)
        turns += undecided
        tally.end_run()
        # Run by run: what a later run reserved and never settled, no earlier one can have told.
        unwritten += max(0, told - tally.charged - unwritten)
    return SittingSoFar(
        charged=tally.charged,
        unwritten=unwritten,
        dollars=tally.dollars,
        estimated=tally.estimated,
        unreported=tally.unreported,
        notables=frozenset(notables),
        turns=turns,
    )


_TURN = b'{"kind":"turn",'
_DECISION = b'{"kind":"decision",'
_USAGE = b'{"kind":"usage",'
_NOTABLE = b'{"kind":"notable",'
