"""Reads an answer as what was asked for, as a refusal, or as the word that the session is over."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import UNSET

from bodies.pokemon.seat.ended import Parting, end_of_refusal
from bodies.pokemon.seat.link import LinkParted
from bodies.pokemon.seat.troubles import GarbledAnswer, OperationRefused
from bodies.pokemon.wire import AnswerHead, Refusal
from kernel.undecodable import UNDECODABLE

AnswerT = TypeVar("AnswerT")

MAX_MESSAGE_TEXT = 300


def read_answer(
    operation: str, raw: bytes, kind: type[AnswerT], hidden: tuple[str, ...]
) -> AnswerT:
    """The answer as `kind`. Text in `hidden` is struck out of what the world says.

    Raises OperationRefused, GarbledAnswer, and LinkParted with a cause when the session is over.
    """
    try:
        if msgspec.json.decode(raw, type=AnswerHead).ok is not False:
            return msgspec.json.decode(raw, type=kind)
        refusal = msgspec.json.decode(raw, type=Refusal)
    except UNDECODABLE as wrong:
        detail = _struck_out(str(wrong), hidden)
        raise GarbledAnswer(f"the answer to {operation} is not as agreed: {detail}") from None
    message = _struck_out(refusal.message, hidden)
    cause = end_of_refusal(refusal.code)
    if cause is not None:
        raise LinkParted(Parting(f"{operation}: {refusal.code}", cause))
    retry_after_ms = None if refusal.retry_after_ms is UNSET else refusal.retry_after_ms
    raise OperationRefused(operation, _struck_out(refusal.code, hidden), message, retry_after_ms)


def _struck_out(text: str, hidden: tuple[str, ...]) -> str:
    for secret in hidden:
        if secret:
            text = text.replace(secret, "***")
    return text[:MAX_MESSAGE_TEXT]
