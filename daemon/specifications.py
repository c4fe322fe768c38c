"""Puts together what a session process is told: the configuration, its secrets and the prices."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import msgspec
import trio

from config.credentials import CredentialError, read_credential
from config.persona import persona_text
from config.regular_file import FileError
from config.settings import LogRoom, Model, Player, Seat, Settings
from daemon.prices import rates_for
from daemon.records import Recovery, SittingRecord
from daemon.refusal import Refusal, no_such_seat
from kernel.model.prices import Rates
from kernel.session.specification import (
    BudgetCeiling,
    ModelChoice,
    ModelRates,
    Persona,
    RoomChoice,
    Sitting,
    Specification,
)

_FREE = Rates(input=Decimal(0), cache_read=Decimal(0), cache_write=Decimal(0), output=Decimal(0))
_NOT_THE_BODYS = frozenset((*Player.__struct_fields__, "credential"))


async def play_specification(
    settings: Settings,
    sitting: SittingRecord,
    *,
    session_id: str,
    generation: int,
    elapsed: float,
    earlier_journals: tuple[str, ...],
    told_tokens: tuple[int, ...],
    state_directory: Path,
) -> Specification:
    """Everything for one session in mode play.

    Reads credentials and files, and looks up prices, in a worker thread. Raises Refusal
    (`configuration`): the seat is gone, a credential or persona cannot be read, or there is a
    dollar cap and the model's price is unknown (K29).
    """
    seat = _seat(settings, sitting.seat)

    def build() -> Specification:
        mind = _model(settings, seat.model)
        voice = None if seat.voice_model is None else _model(settings, seat.voice_model)
        refuse_unpriced(sitting.ceiling, mind, voice)
        return Specification(
            session_id=session_id,
            seat=sitting.seat,
            generation=generation,
            sitting=Sitting(
                id=sitting.sitting_id,
                began_at=sitting.began_at,
                elapsed=elapsed,
                earlier_journals=earlier_journals,
                told_tokens=told_tokens,
            ),
            parent=os.getpid(),
            state_directory=str(state_directory),
            body=seat.body,
            options=_options(seat),
            mind=mind,
            voice=voice,
            persona=Persona(name=seat.persona, text=persona_text(settings, seat.persona)),
            room=_room(settings, sitting.room),
            budget=sitting.ceiling,
            lease_valid_for=settings.limits.lease_ttl,
            stop_deadline=settings.limits.stop_deadline,
        )

    return await _read(build)


async def recovery_specification(
    settings: Settings, seat_name: str, recovery: Recovery, state_directory: Path
) -> Specification:
    """Everything for a session process that only asks the world. Raises Refusal."""
    seat = _seat(settings, seat_name)
    return await _read(
        lambda: Specification(
            mode="recover",
            session_id=recovery.session_id,
            seat=seat_name,
            generation=recovery.generation,
            sitting=Sitting(id=recovery.session_id, began_at=""),
            parent=os.getpid(),
            state_directory=str(state_directory),
            body=seat.body,
            options=_options(seat),
            recovery=recovery.value,
        )
    )


def refuse_unpriced(ceiling: BudgetCeiling, *models: ModelChoice | None) -> None:
    """A dollar cap needs a price for every model (K29). Raises Refusal."""
    unpriced = [model.name for model in models if model is not None and model.rates is None]
    if ceiling.dollars is not None and unpriced:
        raise Refusal(
            "configuration",
            f"there is a dollar cap, and the price of model {unpriced[0]} is not known",
            f"Give [models.{unpriced[0]}] a price, or take the dollar cap away.",
        )


async def _read(build: Callable[[], Specification]) -> Specification:
    try:
        return await trio.to_thread.run_sync(build)
    except (CredentialError, FileError) as error:
        raise Refusal("configuration", str(error)) from error


def _seat(settings: Settings, name: str) -> Seat:
    try:
        return settings.seats[name]
    except KeyError:
        raise no_such_seat(name) from None


def _model(settings: Settings, name: str) -> ModelChoice:
    model = settings.models[name]
    return ModelChoice(
        name=name,
        provider=model.provider,
        model=model.model,
        base_url=model.endpoint,
        api_key=_secret(model.credential),
        structured=model.structured,
        images=model.images,
        deadline=model.deadline,
        stall=model.stall,
        reserve=model.reserve,
        output_limit=model.output_tokens,
        ca_file=model.ca_file,
        rates=_rates(model),
    )


def _rates(model: Model) -> ModelRates | None:
    override = _FREE if model.local else None
    if model.price is not None:
        override = msgspec.convert(msgspec.to_builtins(model.price), Rates)
    rates = rates_for(model.endpoint, model.model, override, at=datetime.now(UTC))
    if rates is None:
        return None
    return ModelRates(
        input=float(rates.input),
        cache_read=float(rates.cache_read),
        cache_write=float(rates.cache_write),
        output=float(rates.output),
    )


def _options(seat: Seat) -> msgspec.Raw:
    """The seat's own fields, camelCase, with the credential itself; nulls are left out."""
    fields = {
        field.encode_name: msgspec.to_builtins(getattr(seat, field.name))
        for field in msgspec.structs.fields(seat)
        if field.name not in _NOT_THE_BODYS
    }
    known = {_camel(name): value for name, value in fields.items() if value is not None}
    if (credential := getattr(seat, "credential", None)) is not None:
        known["credential"] = _secret(credential)
    return msgspec.Raw(msgspec.json.encode(known))


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _secret(reference: str | None) -> str | None:
    return None if reference is None else read_credential(reference, os.environ).reveal()


def _room(settings: Settings, name: str | None) -> RoomChoice | None:
    if name is None:
        return None
    room = settings.rooms.get(name)
    authors = room is not None and not isinstance(room, LogRoom) and room.authors_speech
    return RoomChoice(name=name, authors_speech=authors)
