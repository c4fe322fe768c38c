"""The tools: their names, what they are for, what they take, and the motor's function for each."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from bodies.practice.motor import motor as motors
from bodies.practice.motor.misbehaviour import ToolName
from bodies.practice.motor.motor import Declined, Motor
from bodies.practice.motor.wire import (
    ActionRequest,
    ActRequest,
    Answer,
    JoinRequest,
    PollRequest,
    Request,
    SessionRequest,
    StatusRequest,
)

Arguments = Mapping[str, Any]
_Asked = TypeVar("_Asked", bound=Request)


class Tool(Struct, frozen=True):
    request: type[Request]
    description: str


TOOLS: dict[ToolName, Tool] = {
    "join": Tool(JoinRequest, "Connect the bot. Nothing else does."),
    "status": Tool(StatusRequest, "The connection's session, phase and termination."),
    "observe": Tool(SessionRequest, "What the bot knows of itself and around it, with sources."),
    "act": Tool(ActRequest, "Begin an action; answers at once with a running status."),
    "action_status": Tool(ActionRequest, "How an action stands, and the evidence for it."),
    "cancel_action": Tool(ActionRequest, "Ask for the end of an action."),
    "pause": Tool(SessionRequest, "Hold still; an action under way is interrupted."),
    "resume": Tool(SessionRequest, "Go on after a pause."),
    "leave": Tool(SessionRequest, "Disconnect the bot; over when the termination is confirmed."),
    "poll_events": Tool(PollRequest, "What happened after a sequence, oldest first."),
    "viewer_status": Tool(SessionRequest, "Whether there is a picture to look at."),
}


def input_schema(tool: Tool) -> dict[str, Any]:
    """The tool's arguments as a JSON schema whose top is an object."""
    (top,), parts = msgspec.json.schema_components([tool.request], ref_template="#/$defs/{name}")
    own = parts.pop(str(top["$ref"]).rpartition("/")[2])
    return {**own, "$defs": parts} if parts else own


def perform(motor: Motor, tool: str, arguments: Arguments) -> tuple[Motor, Answer]:
    """The motor that follows, and its answer. Raises Declined."""
    match tool:
        case "join":
            return motors.join(motor, _asked(arguments, JoinRequest))
        case "status":
            _asked(arguments, StatusRequest)
            return motor, motors.status(motor)
        case "observe":
            return motor, motors.observe(motor, _asked(arguments, SessionRequest))
        case "act":
            return motors.act(motor, _asked(arguments, ActRequest))
        case "action_status":
            return motor, motors.action_status(motor, _asked(arguments, ActionRequest))
        case "cancel_action":
            return motors.cancel_action(motor, _asked(arguments, ActionRequest))
        case "pause":
            return motors.pause(motor, _asked(arguments, SessionRequest))
        case "resume":
            return motors.resume(motor, _asked(arguments, SessionRequest))
        case "leave":
            return motors.leave(motor, _asked(arguments, SessionRequest))
        case "poll_events":
            return motor, motors.poll_events(motor, _asked(arguments, PollRequest))
        case "viewer_status":
            return motor, motors.viewer_status(motor, _asked(arguments, SessionRequest))
        case _:
            raise Declined("unknown_tool", f"There is no tool {tool!r}.")


def _asked(arguments: Arguments, request: type[_Asked]) -> _Asked:
    try:
        return msgspec.convert(arguments, type=request)
    except msgspec.ValidationError as error:
        raise Declined("invalid_input", str(error)) from None
