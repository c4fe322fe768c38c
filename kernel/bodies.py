"""Finds a game's body by its name; the one place outside `bodies` that names that folder."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import msgspec

from kernel.body import OpenBody, SessionSide
from kernel.journal.projection import JournalReading


class UnknownBody(Exception):
    """No body has this name or reads this environment's journals."""


@dataclass(frozen=True, slots=True)
class BodyKind:
    """A registered game. The functions import what they need when they are called."""

    name: str
    environments: tuple[str, ...]
    """Environment ids of the journals that this body reads and writes."""
    open: Callable[[msgspec.Raw, SessionSide], OpenBody]
    """Opens a body from its options; nothing is joined yet."""
    recover: Callable[[msgspec.Raw, str], Awaitable[bool]]
    """Asks the world about a seat by its recovery value; whether nothing of ours holds it now."""
    reading: Callable[[], JournalReading | None]
    """The body's journal reading; None when its turn lines are the canonical ones."""


_kinds: dict[str, BodyKind] = {}


def register(kind: BodyKind) -> None:
    """Make a body known under its name; a second registration replaces the first."""
    _kinds[kind.name] = kind


def body_named(name: str) -> BodyKind:
    """The body with this name. Raises UnknownBody, naming the ones there are."""
    if name not in _kinds and name in _shipped():
        importlib.import_module(f"bodies.{name}")
    try:
        return _kinds[name]
    except KeyError:
        there_are = ", ".join(sorted(_playable()))
        raise UnknownBody(f"there is no body named {name!r}; there are: {there_are}") from None


def body_of_environment(environment_id: str) -> BodyKind | None:
    """The body whose journals carry this environment id, or None when no body claims it."""
    _playable()
    return next((k for k in _kinds.values() if environment_id in k.environments), None)


def _shipped() -> set[str]:
    bodies = importlib.import_module("bodies")
    return {module.name for module in pkgutil.iter_modules(bodies.__path__)}


def _playable() -> set[str]:
    for name in _shipped() - set(_kinds):
        importlib.import_module(f"bodies.{name}")
    return set(_kinds)
