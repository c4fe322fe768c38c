"""The published run, evaluated, against what an independent implementation gives for it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from bodies.pokemon.reading import PokemonReading
from kernel.journal.evaluation.evaluate import evaluate
from kernel.journal.evaluation.side_logs import LifecycleEvents, Receipts

REAL_RUN = Path(__file__).parents[5] / "shared" / "data" / "real-run"

pytestmark = pytest.mark.skipif(not REAL_RUN.is_dir(), reason="the published run is not here")


def test_the_evaluation_is_equal_in_every_field() -> None:
    reading = PokemonReading()
    evaluated = evaluate(
        REAL_RUN / "journal.jsonl",
        lambda _: reading,
        LifecycleEvents().read(REAL_RUN / "lifecycle-events.jsonl"),
        Receipts().read(REAL_RUN / "voice-receipts.jsonl"),
    )
    got = msgspec.json.decode(msgspec.json.encode(evaluated.evaluation))
    expected = msgspec.json.decode((REAL_RUN / "expected-evaluation.json").read_bytes())
    assert got["run"] == expected["run"]
    assert got["aggregate"] == expected["aggregate"]
    assert len(got["turns"]) == len(expected["turns"]) == 160
    for ours, theirs in zip(got["turns"], expected["turns"], strict=True):
        assert ours == theirs
