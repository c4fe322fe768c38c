"""Looks a configuration over before a daemon has to: what stops it, and what will surprise.

Needs no daemon and contacts nothing. What only a running daemon knows (the published prices behind
a dollar cap, whether a body of that name is installed) is checked there.
"""

from __future__ import annotations

import grp
import pwd
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from config.addresses import HTTP_SCHEMES, is_loopback, parse_address, parse_bind
from config.credentials import CredentialError, read_credential
from config.finding import ConfigError, Finding, KeyPath, Problem
from config.lines import located
from config.loading import load_settings, read_config_text
from config.settings import (
    SEAT_VERBS,
    Grant,
    MinecraftSeat,
    PokemonSeat,
    Settings,
    WebhookRoom,
)

OVERFLOW_UID = 65534


def check_config(path: Path, environ: Mapping[str, str]) -> tuple[Finding, ...]:
    """Everything worth telling about the file; only errors keep a daemon or a seat from working.

    Reads the credentials that the file names as the user who calls, and never shows them. Programs
    are looked for in the PATH of `environ`.
    """
    try:
        settings = load_settings(path)
        text = read_config_text(path)
    except ConfigError as error:
        return error.findings
    return (
        *located(_missing_credentials(settings), "error", text, path),
        *located(_unusable_credentials(settings, environ), "error", text, path),
        *located(_surprises(settings, environ), "warning", text, path),
    )


def _missing_credentials(settings: Settings) -> Iterator[Problem]:
    for name, seat in settings.seats.items():
        if isinstance(seat, PokemonSeat) and seat.credential is None:
            yield Problem(
                ("seats", name),
                "has no credential, so every join is refused",
                'set credential = "file:/PATH" to the player\'s key for this world',
            )


def _unusable_credentials(settings: Settings, environ: Mapping[str, str]) -> Iterator[Problem]:
    for key, reference in _credentials(settings):
        # Outside the service systemd passes nothing, and that says nothing about the file.
        if reference.startswith("systemd:") and not environ.get("CREDENTIALS_DIRECTORY"):
            continue
        try:
            read_credential(reference, environ)
        except CredentialError as error:
            yield Problem(key, f"{error.reference} {error.problem}", error.hint)


def _credentials(settings: Settings) -> Iterator[tuple[KeyPath, str]]:
    for name, model in settings.models.items():
        if model.credential is not None:
            yield ("models", name, "credential"), model.credential
    for name, seat in settings.seats.items():
        if isinstance(seat, PokemonSeat) and seat.credential is not None:
            yield ("seats", name, "credential"), seat.credential
    for name, room in settings.rooms.items():
        if isinstance(room, WebhookRoom):
            yield ("rooms", name, "secret"), room.secret


def _surprises(settings: Settings, environ: Mapping[str, str]) -> Iterator[Problem]:
    if not settings.seats:
        yield Problem((), "there are no seats, so nothing can be joined", "add [seats.NAME]")
    if not is_loopback(parse_bind(settings.metrics.bind)[0]):
        yield Problem(("metrics", "bind"), "anyone who reaches this address can read the metrics")
    yield from _models(settings)
    yield from _shared_players(settings)
    yield from _missing_programs(settings, environ)
    for name, room in settings.rooms.items():
        if isinstance(room, WebhookRoom) and parse_address(room.url, HTTP_SCHEMES).exposed:
            yield Problem(("rooms", name, "url"), "what the room is told can be read on the way")
        for principal in sorted(room.principals):
            yield from _unknown_principal(principal, ("rooms", name, "principals"))
    for index, grant in enumerate(settings.grants):
        yield from _unknown_principal(grant.principal, ("grants", index, "principal"))
        yield from _nothing_granted(grant, ("grants", index, "verbs"))


def _models(settings: Settings) -> Iterator[Problem]:
    for name, model in settings.models.items():
        if model.base_url is None:
            if model.credential is None:
                yield Problem(("models", name), "has no credential, which its provider asks for")
            continue
        address, key = parse_address(model.base_url, HTTP_SCHEMES), ("models", name, "base_url")
        if model.credential and address.exposed:
            yield Problem(key, "the credential can be read on the way", "use https")
        if model.provider == "openai" and address.path in ("", "/"):
            yield Problem(
                key,
                "has no path, and most servers answer under /v1",
                f'if this one does: "{model.base_url.rstrip("/")}/v1"',
            )


def _nothing_granted(grant: Grant, key: KeyPath) -> Iterator[Problem]:
    if not grant.verbs:
        yield Problem(key, "grants nothing: it names no verb", 'name some, or "*" for all')
    elif not grant.seats and (useless := grant.verbs & SEAT_VERBS):
        yield Problem(
            key,
            f"{', '.join(sorted(useless))}: granted on no seat, which allows nothing",
            'name some in seats, or "*" for all',
        )


def _shared_players(settings: Settings) -> Iterator[Problem]:
    first: dict[tuple[object, ...], str] = {}
    for name, seat in settings.seats.items():
        if isinstance(seat, MinecraftSeat):
            player = (seat.profile.host, seat.profile.port, seat.profile.username)
        else:
            player = (seat.address, seat.credential or seat.display_name)
        if player in first:
            yield Problem(
                ("seats", name),
                f"is the same player in the same world as seats.{first[player]}",
                "whichever joins later takes the place of the other",
            )
        first.setdefault(player, name)


def _missing_programs(settings: Settings, environ: Mapping[str, str]) -> Iterator[Problem]:
    commands: list[tuple[KeyPath, str]] = []
    for name, seat in settings.seats.items():
        if isinstance(seat, MinecraftSeat) and not isinstance(seat.motor, str):
            commands.append((("seats", name, "motor"), seat.motor[0]))
    for name, world in settings.worlds.items():
        commands.append((("worlds", name, "check"), world.check[0]))
        commands.append((("worlds", name, "start"), world.start[0]))
    for key, program in commands:
        if shutil.which(program, path=environ.get("PATH")) is None:
            yield Problem(key, f"no program {program} is found", "name it with its whole path")


def _unknown_principal(principal: str, key: KeyPath) -> Iterator[Problem]:
    kind, _, name = principal.partition(":")
    try:
        if kind == "user":
            pwd.getpwnam(name)
        elif kind == "group":
            grp.getgrnam(name)
        elif kind == "uid" and int(name) == OVERFLOW_UID:
            yield Problem(key, f"{principal} is the overflow uid, which matches nobody")
    except KeyError:
        yield Problem(key, f"this host knows no {principal}")
