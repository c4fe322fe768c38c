"""What a run did to its daemon and what it was answered, in the order of time, as JSON lines."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import msgspec


class Story:
    """Writes `story.jsonl`; each line has its moment, seconds since 1970."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("ab", buffering=0)

    def tell(self, what: str, **facts: Any) -> None:
        """One line, one write."""
        self._file.write(msgspec.json.encode({"at": time.time(), "what": what, **facts}) + b"\n")
