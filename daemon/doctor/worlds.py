"""Checks that worlds and motors can be reached. Joins nothing: a connection is made and closed."""

from __future__ import annotations

import shutil
import ssl
from collections.abc import Mapping

import trio
from msgspec.structs import replace

from config.addresses import HTTP_SCHEMES, SEAT_SCHEMES, Address, parse_address
from config.settings import MinecraftSeat, PokemonSeat, Seat
from daemon.doctor.finding import Finding, Patient, fail, ok
from daemon.programs import search_path

_SECONDS = 5.0
_PORTS = {"ws": 80, "wss": 443, "http": 80, "https": 443}


async def check_world(patient: Patient, name: str) -> list[Finding]:
    """Whether the seat's world, or its motor and server, can be reached."""
    seat = patient.settings.seats[name]
    match seat:
        case PokemonSeat():
            address = parse_address(seat.address, SEAT_SCHEMES)
            return [await _reach(name, "world", address, seat.ca_file, _remedy(name, seat))]
        case MinecraftSeat():
            server = Address("tcp", seat.profile.host, seat.profile.port, "")
            return [
                await _check_motor(name, seat, patient.environ),
                await _check_server(name, seat, server),
            ]


async def _check_server(name: str, seat: MinecraftSeat, server: Address) -> Finding:
    """Reached by the motor alone, perhaps from another machine, so a failure here only warns."""
    start = f"[seats.{name}.profile] names it" if seat.world is None else _remedy(name, seat)
    found = await _reach(name, "server", server, None, f"its motor must reach it: {start}")
    return found if found.level == "ok" else replace(found, level="warn")


async def _check_motor(name: str, seat: MinecraftSeat, environ: Mapping[str, str]) -> Finding:
    about = f"motor of {name}"
    if isinstance(seat.motor, str):
        address = parse_address(seat.motor, HTTP_SCHEMES)
        return await _reach(name, "motor", address, None, "start the motor")
    program = seat.motor[0]
    found = shutil.which(program, path=search_path(environ))
    if found is None:
        return fail(
            about,
            f"there is no program {program}",
            "install the motor, or name it with its whole path",
        )
    return ok(about, f"{found} is there")


async def _reach(
    name: str, what: str, address: Address, ca_file: str | None, remedy: str
) -> Finding:
    about = f"{what} of {name}"
    shown = address.path if address.scheme == "unix" else f"{address.host}:{_port(address)}"
    try:
        with trio.fail_after(_SECONDS):
            stream = await _connect(address, ca_file)
            await trio.aclose_forcefully(stream)
    except trio.TooSlowError:
        return fail(about, f"{shown} does not answer within {_SECONDS:g} s", remedy)
    except ssl.SSLCertVerificationError as error:
        return fail(about, f"{shown}: {error.verify_message}", "set ca_file, or the host's name")
    except (OSError, trio.BrokenResourceError) as error:
        why = getattr(error, "strerror", None) or str(error) or "the TLS handshake failed"
        return fail(about, f"{shown} cannot be reached: {why}", remedy)
    return ok(about, f"{shown} can be reached")


async def _connect(address: Address, ca_file: str | None) -> trio.abc.Stream:
    if address.scheme == "unix":
        return await trio.open_unix_socket(address.path)
    if not address.encrypted:
        return await trio.open_tcp_stream(address.host, _port(address))
    context = ssl.create_default_context(cafile=ca_file)
    stream = await trio.open_ssl_over_tcp_stream(
        address.host, _port(address), ssl_context=context, https_compatible=True
    )
    try:
        await stream.do_handshake()
    except trio.BrokenResourceError as error:
        await trio.aclose_forcefully(stream)
        raise error.__cause__ or error from None
    return stream


def _port(address: Address) -> int:
    return address.port if address.port is not None else _PORTS[address.scheme]


def _remedy(name: str, seat: Seat) -> str:
    if seat.world is not None:
        return f"playctl world start {name}"
    return f"start the world, or correct the address of [seats.{name}]"
