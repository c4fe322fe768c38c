"""The full structured result of an action, as the trail keeps it."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from bodies.pokemon import wire
from bodies.pokemon.seat.troubles import OperationRefused
from bodies.pokemon.sight import PokemonSight, View
from kernel.body import BodyTrouble, Settled, TurnFacts
from kernel.journal.instant import utc_now

DETAIL = 400


class Done(Struct, frozen=True):
    """How an action ended."""

    action: wire.Action
    outcome: wire.Outcome | None
    """None: the world gave no outcome; `failure` says why in a word."""
    detail: str
    """The result for the turn line, at most 400 characters."""
    failure: str | None = None
    remembered: bool = False
    """Refused from memory: nothing was sent (K21)."""


PokemonSettled = Settled[Done]
PokemonTurn = TurnFacts[View, wire.Action, Done]


class Results:
    """Makes the results of one session, each with an id of its own."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._actions = 0

    def answered(
        self, action: wire.Action, answer: wire.ActAnswer, after: PokemonSight | None
    ) -> PokemonSettled:
        """The world's own answer, with the sight of what it showed right after."""
        outcome = answer.outcome
        if isinstance(outcome, wire.Rejected):
            return self._failed(action, outcome, "environment")
        ran = _RanOutcome(
            outcome.inputs_spent,
            outcome.frames_spent,
            outcome.screen_changed,
            answer.replayed,
            answer.body_generation,
            answer.frame,
        )
        told = _encoder.encode(ran)
        if outcome.detail:
            told = told[:-1] + b"," + _encoder.encode(outcome.detail)[1:]
        completed = self._result(outcome.observation.observed_at, "completed", outcome=Raw(told))
        return Settled(
            "accepted",
            False,
            _sourced("environment", completed),
            Done(action, outcome, told.decode()[:DETAIL]),
            after,
        )

    def remembered(self, action: wire.Action, refusal: wire.ActionRefusal) -> PokemonSettled:
        """A refusal that is known (K21): nothing was sent."""
        return self._failed(action, wire.Rejected(refusal), "memory")

    def troubled(self, action: wire.Action, trouble: BodyTrouble) -> PokemonSettled:
        """The operation failed as a whole; what ran, if anything, is not known."""
        code = trouble.code if isinstance(trouble, OperationRefused) else "no_answer"
        return self._without_outcome(action, "rejected_by_adapter", "failed", code, str(trouble))

    def _without_outcome(
        self, action: wire.Action, outcome: str, status: _Status, code: str, message: str
    ) -> PokemonSettled:
        result = self._result(
            utc_now(), status, error_code=code, message=message[:DETAIL], retryable=True
        )
        detail = f"{status}:{code}:{message}"[:DETAIL]
        return Settled(outcome, True, _sourced("seat", result), Done(action, None, detail, code))

    def _failed(
        self,
        action: wire.Action,
        rejected: wire.Rejected,
        source: Literal["environment", "memory"],
    ) -> PokemonSettled:
        told = _encoder.encode(rejected.refusal).decode()
        reason = rejected.refusal.reason
        message = f"The world refused the action: {told}"
        result = self._result(
            utc_now(),
            "failed",
            error_code=reason,
            message=message,
            retryable=False,
            refusal=rejected.refusal,
        )
        return Settled(
            "rejected_by_adapter",
            True,
            _sourced(source, result),
            Done(
                action,
                rejected,
                f"failed:{reason}:{message}"[:DETAIL],
                remembered=source == "memory",
            ),
        )

    def _result(
        self,
        updated_at: str,
        status: _Status,
        *,
        outcome: Raw | UnsetType = UNSET,
        error_code: str | UnsetType = UNSET,
        message: str | UnsetType = UNSET,
        retryable: bool | UnsetType = UNSET,
        refusal: wire.ActionRefusal | UnsetType = UNSET,
    ) -> _Result:
        self._actions += 1
        return _Result(
            1,
            f"world-action-{self._actions}",
            self._session_id,
            updated_at,
            status,
            1,
            outcome,
            error_code,
            message,
            retryable,
            refusal,
        )


_Status = Literal["completed", "failed"]


class _RanOutcome(Struct, frozen=True, rename="camel"):
    inputs_spent: int
    frames_spent: int
    screen_changed: bool
    replayed: bool
    body_generation: int
    frame: int


class _Result(Struct, frozen=True, rename="camel"):
    schema_version: int
    action_id: str
    session_id: str
    updated_at: str
    status: _Status
    accepted_goal_version: int
    outcome: Raw | UnsetType
    error_code: str | UnsetType
    message: str | UnsetType
    retryable: bool | UnsetType
    refusal: wire.ActionRefusal | UnsetType


def _sourced(source: str, result: _Result) -> Raw:
    return Raw(b'{"source":"' + source.encode() + b'","result":' + _encoder.encode(result) + b"}")


_encoder = msgspec.json.Encoder()
