"""A motor that does as its script says: raw lines, no library, so that it can misbehave at will.

Run as a program it speaks MCP on stdin and stdout; its one argument is the script as JSON: for each
tool a list of steps, used up one call at a time; a call without a step gets the honest answer.

    {"error": "text"}      isError with this text
    {"text": "text"}       this text, called a success
    {"twist": {"a.b": 1}}  the honest answer with fields changed
    {"become": {"a": 1}}   the bot's phase or facts are these from now on
    {"reconnect": true}    the connection is the next generation from now on
    {"hang": true}         done, and no answer
    {"late": 2.0}          the honest answer after so many seconds
    {"print": "text"}      this line on stdout before the honest answer
    {"raw": "path"}        done, and this file's bytes as the answer, the id apart
    {"exit": 3}            the end of the process
    {"loop": true, ...}    this step again for every further call

Beside tools: "crowd" is how many long chat lines stand before the facts; "looks" is how many looks
a walk takes; "children" starts a grandchild and writes its pid to that file; "stdin": "ignore"
outlives its stdin; "deaf" also ignores SIGTERM. A second argument "http" serves the same over HTTP
and prints the port.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

TOOLS = (
    *("join", "status", "observe", "act", "action_status", "cancel_action"),
    *("pause", "resume", "leave", "poll_events", "viewer_status"),
)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class ScriptedMotor:
    """The state of one honest bot, and the script that bends its answers."""

    def __init__(self, script: dict[str, Any] | None = None) -> None:
        self.script = script or {}
        self.session: dict[str, Any] | None = None
        self.phase: str | None = None
        self.termination: dict[str, Any] | None = None
        self.facts: list[dict[str, Any]] = [
            {"kind": "position", "player": "Alex", "position": {"x": 0.5, "y": 64, "z": 0.5}},
            {"kind": "position", "player": "Kim", "position": {"x": 4.5, "y": 64, "z": 0.5}},
            {"kind": "health", "player": "Alex", "health": 20, "food": 18},
            {"kind": "inventory", "item": "oak_log", "count": 3},
            {"kind": "block", "position": {"x": 1, "y": 63, "z": 0}, "block": "grass_block"},
        ]
        said = {"kind": "chat", "player": "Kim", "text": "\N{PARTY POPPER}" * 256}
        self.facts = [said] * self.script.get("crowd", 0) + self.facts
        self.events: list[dict[str, Any]] = list(self.script.get("events", []))
        self.actions: dict[str, dict[str, Any]] = {}
        self.looks: dict[str, int] = {}
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def step(self, tool: str) -> dict[str, Any]:
        steps = self.script.get(tool, [])
        if not steps:
            return {}
        return steps[0] if steps[0].get("loop") else steps.pop(0)

    def honest(self, tool: str, given: dict[str, Any]) -> dict[str, Any]:
        return getattr(self, f"do_{tool}")(given)

    def status(self) -> dict[str, Any]:
        return {
            "session": self.session, "phase": self.phase, "termination": self.termination,
            "detail": self.script.get("detail"),
        }  # fmt: skip

    def do_join(self, given: dict[str, Any]) -> dict[str, Any]:
        self.session, self.phase = given["session"], "active"
        self.termination = {"kind": "not_requested"}
        return self.status()

    def do_status(self, given: dict[str, Any]) -> dict[str, Any]:
        return self.status()

    def do_leave(self, given: dict[str, Any]) -> dict[str, Any]:
        if self.session is None:
            return self.status()
        self.phase = "disconnected"
        confirmed = {"kind": "confirmed", "confirmedAt": now(), "source": "connection_end"}
        self.termination = confirmed
        return self.status()

    def do_observe(self, given: dict[str, Any]) -> dict[str, Any]:
        at = now()
        facts = [{"source": "server_packet", "observedAt": at, "fact": f} for f in self.facts]
        return {"session": self.session, "observedAt": at, "facts": facts}

    def do_act(self, given: dict[str, Any]) -> dict[str, Any]:
        id, action = given["actionId"], given["action"]
        self.actions[id] = {
            "session": self.session, "actionId": id, "requested": action, "state": "running",
            "requestedAt": now(), "updatedAt": now(),
            "evidence": {"kind": "unknown", "reason": "not_observed"},
        }  # fmt: skip
        self.looks[id] = self.script.get("looks", 0)
        return dict(self.actions[id])

    def do_action_status(self, given: dict[str, Any]) -> dict[str, Any]:
        id = given["actionId"]
        if self.looks[id] <= 0 and self.actions[id]["state"] == "running":
            self.settle(id, "completed")
        self.looks[id] -= 1
        return dict(self.actions[id])

    def do_cancel_action(self, given: dict[str, Any]) -> dict[str, Any]:
        status = self.actions[given["actionId"]]
        if status["state"] == "running":
            status |= {"state": "cancelled", "updatedAt": now()}
            status["evidence"] = {"kind": "unknown", "reason": "interrupted"}
        return dict(status)

    def do_poll_events(self, given: dict[str, Any]) -> dict[str, Any]:
        after = given.get("afterSequence", -1)
        fresh = [e for e in self.events if e["sequence"] > after][: given["limit"]]
        latest = self.events[-1]["sequence"] if self.events else 0
        return {"events": fresh, "latestSequence": latest}

    def settle(self, id: str, state: str) -> None:
        status = self.actions[id]
        action, at = status["requested"], now()
        if action["kind"] == "chat":
            checks = [{"kind": "chat", "player": "Alex", "expected": action["text"],
                       "observed": action["text"]}]  # fmt: skip
        else:
            checks = [{"kind": "inventory", "item": "oak_planks", "expected": 4, "observed": 4}]
            self.facts.append({"kind": "inventory", "item": "oak_planks", "count": 4})
        evidence = {"kind": "verified", "source": "server_observer", "observedAt": at,
                    "checks": checks}  # fmt: skip
        status |= {"state": state, "updatedAt": at, "evidence": evidence}

    def result(self, tool: str, given: dict[str, Any], step: dict[str, Any]) -> dict[str, Any]:
        """What the tool call gives, `hang`, `late` and `exit` aside."""
        self.calls.append((tool, given))
        if "error" in step:
            return {"content": [{"type": "text", "text": step["error"]}], "isError": True}
        if "text" in step:
            return {"content": [{"type": "text", "text": step["text"]}], "isError": False}
        for name, value in step.get("become", {}).items():
            setattr(self, name, value)
        if "reconnect" in step and self.session is not None:
            generation = self.session["connectionGeneration"] + 1
            self.session = {**self.session, "connectionGeneration": generation}
        answer = self.honest(tool, given)
        for path, value in step.get("twist", {}).items():
            place: Any = answer
            *way, last = path.split(".")
            for name in way:
                place[name] = dict(place[name]) if isinstance(place[name], dict) else place[name]
                place = place[name]
            place[last] = value
        text = json.dumps(answer)
        return {"content": [{"type": "text", "text": text}], "structuredContent": answer}


def serve(motor: ScriptedMotor, lines: Iterable[str], write: Callable[[str], None]) -> None:
    def say(message: dict[str, Any]) -> None:
        write(json.dumps({"jsonrpc": "2.0", **message}))

    for line in lines:
        request = json.loads(line)
        method, id = request.get("method"), request.get("id")
        if id is None:
            continue
        if method == "initialize":
            version = request["params"]["protocolVersion"]
            info = {"name": "scripted", "version": "1"}
            say({"id": id, "result": {"protocolVersion": version, "serverInfo": info,
                                      "capabilities": {"tools": {}}}})  # fmt: skip
        elif method == "tools/list":
            names = motor.script.get("tools", TOOLS)
            tools = [{"name": n, "inputSchema": {"type": "object"}} for n in names]
            say({"id": id, "result": {"tools": tools}})
        elif method == "tools/call":
            tool, given = request["params"]["name"], request["params"].get("arguments") or {}
            step = motor.step(tool)
            if "exit" in step:
                sys.exit(step["exit"])
            if "print" in step:
                print(step["print"], flush=True)
            if "late" in step:
                time.sleep(step["late"])
            if "raw" in step:
                motor.honest(tool, given)
                with open(step["raw"], "rb") as file:  # noqa: PTH123
                    said = file.read().replace(b'"id":0', b'"id":%d' % id, 1)
                sys.stdout.buffer.write(said + b"\n")
                sys.stdout.buffer.flush()
                continue
            result = motor.result(tool, given, step)
            if "hang" not in step:
                say({"id": id, "result": result})
        else:
            say({"id": id, "error": {"code": -32601, "message": "no such method"}})


def serve_http(motor: ScriptedMotor) -> None:
    # Imported here: it takes longer than all the rest, and few tests need it.
    from http.server import BaseHTTPRequestHandler, HTTPServer

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            said: list[str] = []
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            serve(motor, [body], said.append)
            self.send_response(200 if said else 202)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len("".join(said).encode())))
            self.end_headers()
            self.wfile.write("".join(said).encode())

        def do_GET(self) -> None:
            self.send_response(405)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


def main() -> None:
    script = json.loads(sys.argv[1])
    if "says" in script:
        print(script["says"], file=sys.stderr, flush=True)
        sys.exit(script.get("status", 1))
    if script.get("stdin") == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "children" in script:
        import subprocess

        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        with open(script["children"], "w") as file:  # noqa: PTH123
            file.write(str(child.pid))
    if sys.argv[2:] == ["http"]:
        serve_http(ScriptedMotor(script))
    serve(ScriptedMotor(script), sys.stdin, lambda line: print(line, flush=True))
    if script.get("stdin"):
        time.sleep(1000)


if __name__ == "__main__":
    main()
