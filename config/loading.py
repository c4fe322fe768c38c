"""Reads a configuration file: settings, or everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, cast

import msgspec
import tomli
from msgspec.structs import replace

from config.finding import ConfigError, Finding, KeyPath, Problem
from config.lines import located
from config.regular_file import FileError, read_regular_file
from config.rules import DeclaredNames, broken_rules
from config.settings import MinecraftSeat, Model, Persona, Room, Seat, Settings, WebhookRoom
from config.shape import differences
from config.syntax import syntax_finding

MAX_CONFIG_BYTES = 1024 * 1024
MAX_FINDINGS = 100
"""More than these are not looked for."""


def load_settings(path: Path) -> Settings:
    """Reads a TOML file of at most 1 MiB; relative paths in it are made absolute from its folder.

    Reads no credential and keeps nothing between calls. Raises ConfigError.
    """
    text = read_config_text(path)
    table = _parse(text, path)
    problems = list(islice(differences(table, Settings), MAX_FINDINGS))
    if len(problems) < MAX_FINDINGS:
        settings = msgspec.convert(_sound_part(table, problems), Settings)
        settings = _with_absolute_paths(settings, path.absolute().parent)
        broken = broken_rules(settings, _declared_names(table))
        problems += islice(broken, MAX_FINDINGS - len(problems))
        if not problems:
            return settings
    raise ConfigError(located(problems, "error", text, path))


def read_config_text(path: Path) -> str:
    """The text of a configuration file. Raises ConfigError."""
    try:
        data = read_regular_file(path, MAX_CONFIG_BYTES).data
    except FileError as error:
        raise _whole_file(path, None, error.problem, error.hint) from error
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _whole_file(path, line, f"is not UTF-8 text: byte {error.start}") from error


def _parse(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        raise ConfigError((syntax_finding(error, path),)) from error
    except RecursionError as error:
        raise _whole_file(path, None, "is nested too deeply") from error
    except ValueError as error:
        # The parser passes on what `int` and `datetime` refuse, without a line.
        raise _whole_file(path, None, f"is not TOML: {error}") from error


def _whole_file(path: Path, line: int | None, problem: str, hint: str | None = None) -> ConfigError:
    return ConfigError((Finding("error", path, line, "", problem, hint),))


def _declared_names(table: Mapping[str, object]) -> DeclaredNames:
    def names(key: str) -> frozenset[str]:
        value = table.get(key)
        return (
            frozenset(cast("dict[str, object]", value)) if isinstance(value, dict) else frozenset()
        )

    return DeclaredNames(
        models=names("models"),
        personas=names("personas"),
        seats=names("seats"),
        worlds=names("worlds"),
        rooms=names("rooms"),
    )


def _sound_part(table: dict[str, Any], problems: Iterable[Problem]) -> dict[str, Any]:
    """The table without the entries that have problems, so that the rest can be looked at too."""
    broken: set[KeyPath] = {problem.key[:2] for problem in problems}
    sound: dict[str, Any] = {}
    for key, value in table.items():
        if (key,) in broken:
            continue
        if key in ("models", "personas", "seats", "worlds", "rooms"):
            sound[key] = {name: item for name, item in value.items() if (key, name) not in broken}
        elif not any(path[0] == key for path in broken if path):
            sound[key] = value
    return sound


def _with_absolute_paths(settings: Settings, folder: Path) -> Settings:
    def absolute(path: str | None) -> str | None:
        return None if path is None else str(folder / path)

    def reference(credential: str | None) -> str | None:
        source, _, name = (credential or "").partition(":")
        return f"file:{folder / name}" if source == "file" else credential

    def persona(item: Persona) -> Persona:
        return replace(item, file=str(folder / item.file))

    def model(item: Model) -> Model:
        ca_file = absolute(item.ca_file)
        return replace(item, credential=reference(item.credential), ca_file=ca_file)

    def seat(item: Seat) -> Seat:
        if isinstance(item, MinecraftSeat):
            return item
        ca_file = absolute(item.ca_file)
        return replace(item, credential=reference(item.credential), ca_file=ca_file)

    def room(item: Room) -> Room:
        return (
            replace(item, secret=reference(item.secret)) if isinstance(item, WebhookRoom) else item
        )

    return replace(
        settings,
        state_directory=absolute(settings.state_directory),
        control=replace(settings.control, socket=absolute(settings.control.socket)),
        personas={name: persona(item) for name, item in settings.personas.items()},
        models={name: model(item) for name, item in settings.models.items()},
        seats={name: seat(item) for name, item in settings.seats.items()},
        rooms={name: room(item) for name, item in settings.rooms.items()},
    )
