"""Summing what model calls used, from the `usage` lines of a trail (K28, K29)."""

from __future__ import annotations

from decimal import Decimal

from kernel.journal.lines import Usage, UsageLine


class UsageTally:
    """Adds up calls. A call that was reserved and never settled counts as its reserve, unreported.

    Lines of one run at a time: `end_run` closes the reservations of the run that was read.
    """

    def __init__(self) -> None:
        self._calls = 0
        self._charged = 0
        self._unreported = 0
        self._dollars: Decimal | None = Decimal(0)
        self._estimated = False
        self._input = self._output = self._cache_read = self._cache_write = 0
        self._unsettled: dict[str, UsageLine] = {}

    def add(self, line: UsageLine) -> None:
        """Take the next line of the run."""
        if line.stage == "reserved":
            self._unsettled[line.call_id] = line
            return
        self._unsettled.pop(line.call_id, None)
        self._charge(line, reported=line.reported)

    def end_run(self) -> None:
        """The run has no further line: what is unsettled now stays so."""
        for line in self._unsettled.values():
            self._charge(line, reported=False)
        self._unsettled.clear()

    @property
    def charged(self) -> int:
        """Tokens charged by the calls that settled and by runs that ended."""
        return self._charged

    @property
    def unreported(self) -> int:
        """Calls without complete reported usage."""
        return self._unreported

    @property
    def dollars(self) -> Decimal | None:
        """The estimated cost; None for good once a call had no known price."""
        return self._dollars

    @property
    def estimated(self) -> bool:
        """Whether a part of the cost is a reserve's price."""
        return self._estimated

    def total(self) -> Usage:
        """The sum as a summary records it. Numbers that calls left out are not in it."""
        return Usage(
            input=self._input,
            output=self._output,
            cache_read=self._cache_read,
            cache_write=self._cache_write,
            charged=self._charged,
            calls=self._calls,
            unreported=self._unreported,
            cost=None if self._dollars is None else float(self._dollars),
            estimated=self._estimated,
        )

    def _charge(self, line: UsageLine, *, reported: bool) -> None:
        self._calls += 1
        self._charged += line.charged
        self._unreported += not reported
        self._estimated |= line.estimated or not reported
        if line.cost is None:
            self._dollars = None
        elif self._dollars is not None:
            self._dollars += Decimal(repr(line.cost))
        self._input += line.input or 0
        self._output += line.output or 0
        self._cache_read += line.cache_read or 0
        self._cache_write += line.cache_write or 0
