"""What a configuration cannot count in dollars, since a model's price is unknown (K29)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from config.check import check_config
from config.finding import Finding, Problem
from config.lines import located
from config.loading import load_settings, read_config_text
from config.settings import Model, Settings
from daemon.prices import rates_for
from daemon.programs import search_path


def check_with_prices(path: Path, environ: Mapping[str, str]) -> tuple[Finding, ...]:
    """Everything that `check_config` finds, and what follows from prices that are not known.

    The first price that is looked up imports the list (see `rates_for`).
    """
    findings = check_config(path, {**environ, "PATH": search_path(environ)})
    if any(finding.severity == "error" for finding in findings):
        return findings
    text = read_config_text(path)
    settings = load_settings(path)
    return (
        *located(uncountable_caps(settings), "error", text, path),
        *findings,
        *located(_uncountable_costs(settings), "warning", text, path),
    )


def uncountable_caps(settings: Settings) -> Iterator[Problem]:
    """Each seat that has a cap in dollars and a model whose price is not known."""
    for name, seat in settings.seats.items():
        if seat.budget.dollars is None:
            continue
        for model in dict.fromkeys(filter(None, (seat.model, seat.voice_model))):
            if not price_known(settings.models[model]):
                yield Problem(
                    ("seats", name, "budget", "dollars"),
                    f"the price of model {model} is not known, so every join is refused",
                    _remedy(model),
                )


def _uncountable_costs(settings: Settings) -> Iterator[Problem]:
    """Each model of a seat without a cap in dollars whose price is not known."""
    uncapped = (seat for seat in settings.seats.values() if seat.budget.dollars is None)
    for model in dict.fromkeys(m for seat in uncapped for m in (seat.model, seat.voice_model) if m):
        if not price_known(settings.models[model]):
            text = "its price is not known, so the cost of its sittings stays unknown"
            yield Problem(("models", model), text, _remedy(model))


def _remedy(model: str) -> str:
    return f"set [models.{model}.price], or local = true when it costs nothing"


def price_known(model: Model) -> bool:
    """By the configuration's word, or published for this endpoint and name."""
    if model.local or model.price is not None:
        return True
    return rates_for(model.endpoint, model.model, at=datetime.now(UTC)) is not None
