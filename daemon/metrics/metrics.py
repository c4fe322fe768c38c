"""The metrics of one daemon: they count from the stream of happenings and are looked up."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass

import trio
from prometheus_client import (
    CollectorRegistry,
    Metric,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from daemon.metrics.counting import Counting
from daemon.metrics.looking import Looking
from daemon.metrics.series import Series
from daemon.supervisor import Supervisor

CONTENT_TYPE = CONTENT_TYPE_LATEST


class Metrics:
    """`counting` is told what the supervisor's stream does not have."""

    def __init__(self, registry: CollectorRegistry, counting: Counting) -> None:
        self.counting = counting
        self.registry = registry

    async def exposition(self) -> bytes:
        """Everything, in Prometheus' text format.

        Others get their turn between two families: with many seats the whole takes a while.
        """
        parts: list[bytes] = []
        for family in self.registry.collect():
            parts.append(generate_latest(_One(family)))
            await trio.lowlevel.checkpoint()
        return b"".join(parts)


@dataclass(frozen=True, slots=True)
class _One(Collector):
    family: Metric

    def collect(self) -> Iterable[Metric]:
        return (self.family,)


@contextmanager
def open_metrics(supervisor: Supervisor) -> Generator[Metrics]:
    """Counts for as long as the block lasts."""
    disable_created_metrics()  # a second series for each counter that nothing asks for
    registry = CollectorRegistry()
    counting = Counting(Series(registry), lambda: supervisor.settings)
    registry.register(Looking(supervisor))
    ProcessCollector(namespace="playd", registry=registry)
    with supervisor.happenings.observed_by(counting.observe):
        yield Metrics(registry, counting)
