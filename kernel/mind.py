"""One model in one role: every call reserved before it, settled after it, charged and reported.

A call that is cancelled settles too, so that no request is ever without its two usage lines (K28).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol

import trio

from kernel.body import CallUsage
from kernel.budget import Charge, SittingBudget, charge
from kernel.journal.lines import Line, TransportLine, UsageLine
from kernel.model.errors import FailureKind, ModelFailure
from kernel.model.prices import Rates
from kernel.model.request import ModelEndpoint, Prompt
from kernel.model.usage import NOTHING_USED, Usage
from kernel.session import wire


class Answered(Protocol):
    """A whole answer of a model."""

    @property
    def object(self) -> bytes | None: ...
    @property
    def usage(self) -> Usage | None: ...
    @property
    def first_token_seconds(self) -> float: ...


class Call(Protocol):
    """One request, no retry. Cancelling `scope` ends it with what was reported so far."""

    def __call__(
        self, endpoint: ModelEndpoint, prompt: Prompt, output_limit: int, scope: trio.CancelScope
    ) -> Awaitable[Answered | ModelFailure]: ...


@dataclass(frozen=True, slots=True)
class Model:
    """A configured model with its price."""

    endpoint: ModelEndpoint
    rates: Rates | None
    output_limit: int


class Mind:
    """Asks one model in one role for one session."""

    def __init__(
        self,
        role: Literal["mind", "voice"],
        model: Model,
        call: Call,
        budget: SittingBudget,
        write: Callable[[Line], None],
        emit: Callable[[wire.FromSession], None],
    ) -> None:
        self.role: Literal["mind", "voice"] = role
        self.model = model
        self.calls: list[CallUsage] = []
        """The calls of the turn in progress; the loop takes them."""
        self._call = call
        self._budget = budget
        self._write = write
        self._emit = emit
        self._reserve = charge(None, model.endpoint.reserve, model.rates)
        self._count = 0

    async def ask(
        self, prompt: Prompt, turn: int, attempt: int, scope: trio.CancelScope
    ) -> Answered | ModelFailure:
        """One call; cancelling `scope` withdraws it. It is settled whatever becomes of it."""
        self._count += 1
        call_id = f"{self.role}-{self._count}"
        endpoint, started = self.model.endpoint, trio.current_time()
        result: Answered | ModelFailure = ModelFailure(
            kind=FailureKind.CANCELLED, message="the session was torn down around it"
        )
        limit = self._budget.output_limit(self.model.output_limit, self.model.rates)
        self._write(self._usage_line(call_id, "reserved", turn, attempt, self._reserve))
        try:
            result = await self._call(endpoint, prompt, limit, scope)
        finally:
            charged = charge(result.usage, endpoint.reserve, self.model.rates)
            self._budget.settle(charged)
            self._write(self._usage_line(call_id, "settled", turn, attempt, charged))
            if isinstance(result, ModelFailure):
                self._write(_transport_line(self.role, result, call_id, turn, attempt))
            self._record(charged, result, trio.current_time() - started)
        return result

    def take_calls(self) -> tuple[CallUsage, ...]:
        """The calls since the last time, for the turn's record."""
        calls, self.calls = tuple(self.calls), []
        return calls

    def _record(self, charged: Charge, result: Answered | ModelFailure, seconds: float) -> None:
        usage = charged.usage or NOTHING_USED
        cost = dollars(charged.cost.dollars)
        self.calls.append(
            CallUsage(
                role=self.role,
                input=usage.input,
                output=usage.output,
                cache_read=usage.cache_read,
                cache_write=usage.cache_write,
                charged=charged.tokens,
                reported=charged.reported,
                cost=cost,
            )
        )
        failed = isinstance(result, ModelFailure)
        self._emit(
            wire.Usage(
                role=self.role,
                model=self.model.endpoint.name,
                outcome=result.kind.value if failed else "answered",
                input=usage.input if charged.reported else 0,
                output=usage.output if charged.reported else 0,
                cache_read=usage.cache_read if charged.reported else 0,
                cache_write=usage.cache_write if charged.reported else 0,
                reserved=0 if charged.reported else charged.tokens,
                cost=cost,
                seconds=round(seconds, 4),
                first_token_seconds=None if failed else round(result.first_token_seconds, 4),
                budget=budget_used(self._budget),
            )
        )

    def _usage_line(
        self,
        call_id: str,
        stage: Literal["reserved", "settled"],
        turn: int,
        attempt: int,
        charged: Charge,
    ) -> UsageLine:
        usage = charged.usage
        return UsageLine(
            call_id=call_id,
            stage=stage,
            role=self.role,
            provider=self.model.endpoint.provider,
            model=self.model.endpoint.model,
            turn=turn,
            attempt=attempt,
            charged=charged.tokens,
            reported=charged.reported,
            input=usage.input if usage else None,
            output=usage.output if usage else None,
            cache_read=usage.cache_read if usage else None,
            cache_write=usage.cache_write if usage else None,
            cost=dollars(charged.cost.dollars),
            estimated=charged.cost.reserved,
        )


def dollars(amount: Decimal | None) -> float | None:
    """An estimate for wire and disk; None stays None and never becomes 0 (K29)."""
    return None if amount is None else float(amount)


def budget_used(budget: SittingBudget) -> wire.BudgetUsed:
    """The sitting's sums as the supervisor is told them."""
    return wire.BudgetUsed(
        tokens=budget.tokens,
        token_ceiling=budget.ceiling.tokens,
        cost=dollars(budget.cost.dollars),
        cost_ceiling=budget.ceiling.dollars,
        unreported_calls=budget.unreported_calls,
    )


def _transport_line(
    role: Literal["mind", "voice"], failure: ModelFailure, call_id: str, turn: int, attempt: int
) -> TransportLine:
    return TransportLine(
        role=role,
        failure=failure.kind.value,
        status=failure.status,
        code=failure.code,
        request_id=failure.request_id,
        call_id=call_id,
        turn=turn,
        attempt=attempt,
    )
