"""Verbs of what was played: journals, recall."""

from __future__ import annotations

import trio

from daemon.control import wire
from daemon.control.asking import Asking, Verb, on_some_seat
from daemon.control.fitting import fit


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


VERBS = (Verb("journals", wire.JournalsParams, on_some_seat("journals"), journals),)
