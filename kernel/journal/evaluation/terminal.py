"""How a run ended: by its summary, else by the lifecycle event of its session, else unknown."""

from __future__ import annotations

from msgspec import UNSET

from kernel.journal.evaluation.shape import Terminal
from kernel.journal.evaluation.side_logs import LifecycleEvent, outcome_by
from kernel.journal.lines import SummaryLine

_FAILED = frozenset(
    {"crashed", "hung", "protocol_error", "stop_deadline", "lease_lapsed", "supervisor_lost"}
)
"""The outcomes that end a session in the state `failed`; all others end it in `stopped`."""


def terminal_state(summary: SummaryLine | None, event: LifecycleEvent | None) -> Terminal:
    """The terminal state. When there are both, it is the summary's, and it is told if they agree.

    An event without an outcome agrees when its state is the one that the outcome leads to.
    """
    state = event.type.rpartition(".")[2] if event else None
    said = event.data.outcome if event and event.data else None
    if summary is not None:
        leads_to = "failed" if summary.outcome in _FAILED | {"failed"} else "stopped"
        agree = summary.outcome == said if said is not None else leads_to == state
        return Terminal(
            source="summary",
            outcome=summary.outcome,
            at=None if summary.at is UNSET else summary.at,
            summary_present=True,
            lifecycle_event_type=event.type if event else None,
            lifecycle_consistent=agree if event else None,
        )
    return Terminal(
        source="lifecycle" if event else "unknown",
        outcome=outcome_by(event) if event else None,
        at=event.occurred_at if event else None,
        summary_present=False,
        lifecycle_event_type=event.type if event else None,
        lifecycle_consistent=None,
    )
