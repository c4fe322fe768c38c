"""Caps in dollars that a configuration cannot hold, since a model's price is unknown (K29)."""

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
    """Everything that `check_config` finds, and the caps that every join would be refused for.

    The first of them imports the price list (see `rates_for`).
    """
    findings = check_config(path, {**environ, "PATH": search_path(environ)})
    if any(finding.severity == "error" for finding in findings):
        return findings
    text = read_config_text(path)
    return (*located(uncountable_caps(load_settings(path)), "error", text, path), *findings)


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
                    f"set [models.{model}.price], or local = true when it costs nothing",
                )


def price_known(model: Model) -> bool:
    """By the configuration's word, or published for this endpoint and name."""
    if model.local or model.price is not None:
        return True
    return rates_for(model.endpoint, model.model, at=datetime.now(UTC)) is not None
