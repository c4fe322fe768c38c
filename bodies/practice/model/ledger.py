"""The ledger: each request with this server's own count, as JSON lines.

From it anybody can prove that what a client was billed for is what the server counted.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

RequestKind = Literal["chat", "models", "other"]
Outcome = Literal["whole", "rejected", "cut", "failed", "gone", "stopped"]
"""whole: sent to its end; rejected: a status that is no 200; cut: the connection, on request;
failed: an error within the stream; gone: the client left; stopped: the server ended."""


class Entry(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One request. `completionTokens` counts what was sent, `usageReported` that it was told."""

    index: int
    at: str
    request: RequestKind
    status: int | None
    outcome: Outcome
    model: str = ""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    usage_reported: bool = False
    misdeeds: tuple[str, ...] = ()


class Ledger:
    """Appends every entry to the file, if there is one."""

    def __init__(self, file: Path | None) -> None:
        self._file = None if file is None else file.open("ab", buffering=0)
        self._next = 0

    def number(self) -> int:
        """The index of the next request; they count from 0 as requests arrive."""
        self._next += 1
        return self._next - 1

    def add(self, entry: Entry) -> None:
        """One entry, one write. Raises OSError."""
        if self._file is not None:
            self._file.write(msgspec.json.encode(entry) + b"\n")

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def now() -> str:
    """UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
