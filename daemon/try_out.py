"""`playd try`: a seat played before your eyes, with nothing but this machine.

The practice world and the practice model are started on free loopback ports and end with this
process, whatever becomes of it; a practice motor belongs to its session. Everything else is the
real thing: supervisor, session process, journal.
"""

from __future__ import annotations

import math
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Literal, TypeAlias

import click
import trio

from config.addresses import SEAT_SCHEMES, AddressError, parse_address
from config.finding import ConfigError
from config.loading import load_settings
from config.settings import (
    Budget,
    MinecraftSeat,
    Model,
    PokemonSeat,
    Profile,
    Seat,
    Settings,
)
from daemon.control import wire
from daemon.control.peers import Caller
from daemon.innermost import innermost
from daemon.log_output import set_up_logging
from daemon.opening import open_supervisor
from daemon.playctl import show
from daemon.playctl.exits import Exit, Trouble, trouble_of_refusal
from daemon.playctl.watching import drawn
from daemon.programs import as_typed, search_path
from daemon.refusal import Refusal
from daemon.supervisor import Supervisor

SEAT = "try"
READY_SECONDS = 30.0
"""For a practice part to listen."""
_THE_MODELS = frozenset(("mind_failed", "invalid_decision"))
"""Outcomes of turns that were not played because of the model."""
Game: TypeAlias = Literal["firered", "emerald", "minecraft"]


@dataclass(frozen=True)
class Trial:
    """What is tried: the practice parts, unless a world or a model is named."""

    turns: int
    game: Game
    world: str | None = None
    """A world's address instead of the practice world."""
    model: str | None = None
    """A model of the configuration instead of the practice model."""
    configuration: Path | None = None


def try_out(trial: Trial) -> None:
    """Plays the trial and prints how it went. Raises Trouble when it could not be played."""
    if trial.game == "minecraft" and trial.world is not None:
        raise Trouble(Exit.USAGE, "--world is for the other games", "A motor joins its own world.")
    model = _named_model(trial)
    if trial.world is not None:
        _refuse_address(trial.world)
    folder = Path(tempfile.mkdtemp(prefix="playd-try-"))
    set_up_logging("error", os.environ)
    try:
        watched = trio.run(_play, trial, model, folder)
    except Exception as error:
        raise innermost(error) from None
    _report(watched)


def _named_model(trial: Trial) -> Model | None:
    if trial.configuration is None:
        if trial.model is None:
            return None
        raise Trouble(Exit.USAGE, "--model names a model of a configuration", "Add --config FILE.")
    try:
        models = load_settings(trial.configuration).models
    except ConfigError as error:
        raise Trouble(Exit.CONFIGURATION, f"{trial.configuration} has errors", str(error)) from None
    if trial.model is None:
        raise Trouble(Exit.USAGE, "--config is where --model is looked up", "Add --model NAME.")
    if trial.model not in models:
        known = ", ".join(models) or "none"
        raise Trouble(
            Exit.CONFIGURATION, f"{trial.configuration} has no model {trial.model}: {known}"
        )
    return models[trial.model]


def _refuse_address(world: str) -> None:
    try:
        address = parse_address(world, SEAT_SCHEMES)
    except AddressError as error:
        raise Trouble(Exit.USAGE, f"--world {world}: {error}") from None
    if address.exposed:
        raise Trouble(
            Exit.USAGE,
            f"--world {world} would send the credential in plain text to another host",
            "Use wss:// or tls://.",
        )


async def _play(trial: Trial, model: Model | None, folder: Path) -> _Watched:
    caller = Caller(uid=os.geteuid(), gid=os.getegid(), pid=os.getpid())
    async with AsyncExitStack() as parts:
        if model is None:
            address = await parts.enter_async_context(_practice("model", Exit.MODEL))
            model = Model(provider="openai", model="practice", base_url=address, local=True)
        seat = await _seat(trial, folder, parts)
        settings = Settings(models={"mind": model}, seats={SEAT: seat})
        supervisor = await parts.enter_async_context(open_supervisor(settings, folder / "state"))
        with drawn(live=sys.stdout.isatty()) as draw:
            watched = _Watched(draw)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_stop_when_asked, supervisor, caller)
                nursery.start_soon(supervisor.watch, caller, watched.take)
                nursery.start_soon(_stop_when_unseen, supervisor, caller, watched)
                try:
                    # Both bounded by the session's own limits, by the trial's turns and by Ctrl-C.
                    await supervisor.join(caller, SEAT, None, wire.BudgetChange(), math.inf)
                    await watched.over.wait()
                except Refusal as refusal:
                    if not watched.unseen.is_set():
                        raise trouble_of_refusal(refusal) from None
                nursery.cancel_scope.cancel()
        return watched


async def _seat(trial: Trial, folder: Path, parts: AsyncExitStack) -> Seat:
    budget = Budget(max_turns=trial.turns)
    if trial.game == "minecraft":
        return MinecraftSeat(
            model="mind",
            motor=(_practice_command(), "motor"),
            profile=Profile(id="practice", host="127.0.0.1", version="1.20.1", username="Try"),
            budget=budget,
            restart=frozenset(),
        )
    world = trial.world
    if world is None:
        state = ("--state", os.fspath(folder / "world"), "--game", trial.game)
        world = await parts.enter_async_context(_practice("world", Exit.WORLD, *state))
    credential = folder / "credential"
    credential.touch(mode=0o600)
    credential.write_text(secrets.token_hex(16))
    return PokemonSeat(
        model="mind",
        address=world,
        game=trial.game,
        display_name="Try",
        credential=f"file:{credential}",
        budget=budget,
        restart=frozenset(),
    )


@asynccontextmanager
async def _practice(part: str, exit: Exit, *arguments: str) -> AsyncGenerator[str]:
    """A practice part on a free port; gives its address. It ends with us: its stdin closes."""
    process = await trio.lowlevel.open_process(
        [_practice_command(), part, "--until-stdin-closes", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for us: the world must outlive the leave
    )
    assert process.stdout is not None
    try:
        ready = b""
        with trio.move_on_after(READY_SECONDS):
            while not ready.endswith(b"\n") and (chunk := await process.stdout.receive_some()):
                ready += bytes(chunk)
        if not ready.startswith(b"listening "):
            said = ready.decode(errors="replace").strip() or "it said nothing"
            raise Trouble(exit, f"the practice {part} did not start: {said}")
        yield ready.decode().split()[1].rstrip("/")
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()  # killed: it takes no time


def _practice_command() -> str:
    found = shutil.which("playd-practice", path=search_path(os.environ))
    if found is None:
        raise Trouble(Exit.WORLD, "playd-practice is not installed", "Install playd whole.")
    return found


async def _stop_when_asked(supervisor: Supervisor, caller: Caller) -> None:
    """The first Ctrl-C stops, a further one kills."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        now = False
        async with trio.open_nursery() as nursery:
            async for _ in signals:
                nursery.start_soon(_stop, supervisor, caller, now)
                now = True


async def _stop_when_unseen(supervisor: Supervisor, caller: Caller, watched: _Watched) -> None:
    await watched.unseen.wait()
    await _stop(supervisor, caller, now=False)


async def _stop(supervisor: Supervisor, caller: Caller, now: bool) -> None:
    try:
        await supervisor.stop(caller, SEAT, now)
    except Refusal:
        return  # it ended by itself in the meantime


class _Watched:
    """What was seen of the trial, drawn as it comes."""

    def __init__(self, draw: Callable[[wire.Event], None]) -> None:
        self.over = trio.Event()
        self.unseen = trio.Event()
        """Nothing can be drawn any more, for `why_unseen`."""
        self.why_unseen: Trouble | None = None
        self.session: wire.SessionView | None = None
        self.budget: wire.BudgetUsed | None = None
        self.played = False
        """Whether any turn was played."""
        self.model_trouble = ""
        """What was wrong with the model's latest turn that was not played."""
        self._draw = draw

    def take(self, event: wire.Event) -> None:
        """Draws the event, unless it is the end, which the report tells; sees when it is that."""
        try:
            if not _tells_the_end(event):
                self._draw(event)
        except Trouble as trouble:
            self.why_unseen = trouble
            self.unseen.set()
        match event:
            case wire.TurnEnded():
                self.budget = event.budget
                self.played |= event.card.outcome not in _THE_MODELS
                if event.card.outcome in _THE_MODELS:
                    self.model_trouble = event.card.effect or event.card.outcome
            case wire.SeatChanged(seat=seat) if seat.session is not None:
                self.session = seat.session
                if seat.session.state in ("stopped", "failed", "refused"):
                    self.over.set()
            case _:
                pass


def _tells_the_end(event: wire.Event) -> bool:
    return isinstance(event, wire.SeatChanged) and bool(event.seat.detail)


def _report(watched: _Watched) -> None:
    if watched.why_unseen is not None:
        raise watched.why_unseen
    session = watched.session
    assert session is not None
    outcome = session.outcome or session.state
    if session.outcome == "mind_unavailable":
        raise Trouble(Exit.MODEL, f"the model did not play: {session.reason}", _read(session))
    if session.outcome == "world_ended":
        turns = show.counted(session.turns_taken, "turn")
        raise Trouble(
            Exit.WORLD, f"the world ended after {turns}: {session.reason}", _read(session)
        )
    if session.state != "stopped":
        raise Trouble(Exit.BAD, f"the session {outcome}: {session.reason}", _read(session))
    click.echo(
        f"{show.counted(session.turns_taken, 'turn')}, {outcome.replace('_', ' ')}; "
        f"tokens {show.used_tokens(watched.budget)}, cost {show.used_cost(watched.budget)}"
    )
    if watched.model_trouble and not watched.played:
        why = watched.model_trouble.replace("_", " ")
        raise Trouble(Exit.MODEL, f"the model played no turn; the last: {why}", _read(session))
    click.echo(_read(session))


def _read(session: wire.SessionView) -> str:
    if session.journal is None:
        return ""
    return f"Read it: {as_typed('playctl')} journal show {quote(session.journal)}"
