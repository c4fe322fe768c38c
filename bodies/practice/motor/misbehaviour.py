"""Misbehaviour on request: what a motor can do wrong, and when.

Grammar: `kind[:argument][@tool=nth]`. nth counts calls of that tool, 1 being the next; `any` counts
all of them. Without a tool it happens at the kind's own, which stands in brackets.

    die[:SECONDS]          answers, and is dead so much later, 0.3 s unless given [act]
    die-before             is dead before it answers [act]
    hang                   neither does it nor answers, ever [leave]
    stuck[:CODE]           the leave never ends; or ends uncertain: timeout, connection_lost,
                           adapter_lost [leave]
    late:SECONDS           done at once, answered so late [act]
    stdout[:TEXT]          a line on standard output that is none of the protocol's [act]
    flood[:COUNT]          so many chat events at once, 1000 unless given [poll_events]
    break[:CODE]           the line to the server breaks; with a code its end is uncertain [act]
    reconnect              the line breaks and is back as the next generation [act]
    other-action           the status is about another action [act]
    other-session          the answer is from another session [act]
    other-generation       the answer is from the next generation [act]
    contradict:HOW         evidence against itself: verified, refuted, time, empty; or a phase
                           against its termination: phase [action_status; status]
    unproven               completed at once, by the motor's own word alone [action_status]
    alternate              from now on every other call is answered `not_connected` [status]
    start-error[:TEXT]     an error in plain words, such as a wrong version [join]
    false-success[:TEXT]   a failure inside an answer that claims success [act]
    garbage                the answer's text is cut JSON, with nothing structured beside it [act]
    linger                 ignores SIGTERM from now on and outlives the end of its input [join]
    grandchild[:own]       leaves a process that holds its pipes; `own`: in a session of its own
                           [join]
"""

import re
from collections.abc import Iterable
from typing import Literal, cast, get_args

from msgspec import Struct
from msgspec.structs import replace

Kind = Literal[
    "die",
    "die-before",
    "hang",
    "stuck",
    "late",
    "stdout",
    "flood",
    "break",
    "reconnect",
    "other-action",
    "other-session",
    "other-generation",
    "contradict",
    "unproven",
    "alternate",
    "start-error",
    "false-success",
    "garbage",
    "linger",
    "grandchild",
]
ToolName = Literal[
    "join",
    "status",
    "observe",
    "act",
    "action_status",
    "cancel_action",
    "pause",
    "resume",
    "leave",
    "poll_events",
    "viewer_status",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
TOOL_NAMES: tuple[ToolName, ...] = get_args(ToolName)
_OWN_TOOL: dict[Kind, ToolName] = {
    "hang": "leave",
    "stuck": "leave",
    "flood": "poll_events",
    "contradict": "action_status",
    "unproven": "action_status",
    "alternate": "status",
    "start-error": "join",
    "linger": "join",
    "grandchild": "join",
}
_CODE = r"(?:timeout|connection_lost|adapter_lost)?"
_SECONDS = r"\d{1,4}(?:\.\d{1,3})?"
_ARGUMENT: dict[Kind, str] = {
    "die": rf"(?:{_SECONDS})?",
    "stuck": _CODE,
    "break": _CODE,
    "late": _SECONDS,
    "stdout": r"[^\n]{0,200}",
    "flood": r"\d{0,5}",
    "contradict": r"verified|refuted|time|empty|phase",
    "start-error": r"[^\n]{0,200}",
    "false-success": r"[^\n]{0,200}",
    "grandchild": r"(?:own)?",
}
_SPEC = re.compile(
    r"(?P<kind>[a-z-]+)(?::(?P<argument>[^@]*))?(?:@(?P<tool>[a-z_]+)=(?P<nth>\d{1,6}))?"
)


class Misdeed(Struct, frozen=True):
    """One instruction; `nth` counts down as its tool is called."""

    kind: Kind
    argument: str = ""
    tool: ToolName | Literal["any"] = "act"
    nth: int = 1


def parse(spec: str) -> Misdeed:
    """The instruction of one `--misbehave`. Raises ValueError that says what is wrong."""
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise ValueError(f"{spec!r} is not kind[:argument][@tool=n]")
    if match["kind"] not in KINDS:
        raise ValueError(f"{match['kind']!r} is not one of {', '.join(KINDS)}")
    kind = cast(Kind, match["kind"])
    argument = match["argument"] or ""
    pattern = _ARGUMENT.get(kind, "")
    if re.fullmatch(pattern, argument) is None:
        raise ValueError(f"{kind} takes {pattern or 'no argument'}, not {argument!r}")
    own = "status" if argument == "phase" else _OWN_TOOL.get(kind, "act")
    tool, nth = match["tool"] or own, int(match["nth"] or 1)
    if tool not in (*TOOL_NAMES, "any") or nth < 1:
        raise ValueError(f"{tool}={nth}: the tool is one of {', '.join(TOOL_NAMES)}, any, from 1")
    return Misdeed(kind, argument, cast(ToolName, tool), nth)


class Mischief:
    """The instructions that wait for their moment."""

    def __init__(self, misdeeds: Iterable[Misdeed] = ()) -> None:
        self._waiting = tuple(misdeeds)

    def due(self, tool: str) -> tuple[Misdeed, ...]:
        """What goes wrong at this call; each instruction comes due once."""
        concerned = [each for each in self._waiting if each.tool in ("any", tool)]
        self._waiting = (
            *(each for each in self._waiting if each not in concerned),
            *(replace(each, nth=each.nth - 1) for each in concerned if each.nth > 1),
        )
        return tuple(each for each in concerned if each.nth == 1)
