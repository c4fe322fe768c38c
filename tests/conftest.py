"""Settings that every test shares."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import settings

# The same examples in every run, so that a red run is red again; PLAYD_FUZZ=1 looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("fuzz", deadline=None, max_examples=2_000)
settings.load_profile("fuzz" if os.environ.get("PLAYD_FUZZ") else "steady")

# A shell's background job ignores it, and so would every process that a test starts and interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is marked `long` may take long; everything else that takes minutes hangs."""
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.timeout(1_800))
