"""Measures the readers of journals: evaluation, verification, story, on generated runs."""

from __future__ import annotations

import resource
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
    """Work in milliseconds (medians of processor time), throughput in MB/s, memory in MiB."""
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
        before, began = _peak_mib(), time.process_time()
        assert verify(large, reading) == []
        work = time.process_time() - began
        figures["large_megabytes"] = large.stat().st_size / 1e6
        figures["large_verify_mb_per_s"] = figures["large_megabytes"] / work
        figures["large_verify_memory_growth_mib"] = _peak_mib() - before
    return figures


def _work_ms(work: Callable[[], object]) -> float:
    def once() -> float:
        began = time.process_time()
        work()
        return (time.process_time() - began) * 1000

    once()
    return statistics.median(once() for _ in range(ROUNDS))


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    for name, value in run(megabytes).items():
        print(f"{name:32} {value:10.2f}")
