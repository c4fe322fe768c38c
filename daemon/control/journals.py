"""Verbs of what was played: journals, recall."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec
import trio

from daemon.control import wire
from daemon.control.asking import Asking, Verb, on_seat, on_some_seat
from daemon.control.fitting import fit
from daemon.refusal import Refusal
from kernel.undecodable import UNDECODABLE

MOST_RUNS = 50
"""Among the newest so many sessions one is looked for that played."""
RECALL_SECONDS = 45.0


async def journals(asking: Asking, params: wire.JournalsParams) -> wire.JournalsResult:
    """The journals of the sessions that the daemon knows, newest first."""
    found = await asking.supervision.sessions(asking.caller, params.seat, True, params.limit)
    permissions = asking.permissions()
    mine, more = fit(
        [
            await _view(session, session.journal)
            for session in found.sessions
            if session.journal is not None
            and permissions.allow(asking.caller, "journals", session.seat)
        ]
    )
    return wire.JournalsResult(journals=mine, more=more or found.more)


async def recall(asking: Asking, params: wire.RecallParams) -> wire.RecallResult:
    """The story of the newest journey of the seat, told by a process of its own.

    Journals are long, and reading them needs the game's body, which has no place in the daemon.
    """
    found = await asking.supervision.sessions(asking.caller, params.seat, True, MOST_RUNS)
    for run in found.sessions:
        if run.journey_id is not None and run.journal is not None:
            story = await _story_of(run.journey_id, Path(run.journal).parent)
            return wire.RecallResult(seat=params.seat, story=msgspec.Raw(story))
    raise Refusal(
        "nothing_to_recall", f"nobody has played in {params.seat}", f"playctl join {params.seat}"
    )


class _Error(msgspec.Struct):
    message: str


class _Failed(msgspec.Struct):
    error: _Error


def _why(told: bytes) -> str:
    """What `playctl --json` said about its failure on the last line of its stderr."""
    last = told.rstrip().rsplit(b"\n", 1)[-1]
    try:
        return msgspec.json.decode(last, type=_Failed).error.message[:400]
    except UNDECODABLE:
        return last.decode(errors="replace")[:400]


async def _story_of(journey: str, directory: Path) -> bytes:
    command = [sys.executable, "-m", "daemon.playctl", "journal", "story", "--json"]
    told = None
    with trio.move_on_after(RECALL_SECONDS):
        told = await trio.run_process(
            [*command, "--journey", journey, "--directory", os.fspath(directory)],
            capture_stdout=True,
            capture_stderr=True,
            check=False,
        )
    if told is None:
        raise Refusal(
            "nothing_to_recall",
            f"the journals were not read within {RECALL_SECONDS:g} s",
            "playctl journal story takes its time.",
        )
    if told.returncode != 0:
        why = _why(told.stderr)
        raise Refusal("nothing_to_recall", "the journals cannot be told as a story", why)
    return msgspec.json.format(told.stdout, indent=-1)  # on one line, as an answer must be


async def _view(session: wire.SessionView, path: str) -> wire.JournalView:
    try:
        size = (await trio.Path(path).stat()).st_size
    except OSError:
        size = None
    return wire.JournalView(
        path=path,
        bytes=size,
        seat=session.seat,
        session_id=session.session_id,
        journey_id=session.journey_id,
        began_at=session.began_at,
        turns_taken=session.turns_taken,
        outcome=session.outcome,
    )


VERBS = (
    Verb("journals", wire.JournalsParams, on_some_seat("journals"), journals),
    Verb("recall", wire.RecallParams, on_seat("recall"), recall),
)
