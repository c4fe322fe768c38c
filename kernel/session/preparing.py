"""What can be known before the world is asked: the body, the models, the sitting so far."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from kernel.bodies import BodyKind, UnknownBody, body_named
from kernel.budget import SittingBudget, charge
from kernel.journal.damage import JournalError
from kernel.journal.sitting import SittingSoFar, sitting_so_far
from kernel.mind import Model
from kernel.model.prices import Cost, Rates
from kernel.session.models import ModelUnusable, model_of
from kernel.session.specification import JOURNALS, Specification


class NotPlayable(Exception):
    """The session cannot begin: `reason` is a word for programs, `detail` a line for people.

    `recovery` is that of a body that was taken meanwhile and may still be held.
    """

    def __init__(self, reason: str, detail: str, recovery: str | None = None) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail[:400]
        self.recovery = recovery


@dataclass(frozen=True, slots=True)
class Prepared:
    """A session that may ask the world for its body."""

    specification: Specification
    kind: BodyKind
    mind: Model
    voice: Model | None
    sofar: SittingSoFar
    budget: SittingBudget

    @property
    def journals(self) -> Path:
        return Path(self.specification.state_directory) / JOURNALS


def prepare(specification: Specification) -> Prepared:
    """Everything but the world. Raises NotPlayable, with nothing held and nothing written."""
    kind = body_kind(specification.body)
    if specification.mind is None:
        raise NotPlayable("no_model", f"seat {specification.seat}: no model is named to play it")
    try:
        mind = model_of(specification.mind)
        voice = model_of(specification.voice) if specification.voice else None
    except ModelUnusable as error:
        raise NotPlayable("model_unusable", str(error)) from None
    sofar = _sitting(specification)
    unpriced = [m for m in (mind, voice) if m is not None and m.rates is None]
    budget = SittingBudget(
        ceiling=specification.budget,
        tokens=sofar.charged,
        cost=Cost(sofar.dollars, sofar.estimated),
        unreported_calls=sofar.unreported,
        unpriced=bool(unpriced),
    )
    if sofar.unwritten:
        budget.settle(charge(None, sofar.unwritten, _dearest(mind, voice)))
    if specification.budget.dollars is not None and unpriced:
        raise NotPlayable(
            "model_unpriced",
            f"model {unpriced[0].endpoint.name} ({unpriced[0].endpoint.model}) has no known price,"
            " so a ceiling in dollars cannot be kept: set its price in the configuration",
        )
    _require_writable(Path(specification.state_directory))
    return Prepared(specification, kind, mind, voice, sofar, budget)


def body_kind(name: str) -> BodyKind:
    """The body of this name. Raises NotPlayable."""
    try:
        return body_named(name)
    except UnknownBody as error:
        raise NotPlayable("body_unknown", str(error)) from None


def _dearest(mind: Model, voice: Model | None) -> Rates | None:
    rates = [model.rates for model in (mind, voice) if model is not None]
    known = [rate for rate in rates if rate is not None]
    return max(known, key=lambda rate: rate.dearest) if len(known) == len(rates) else None


def _sitting(specification: Specification) -> SittingSoFar:
    sitting = specification.sitting
    try:
        return sitting_so_far(map(Path, sitting.earlier_journals), sitting.told_tokens)
    except JournalError as error:
        raise NotPlayable(
            "journal_damaged", f"the sitting's bill cannot be told: {error}"
        ) from None


def _require_writable(directory: Path) -> None:
    place = directory / JOURNALS if (directory / JOURNALS).exists() else directory
    if not os.access(place, os.W_OK | os.X_OK):
        raise NotPlayable(
            "state_unwritable", f"{place} cannot be written: make it writable for this user"
        )
