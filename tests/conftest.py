"""Settings that every test shares."""

from __future__ import annotations

import os

from hypothesis import settings

# The same examples in every run, so that a red run is red again; PLAYD_FUZZ=1 looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("fuzz", deadline=None, max_examples=2_000)
settings.load_profile("fuzz" if os.environ.get("PLAYD_FUZZ") else "steady")
