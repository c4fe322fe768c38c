"""Lets a later process ask the world whether an earlier session still holds the seat."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from bodies.pokemon import wire
from bodies.pokemon.seat.addresses import Address
from bodies.pokemon.seat.answers import read_answer
from bodies.pokemon.seat.connection import ask_within
from bodies.pokemon.seat.counters import Counters
from bodies.pokemon.seat.dial import Dial, dialer
from bodies.pokemon.seat.link import Link, LinkParted
from bodies.pokemon.seat.open_link import open_link
from bodies.pokemon.seat.troubles import GarbledAnswer, OperationRefused
from bodies.pokemon.seat.waits import ASK_S
from kernel.undecodable import UNDECODABLE

_OVER = ("session_ended", "taken_over")


def recovery_value(joined: wire.JoinAnswer) -> str:
    """What settle() needs of a session. Opaque; holds the session's token, so it is kept secret."""
    return msgspec.json.encode(_Recovery(joined.session_id, joined.token)).decode()


async def settle(
    address: Address, recovery: str, *, ca_file: str | None = None, dial: Dial | None = None
) -> Literal["settled", "unsettled"]:
    """Ask about the session and give its seat back.

    Settled: the world says that the session is over or not ours, or gives the exact leave receipt.
    Anything else, and an unreachable world, is unsettled. Takes at most 10 s to connect and 10 s a
    question. Raises BadAuthority.
    """
    try:
        known = msgspec.json.decode(recovery, type=_Recovery)
    except UNDECODABLE:
        return "unsettled"
    dial = dial or dialer(address, ca_file)
    try:
        async with open_link(address, dial, _unheard, Counters()) as link:
            return await _give_back(link, known)
    except LinkParted as parted:
        return "settled" if parted.parting.cause in _OVER else "unsettled"


class _Recovery(Struct, frozen=True):
    session_id: str
    token: str

    def __repr__(self) -> str:
        return "_Recovery(***)"


async def _give_back(link: Link, known: _Recovery) -> Literal["settled", "unsettled"]:
    for operation, kind in (
        ("world.session", wire.SessionAnswer),
        ("world.leave", wire.LeaveAnswer),
    ):
        request = wire.Request(operation, wire.Nothing(), token=known.token)
        raw = await ask_within(link, request, ASK_S)
        try:
            answer = read_answer(operation, raw, kind, ())
        except (OperationRefused, GarbledAnswer):
            return "unsettled"
        if answer.session_id != known.session_id:
            return "unsettled"
    return "settled"


def _unheard(push: bytes) -> None:
    """Pushes tell nothing that the answers do not."""
