"""Misbehaviour on request: what a host of seats can do wrong, and when.

Grammar: `kind[:argument][@subject=nth]`. The subject is the operation at which it happens (act when
not given); nth counts such operations from when the instruction was given, 1 being the next.

    drop-before            the connection is cut, the operation is not done
    drop-after             the operation is done, its answer is lost, the connection is cut
    close:CODE             the websocket closes with this code instead of doing the operation
    end                    the session is ended: push, close 4001
    takeover               somebody else takes the seat: push, close 4003
    refuse:CODE[/MS]       refused with this code, and a retryAfterMs
    stall:SECONDS          nothing happens for so long, then the operation is done
    late:SECONDS           the operation is done at once, the answer comes so late
    slow:SECONDS           the action takes this much of the world's time in addition
    replace-body           the player is in a new body (bodyGeneration + 1) before the operation
    flip[:SCENE]           after the answer the screen is another scene (dialog unless named)
    garbage                the answer is no JSON
    oversize               the answer is larger than 4 MiB
    mute                   the connection goes silent: it answers neither requests nor pings
    withhold:CAPABILITY    the join grants everything but this (subject join)
"""

import re
from collections.abc import Iterable
from typing import Literal, get_args

import msgspec

from bodies.practice.world.country import SCENE_NAMES
from bodies.practice.world.wire import RefusalCode

Kind = Literal[
    "drop-before",
    "drop-after",
    "close",
    "end",
    "takeover",
    "refuse",
    "stall",
    "late",
    "slow",
    "replace-body",
    "flip",
    "garbage",
    "oversize",
    "mute",
    "withhold",
]
Subject = Literal["act", "observe", "frame", "join", "session", "leave", "any"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SUBJECTS: tuple[Subject, ...] = get_args(Subject)
CODES: tuple[RefusalCode, ...] = get_args(RefusalCode)
_SUBJECT_OF: dict[str, Subject] = {
    "play.act": "act",
    "play.observe": "observe",
    "play.frame": "frame",
    "world.join": "join",
    "world.session": "session",
    "world.leave": "leave",
}
_ARGUMENT: dict[Kind, str] = {
    "close": r"1000|1001|1006|1008|1011|1012|4001|4003",
    "refuse": rf"(?:{'|'.join(CODES)})(?:/\d{{1,7}})?",
    "stall": r"\d{1,4}(?:\.\d{1,3})?",
    "late": r"\d{1,4}(?:\.\d{1,3})?",
    "slow": r"\d{1,4}(?:\.\d{1,3})?",
    "flip": rf"(?:{'|'.join(SCENE_NAMES)})?",
    "withhold": r"world\.[a-z_]+",
}
_SPEC = re.compile(
    r"(?P<kind>[a-z-]+)(?::(?P<argument>[^@]*))?(?:@(?P<subject>[a-z]+)=(?P<nth>\d{1,6}))?"
)


class Misdeed(msgspec.Struct, frozen=True):
    """One instruction; `nth` counts down as its subject is asked for."""

    kind: Kind
    argument: str = ""
    subject: Subject = "act"
    nth: int = 1


def parse(spec: str) -> Misdeed:
    """The instruction of one `--misbehave`. Raises ValueError that says what is wrong."""
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise ValueError(f"{spec!r} is not kind[:argument][@operation=n]")
    nth = int(match["nth"] or 1)
    return instruction(match["kind"], match["argument"] or "", match["subject"], nth)


def instruction(kind: str, argument: str, subject: str | None, nth: int) -> Misdeed:
    """A checked instruction. Raises ValueError that says what is wrong."""
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is not one of {', '.join(KINDS)}")
    checked_subject = subject or ("join" if kind == "withhold" else "act")
    if checked_subject not in SUBJECTS or nth < 1:
        raise ValueError(f"{subject}={nth}: the operation is one of {', '.join(SUBJECTS)}, from 1")
    pattern = _ARGUMENT.get(kind, "")
    if re.fullmatch(pattern, argument) is None:
        raise ValueError(f"{kind} takes {pattern or 'no argument'}, not {argument!r}")
    return Misdeed(kind, argument, checked_subject, nth)


class Mischief:
    """The instructions that wait for their moment."""

    def __init__(self, misdeeds: Iterable[Misdeed] = ()) -> None:
        self._waiting = list(misdeeds)

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, misdeed: Misdeed) -> None:
        self._waiting.append(misdeed)

    def due(self, operation: str) -> tuple[Misdeed, ...]:
        """What goes wrong at this operation; each instruction comes due once."""
        subject = _SUBJECT_OF.get(operation)
        due: list[Misdeed] = []
        waiting: list[Misdeed] = []
        for misdeed in self._waiting:
            if misdeed.subject not in ("any", subject):
                waiting.append(misdeed)
            elif misdeed.nth == 1:
                due.append(misdeed)
            else:
                waiting.append(msgspec.structs.replace(misdeed, nth=misdeed.nth - 1))
        self._waiting = waiting
        return tuple(due)
