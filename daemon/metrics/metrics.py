"""The metrics of one daemon: they count from the stream of happenings and are looked up."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, ProcessCollector, disable_created_metrics
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

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

    def exposition(self) -> bytes:
        """Everything, in Prometheus' text format."""
        return generate_latest(self.registry)


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
