"""What a fault run and a soak do before anything else."""

from __future__ import annotations

import signal
import tempfile
from pathlib import Path


def set_out(into: Path | None, name: str) -> Path:
    """Let SIGINT and SIGTERM end the run in order; gives the folder for its evidence."""
    # trio ends a run in order on SIGINT alone, and a shell's background job ignores that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    folder = into or Path(tempfile.mkdtemp(prefix=f"playd-{name}-"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()
