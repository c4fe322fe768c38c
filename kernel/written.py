"""What a model writes in every game: its texts, read within their bounds (K12).

Null means absent. A text that is too long is cut and the cut is named; a field that nobody asked
for or a text that is none makes the whole answer no decision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from kernel.body import Decision, Invalid, TextBounds
from kernel.undecodable import UNDECODABLE

ActionT = TypeVar("ActionT")


class WrongField(Exception):
    """A field that is not as asked."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.invalid = Invalid(path, reason)


class Written(Struct, frozen=True):
    """The texts of one answer; `given` holds every field that is not null."""

    given: dict[str, Any]
    monologue: str
    intent: str
    notes: str | None
    objective: str | UnsetType | None
    """Absent keeps it, null or an empty text clears it."""
    reply: str | None
    speak: str | None
    clipped: tuple[str, ...]

    def decides(
        self, action: ActionT | None, description: str, payload: msgspec.Raw
    ) -> Decision[ActionT]:
        """The decision that these texts and this action make."""
        return Decision(
            monologue=self.monologue,
            intent=self.intent,
            notes=self.notes,
            objective=self.objective,
            reply=self.reply,
            speak=self.speak,
            action=action,
            description=description,
            payload=payload,
            clipped=self.clipped,
        )


def reader(bounds: TextBounds, names: frozenset[str]) -> Callable[[bytes], Written]:
    """Reads answers whose fields may be called `names`; raises WrongField for the first wrong one.

    A bound of None: the game has no such text.
    """
    decoder = msgspec.json.Decoder(dict[str, Any])

    def read(answer: bytes) -> Written:
        try:
            fields = decoder.decode(answer)
        except UNDECODABLE as wrong:
            raise WrongField("", f"no JSON object: {str(wrong)[:200]}") from None
        given = {name: value for name, value in fields.items() if value is not None}
        if not names.issuperset(given):
            unknown = next(name for name in given if name not in names)
            raise WrongField(unknown[:60], "there is no such field")
        clipped: list[str] = []
        return Written(
            given=given,
            monologue=_needed(given, "monologue", bounds.monologue, clipped),
            intent=_needed(given, "intent", bounds.intent, clipped),
            notes=_text(given, "notes", bounds.notes, clipped),
            objective=(_text(given, "objective", bounds.objective, clipped) or None)
            if "objective" in fields
            else UNSET,
            reply=_text(given, "reply", bounds.reply, clipped) or None,
            speak=_text(given, "speak", bounds.speak, clipped) or None,
            clipped=tuple(clipped),
        )

    return read


def _text(given: dict[str, Any], name: str, bound: int | None, clipped: list[str]) -> str | None:
    value = given.get(name)
    if value is None or bound is None:
        return None
    if not isinstance(value, str):
        raise WrongField(name, "a string is wanted")
    if len(value) <= bound:
        return value
    clipped.append(name)
    return value[:bound]


def _needed(given: dict[str, Any], name: str, bound: int, clipped: list[str]) -> str:
    value = _text(given, name, bound, clipped)
    if not value:
        raise WrongField(name, f"1–{bound} characters are wanted")
    return value
