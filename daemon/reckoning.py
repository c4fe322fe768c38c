"""What the journals tell of a session whose daemon was killed: how it ended, and what it used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import trio
from msgspec.structs import replace

from daemon.logs import log_of
from daemon.means import Means
from daemon.records import SessionRecord
from daemon.state import StateUnavailable, unavailable
from kernel.journal.damage import JournalError
from kernel.journal.lines import SummaryLine
from kernel.journal.sitting import sitting_so_far
from kernel.journal.verify import examine
from kernel.session.specification import JOURNALS, BudgetCeiling
from kernel.session.wire import BudgetUsed

READ_SECONDS = 5.0
"""Several gigabytes of journals."""


async def with_journal(means: Means, session: SessionRecord) -> SessionRecord:
    """The session with the journal that it opened, if the database was not told of that.

    Looks in a worker thread, for as long as the disk takes that the database is on as well.
    """
    if session.journal is not None:
        return session
    journals = (means.state_directory / JOURNALS).glob(f"*-{session.session_id}.jsonl")
    found = await trio.to_thread.run_sync(next, journals, None)
    return session if found is None else replace(session, journal=str(found))


async def own_summary(session: SessionRecord) -> SummaryLine | None:
    """What it wrote at its end; None: nothing, or its journal is not whole and proves nothing.

    Reads in a worker thread, for `READ_SECONDS` at most.
    """
    if session.journal is None:
        return None
    why = f"not read in {READ_SECONDS:g} s"
    with trio.move_on_after(READ_SECONDS):
        try:
            examined = await trio.to_thread.run_sync(
                examine, Path(session.journal), None, abandon_on_cancel=True
            )
        except JournalError as error:
            why = str(error)
        else:
            summary = examined.summary
            if summary is not None and summary.run_id == session.session_id:
                if not examined.findings:
                    return summary
                why = f"line {examined.findings[0].line}: {examined.findings[0].problem}"
            else:
                why = "it has no summary"
    log = log_of(__name__, seat=session.seat, session=session.session_id)
    log.info("its journal does not tell how it ended: %s", why, event="no_summary")
    return None


async def reckoned(means: Means, session: SessionRecord) -> SessionRecord:
    """The session with its turns and the sitting's budget; as it was, where they cannot be told.

    Reads in a worker thread, for `READ_SECONDS` at most. Raises Refusal: the state database does
    not serve.
    """
    if session.journal is None:
        return session
    try:
        runs = await means.state.sessions_of(session.sitting_id)
        sitting = await means.state.sitting(session.sitting_id)
    except StateUnavailable as error:
        raise unavailable(error) from error
    ceiling = BudgetCeiling(tokens=None) if sitting is None else sitting.ceiling
    why = f"not read in {READ_SECONDS:g} s"
    with trio.move_on_after(READ_SECONDS):
        try:
            return await trio.to_thread.run_sync(
                _reckon, session, runs, ceiling, abandon_on_cancel=True
            )
        except JournalError as error:
            why = str(error)
    log = log_of(__name__, seat=session.seat, session=session.session_id)
    log.warning("what it used is not known: %s", why, event="reckoning_failed")
    return session


def _reckon(
    session: SessionRecord, runs: Sequence[SessionRecord], ceiling: BudgetCeiling
) -> SessionRecord:
    known = (session if run.session_id == session.session_id else run for run in runs)
    told = [(Path(run.journal), run.budget) for run in known if run.journal is not None]
    used = sitting_so_far(
        (journal for journal, _ in told),
        (0 if budget is None else budget.tokens for _, budget in told),
    )
    dollars = None if used.unwritten else used.dollars
    assert session.journal is not None
    return replace(
        session,
        turns_taken=sitting_so_far([Path(session.journal)]).turns,
        budget=BudgetUsed(
            tokens=used.charged + used.unwritten,
            token_ceiling=ceiling.tokens,
            cost=None if dollars is None else float(dollars),
            cost_ceiling=ceiling.dollars,
            unreported_calls=used.unreported,
        ),
    )
