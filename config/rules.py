"""What must hold between the parts of a configuration whose shape is right."""

from __future__ import annotations

import os
from collections.abc import Collection, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

from config.addresses import (
    HTTP_SCHEMES,
    SEAT_SCHEMES,
    Address,
    AddressError,
    Scheme,
    is_loopback,
    is_private,
    parse_address,
    parse_bind,
)
from config.finding import KeyPath, Problem, nearest
from config.persona import read_persona, shipped_personas
from config.regular_file import FileError, read_regular_file
from config.settings import MinecraftSeat, Model, PokemonSeat, Seat, Settings, WebhookRoom

MAX_CA_BYTES = 1024 * 1024
MAX_SOCKET_PATH_BYTES = 107
"""What fits into a unix socket's address on Linux."""


@dataclass(frozen=True)
class DeclaredNames:
    """The names that the file declares, those of entries that are themselves wrong included."""

    models: Collection[str]
    personas: Collection[str]
    seats: Collection[str]
    worlds: Collection[str]
    rooms: Collection[str]


def broken_rules(settings: Settings, names: DeclaredNames) -> Iterator[Problem]:
    """Every rule that these settings break. Paths in them are absolute; files are looked at."""
    yield from _listeners(settings)
    for name, model in settings.models.items():
        yield from _model(model, ("models", name))
    for name, persona in settings.personas.items():
        try:
            read_persona(Path(persona.file))
        except FileError as error:
            yield Problem(("personas", name, "file"), f"{error.path} {error.problem}", error.hint)
    for name, seat in settings.seats.items():
        yield from _references(seat, names, ("seats", name))
        if isinstance(seat, PokemonSeat):
            yield from _pokemon(seat, ("seats", name))
        else:
            yield from _minecraft(seat, ("seats", name))
    for name, room in settings.rooms.items():
        if isinstance(room, WebhookRoom):
            yield from _webhook(room, ("rooms", name))
    for index, grant in enumerate(settings.grants):
        for seat_name in sorted(grant.seats - {"*"}):
            yield from _known(seat_name, names.seats, "seat", ("grants", index, "seats"))


def _listeners(settings: Settings) -> Iterator[Problem]:
    key = ("metrics", "bind")
    try:
        host, _ = parse_bind(settings.metrics.bind)
    except AddressError as error:
        yield Problem(key, str(error), "expected HOST:PORT")
    else:
        if not is_loopback(host) and not settings.metrics.allow_remote:
            yield Problem(
                key,
                "is not a loopback address",
                "anyone who reaches it can read the metrics; if that is meant, "
                "set metrics.allow_remote = true",
            )
    socket = settings.control.socket
    if socket is not None and len(os.fsencode(socket)) > MAX_SOCKET_PATH_BYTES:
        yield Problem(
            ("control", "socket"),
            f"is longer than the {MAX_SOCKET_PATH_BYTES} bytes that a socket's path may have",
        )


def _model(model: Model, key: KeyPath) -> Iterator[Problem]:
    address = yield from _address(model.endpoint, HTTP_SCHEMES, (*key, "base_url"))
    yield from _ca_file(model.ca_file, address, (*key, "ca_file"))
    if model.local and model.price is not None:
        yield Problem(
            (*key, "price"), "contradicts local = true, which means a price of 0", "keep one"
        )


def _references(seat: Seat, names: DeclaredNames, key: KeyPath) -> Iterator[Problem]:
    yield from _known(seat.model, names.models, "model", (*key, "model"))
    if seat.voice_model is not None:
        yield from _known(seat.voice_model, names.models, "model", (*key, "voice_model"))
    personas = {*names.personas, *shipped_personas()}
    yield from _known(seat.persona, personas, "persona", (*key, "persona"))
    if seat.room is not None:
        yield from _known(seat.room, names.rooms, "room", (*key, "room"))
    if seat.world is not None:
        yield from _known(seat.world, names.worlds, "world", (*key, "world"))


def _known(name: str, known: Collection[str], what: str, key: KeyPath) -> Iterator[Problem]:
    if name not in known:
        yield Problem(key, f'no {what} is named "{name}"', nearest(name, known, what))


def _pokemon(seat: PokemonSeat, key: KeyPath) -> Iterator[Problem]:
    address_key = (*key, "address")
    address = yield from _address(seat.address, SEAT_SCHEMES, address_key)
    if address is not None and not seat.insecure:
        yield from _not_exposed(address, address_key)
    yield from _ca_file(seat.ca_file, address, (*key, "ca_file"))


def _minecraft(seat: MinecraftSeat, key: KeyPath) -> Iterator[Problem]:
    if not isinstance(seat.motor, str):
        return
    motor_key = (*key, "motor")
    address = yield from _address(seat.motor, HTTP_SCHEMES, motor_key)
    if address is not None and not seat.insecure:
        yield from _not_exposed(address, motor_key)


def _webhook(room: WebhookRoom, key: KeyPath) -> Iterator[Problem]:
    address = yield from _address(room.url, HTTP_SCHEMES, (*key, "url"))
    if address is not None and is_private(address.host) and not room.allow_private_addresses:
        yield Problem(
            (*key, "url"),
            "leads to this host or a private network",
            "if that is meant, set allow_private_addresses = true",
        )


def _address(
    text: str, schemes: tuple[Scheme, ...], key: KeyPath
) -> Generator[Problem, None, Address | None]:
    try:
        return parse_address(text, schemes)
    except AddressError as error:
        yield Problem(key, str(error))
        return None


def _ca_file(path: str | None, address: Address | None, key: KeyPath) -> Iterator[Problem]:
    if path is None:
        return
    if address is not None and not address.encrypted:
        yield Problem(key, "has no use for an address without encryption")
    try:
        pem = read_regular_file(Path(path), MAX_CA_BYTES).data
    except FileError as error:
        yield Problem(key, f"{error.path} {error.problem}", error.hint)
    else:
        if b"-----BEGIN CERTIFICATE-----" not in pem:
            yield Problem(key, f"{path} holds no PEM certificate")


def _not_exposed(address: Address, key: KeyPath) -> Iterator[Problem]:
    if address.exposed:
        yield Problem(
            key,
            "is plaintext to an address that is not loopback",
            "use an encrypted scheme, or set insecure = true if that network is trusted",
        )
