"""Misbehaviour on request: what a provider of models can do wrong, and when.

Grammar: `kind[:argument][@subject=nth]`. The subject is the request at which it happens: chat (when
not given), models or any; nth counts such requests, 1 being the next. `nth+` means that one and all
that follow. Several instructions may meet in one request.

    late:SECONDS           the whole answer comes so late
    status:CODE[/SECONDS]  answered with this status, and a Retry-After
    stall:SECONDS          silence after the head, before the first token
    stall-midway:SECONDS   silence in the middle of the answer
    trickle:SECONDS        so long before every sixteen characters of the answer
    split                  the bytes come one by one, so characters come in pieces
    cut:WHERE              the connection is cut: head (nothing was answered), midway,
                           before-end (all text, no end marker), after-end (the end marker, no
                           usage) or after-usage (usage, no [DONE])
    error:CODE             an error event with this code in the middle of the answer
    garbage                an event in the middle of the answer is no JSON
    refuse                 a refusal instead of an answer
    filter                 half an answer, ended by content_filter
    length                 half an answer, ended by length
    empty                  no text at all
    prose                  words instead of the JSON object
    invalid                an action that is in no catalogue
    usage:HOW              none (not told), null, zero (all counts 0), early (before the text),
                           growing (with every piece) or with-end (in the end marker's event)
"""

import re
from collections.abc import Iterable
from typing import Literal, cast, get_args

import msgspec

Kind = Literal[
    "late",
    "status",
    "stall",
    "stall-midway",
    "trickle",
    "split",
    "cut",
    "error",
    "garbage",
    "refuse",
    "filter",
    "length",
    "empty",
    "prose",
    "invalid",
    "usage",
]
Subject = Literal["chat", "models", "any"]
CutAt = Literal["head", "midway", "before-end", "after-end", "after-usage"]
Telling = Literal["none", "null", "zero", "early", "growing", "with-end"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SUBJECTS: tuple[Subject, ...] = get_args(Subject)
_SECONDS = r"\d{1,4}(?:\.\d{1,3})?"
_ARGUMENT: dict[Kind, str] = {
    "late": _SECONDS,
    "status": rf"(?:4\d\d|5\d\d)(?:/{_SECONDS})?",
    "stall": _SECONDS,
    "stall-midway": _SECONDS,
    "trickle": _SECONDS,
    "cut": "|".join(get_args(CutAt)),
    "error": r"[a-z_]{1,40}",
    "usage": "|".join(get_args(Telling)),
}
_SPEC = re.compile(
    r"(?P<kind>[a-z-]+)(?::(?P<argument>[^@]*))?"
    r"(?:@(?P<subject>[a-z]+)=(?P<nth>\d{1,6})(?P<onward>\+)?)?"
)


class Misdeed(msgspec.Struct, frozen=True):
    """One instruction; `nth` counts down to 1 as its subject is asked for."""

    kind: Kind
    argument: str = ""
    subject: Subject = "chat"
    nth: int = 1
    onward: bool = False

    def __str__(self) -> str:
        return f"{self.kind}:{self.argument}" if self.argument else self.kind


def parse(spec: str) -> Misdeed:
    """The instruction of one `--misbehave`. Raises ValueError that says what is wrong."""
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise ValueError(f"{spec!r} is not kind[:argument][@request=n]")
    kind, argument = match["kind"], match["argument"] or ""
    subject, nth = match["subject"] or "chat", int(match["nth"] or 1)
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is not one of {', '.join(KINDS)}")
    if subject not in SUBJECTS or nth < 1:
        raise ValueError(f"{subject}={nth}: the request is one of {', '.join(SUBJECTS)}, from 1")
    pattern = _ARGUMENT.get(kind, "")
    if re.fullmatch(pattern, argument) is None:
        raise ValueError(f"{kind} takes {pattern or 'no argument'}, not {argument!r}")
    return Misdeed(kind, argument, subject, nth, match["onward"] is not None)


class Mischief:
    """The instructions that wait for their moment."""

    def __init__(self, misdeeds: Iterable[Misdeed] = ()) -> None:
        self._waiting = list(misdeeds)

    def due(self, subject: Literal["chat", "models"]) -> "Due":
        """What goes wrong at this request; an instruction comes due once, unless `nth+`."""
        due: list[Misdeed] = []
        waiting: list[Misdeed] = []
        for misdeed in self._waiting:
            if misdeed.subject not in ("any", subject):
                waiting.append(misdeed)
            elif misdeed.nth > 1:
                waiting.append(msgspec.structs.replace(misdeed, nth=misdeed.nth - 1))
            else:
                due.append(misdeed)
                if misdeed.onward:
                    waiting.append(misdeed)
        self._waiting = waiting
        return Due(tuple(due))


class Due(msgspec.Struct, frozen=True):
    """What goes wrong at one request."""

    misdeeds: tuple[Misdeed, ...] = ()

    def __contains__(self, kind: Kind) -> bool:
        return any(misdeed.kind == kind for misdeed in self.misdeeds)

    def argument(self, kind: Kind) -> str | None:
        """The argument of the first instruction of this kind."""
        return next((m.argument for m in self.misdeeds if m.kind == kind), None)

    def seconds(self, kind: Kind) -> float:
        return sum(float(m.argument) for m in self.misdeeds if m.kind == kind)

    @property
    def cut(self) -> CutAt | None:
        return cast("CutAt | None", self.argument("cut"))

    @property
    def telling(self) -> Telling | None:
        """How usage is told amiss."""
        return cast("Telling | None", self.argument("usage"))
