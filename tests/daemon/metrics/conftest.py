"""Series that count the happenings of two configured seats, without a supervisor."""

import shutil
from collections.abc import Callable

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from config.settings import Settings
from daemon.happenings import SessionChanged, SessionSaid
from daemon.metrics.counting import Counting
from daemon.metrics.series import Series
from daemon.records import SessionRecord
from kernel.session.wire import FromSession


def session_of(seat: str = "red", id: str = "s1", **changes: object) -> SessionRecord:
    fields: dict[str, object] = {
        "session_id": id,
        "sitting_id": "sitting",
        "seat": seat,
        "generation": 1,
        "state": "running",
        "began_at": "2026-01-01T00:00:00.000Z",
        "boot_id": "boot",
        **changes,
    }
    return SessionRecord(**fields)  # type: ignore[arg-type]


class Counted:
    """What was counted; `counted("turns_total", seat="red", outcome="accepted")`."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.registry = CollectorRegistry()
        self.counting = Counting(Series(self.registry), lambda: self.settings)

    def __call__(self, name: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(f"playd_{name}", labels)

    def lines(self) -> int:
        return generate_latest(self.registry).count(b"\n")

    def says(self, message: FromSession, session: SessionRecord | None = None) -> None:
        self.counting.observe(SessionSaid(session or session_of(), message))

    def changes(self, **changes: object) -> None:
        self.counting.observe(SessionChanged(session_of(**changes)))  # type: ignore[arg-type]


@pytest.fixture
def counted(make_settings: Callable[..., Settings]) -> Counted:
    return Counted(make_settings("red", "blue"))


@pytest.fixture
def session() -> Callable[..., SessionRecord]:
    return session_of


@pytest.fixture
def promtool() -> str:
    found = shutil.which("promtool")
    assert found is not None, "promtool is missing; it comes with the package prometheus"
    return found
