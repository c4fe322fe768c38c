"""Measures the readers of journals: evaluation, verification, story, on generated runs."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "toys"))

from played_journal import write_journal

from kernel.bodies import body_of_environment
from kernel.journal.evaluation.evaluate import evaluate
from kernel.journal.evaluation.side_logs import LifecycleEvents, Receipts
from kernel.journal.projection import JournalReading
from kernel.journal.verify import verify

ROUNDS = 9


def reading(environment_id: str) -> JournalReading | None:
    """The body's reading, as the commands find it."""
    kind = body_of_environment(environment_id)
    return kind.reading() if kind else None


def run(large_megabytes: int = 1024) -> dict[str, float]:
    """Work in milliseconds (medians of processor time); MB/s of processor time; memory in MiB."""
    with tempfile.TemporaryDirectory() as directory:
        small = write_journal(Path(directory) / "small", 315)
        figures: dict[str, float] = {
            "turns": 315,
            "megabytes": small.stat().st_size / 1e6,
            "evaluate_work_ms": _work_ms(
                lambda: evaluate(small, reading, LifecycleEvents(), Receipts())
            ),
            "verify_work_ms": _work_ms(lambda: verify(small, reading)),
        }
        per_turn = small.stat().st_size / 315
        large = write_journal(Path(directory) / "large", round(large_megabytes * 1e6 / per_turn))
        figures["large_megabytes"] = megabytes = large.stat().st_size / 1e6
        for name, options in _WAYS.items():
            work, peak = _verified_by_playctl(large, *options)
            figures[f"{name}_mb_per_s"] = megabytes / work
            figures[f"{name}_peak_mib"] = peak
    return figures


_WAYS = {"large_verify": (), "large_verify_without_digests": ("--no-digests",)}


def _verified_by_playctl(journal: Path, *options: str) -> tuple[float, float]:
    """Seconds of processor time and the peak of memory in MiB, of a whole process."""
    command = [sys.executable, "-m", "daemon.playctl", "journal", "verify", *options, str(journal)]
    child = os.posix_spawn(
        sys.executable, command, os.environ, file_actions=[(os.POSIX_SPAWN_CLOSE, 1)]
    )
    _, status, used = os.wait4(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def _work_ms(work: Callable[[], object]) -> float:
    def once() -> float:
        began = time.process_time()
        work()
        return (time.process_time() - began) * 1000

    once()
    return statistics.median(once() for _ in range(ROUNDS))


if __name__ == "__main__":
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    for name, value in run(megabytes).items():
        print(f"{name:32} {value:10.2f}")
