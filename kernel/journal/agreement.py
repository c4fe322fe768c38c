"""Whether a line's envelope is the run's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Final

from msgspec import UNSET, UnsetType

from kernel.journal.finding import Finding
from kernel.journal.glance import Glance
from kernel.journal.lines import Envelope, HeaderLine

WITH_ENVELOPE: Final = 3
"""The first header of journals in which every line has an envelope, and windows have seals."""


class Agreement:
    """Holds lines to their header's envelope.

    Older journals have none: there, what a line or the header does not say is no disagreement.
    """

    def __init__(self, header: HeaderLine) -> None:
        self._complete = header.schema_version >= WITH_ENVELOPE
        self._of_run = _envelope_of(header)
        self._whole = not self._complete or UNSET not in self._of_run

    def check(self, number: int, line: Glance) -> Iterable[Finding]:
        """What is wrong with one line's envelope, the header's own included."""
        timed = line.at is not UNSET or not self._complete
        if timed and self._whole and _envelope_of(line) == self._of_run:
            return ()
        return self._disagreements(number, line)

    def _disagreements(self, number: int, line: Glance) -> Iterator[Finding]:
        for field, of_line, of_run in zip(_FIELDS, _envelope_of(line), self._of_run, strict=True):
            if UNSET in (of_line, of_run):
                if self._complete:
                    yield Finding(number, _LACKING, field)
            elif of_line != of_run:
                yield Finding(number, f"is {of_line!r} and the header says {of_run!r}", field)
        if line.at is UNSET and self._complete:
            yield Finding(number, _LACKING, "at")


_FIELDS = Envelope.__struct_encode_fields__
_LACKING: Final = "the envelope lacks it"
_envelope_of: Callable[[Glance], tuple[str | UnsetType, ...]] = attrgetter(
    *Envelope.__struct_fields__
)
