"""Whatever the writer writes verifies, reads back equal and evaluates."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from played_journal import write_journal

from bodies.pokemon.reading import PokemonReading
from kernel.journal.evaluation.evaluate import evaluate
from kernel.journal.evaluation.side_logs import LifecycleEvents, Receipts
from kernel.journal.listing import run_at
from kernel.journal.run import RunWalk
from kernel.journal.story import story_of
from kernel.journal.verify import verify

READING = PokemonReading()


def reading(_: str) -> PokemonReading:
    return READING


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    turns=st.integers(0, 70),
    seed=st.integers(0, 1000),
    texts=st.lists(st.text(max_size=60), max_size=4).map(tuple),
    with_summary=st.booleans(),
)
def test_a_written_journal_is_whole_to_every_reader(
    tmp_path: Path, turns: int, seed: int, texts: tuple[str, ...], with_summary: bool
) -> None:
    shutil.rmtree(tmp_path)
    path = write_journal(tmp_path, turns, seed=seed, texts=texts, with_summary=with_summary)
    assert verify(path, reading) == []

    written = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    on_disk = [line["turn"] for line in written if line["kind"] == "turn"]
    read = [json.loads(msgspec.json.encode(turn.turn)) for turn in RunWalk(path).turns()]
    assert read == on_disk

    run = evaluate(path, reading, LifecycleEvents(), Receipts())
    assert [turn.turn for turn in run.evaluation.turns] == list(range(turns))
    assert run.evaluation.run.terminal.summary_present is with_summary
    assert run.evaluation == evaluate(path, reading, LifecycleEvents(), Receipts()).evaluation

    listed = run_at(path, LifecycleEvents())
    assert listed is not None
    assert (listed.turns, listed.outcome) == (turns, "finished" if with_summary else None)
    story = story_of([path], reading).story
    assert story is not None
    assert story.turns == turns


def test_lines_of_every_age_stand_in_one_journal(tmp_path: Path) -> None:
    path = write_journal(tmp_path, 4)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        if line["kind"] == "turn":
            if line["turn"]["turn"] % 2:
                line["schemaVersion"] = 1
                del line["evidence"]
            for name in ("runId", "journeyId", "environmentId", "environmentSessionId", "venue"):
                line.pop(name)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = evaluate(path, reading, LifecycleEvents(), Receipts()).evaluation
    known = [turn.timing.decision_ms is not None for turn in run.turns]
    assert known == [True, False, True, False]
