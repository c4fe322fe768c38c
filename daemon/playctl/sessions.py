"""Commands about sessions: sessions, join, stop, pause, resume, budget, observe, recall."""

from __future__ import annotations

from typing import TypeVar

import click
import msgspec
from msgspec import UNSET, UnsetType

from daemon.control import wire
from daemon.playctl import show
from daemon.playctl.client import ENDING, QUICK
from daemon.playctl.exits import Exit, Trouble
from daemon.playctl.invocation import Invocation, as_json, pass_invocation, seat_argument

N = TypeVar("N", int, float)


@click.command()
@seat_argument(required=False)
@click.option("--all", "all_of_them", is_flag=True, help="The ended ones too.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 500))
@as_json
@pass_invocation
def sessions(
    invocation: Invocation, seat: str | None, all_of_them: bool, limit: int, as_json: bool
) -> None:
    """List live sessions, newest first."""
    found = invocation.ask(
        "sessions",
        wire.SessionsParams(seat=seat, all=all_of_them, limit=limit),
        wire.SessionsResult,
    )
    if as_json:
        show.document(found)
        return
    show.table(
        ("SESSION", "SEAT", "GEN>", "STATE", "OUTCOME", "TURNS>", "BEGAN", "REASON"),
        [
            (
                session.session_id,
                session.seat,
                str(session.generation),
                "stale" if session.stale else session.state,
                session.outcome or "-",
                f"{session.turns_taken:,}",
                session.began_at,
                show.one_line(session.reason),
            )
            for session in found.sessions
        ],
        "No sessions." if all_of_them else "Nobody plays. Ended sessions: playctl sessions --all",
    )
    if found.more:
        show.tell(f"There are more: {'' if seat else 'name a seat, or '}raise --limit.")


@click.command()
@seat_argument()
@click.option("--room", help="The conversation that this sitting belongs to.")
@click.option("--tokens", type=click.IntRange(0), help="Ceiling of this sitting, in tokens.")
@click.option("--dollars", type=click.FloatRange(0), help="Ceiling of this sitting, estimated.")
@click.option("--max-turns", type=click.IntRange(0), help="End after so many turns.")
@click.option("--max-duration", type=click.FloatRange(0), help="End after so many seconds.")
@as_json
@pass_invocation
def join(
    invocation: Invocation,
    seat: str,
    room: str | None,
    tokens: int | None,
    dollars: float | None,
    max_turns: int | None,
    max_duration: float | None,
    as_json: bool,
) -> None:
    """Start playing in a seat.

    Waits up to 12 seconds for the session to play. `pending` means that it is on its way: follow
    it with `playctl watch SEAT`.

    \b
    Examples:
      playctl join red
      playctl join red --max-turns 50 --dollars 0.25
    """
    budget = wire.BudgetChange(
        tokens=_given(tokens),
        dollars=_given(dollars),
        max_turns=_given(max_turns),
        max_duration=_given(max_duration),
    )
    done = invocation.ask(
        "join",
        wire.JoinParams(seat=seat, room=room, budget=budget),
        wire.JoinResult,
        wire.JOIN_WAIT_SECONDS + ENDING,
    )
    if as_json:
        show.document(done)
    elif done.state == "running":
        show.tell(f"{done.seat} plays (session {done.session_id}). playctl watch {done.seat}")
    else:
        show.tell(f"{done.seat} is on its way. {done.detail} playctl watch {done.seat}")


@click.command()
@seat_argument()
@click.option("--now", is_flag=True, help="End it at once; the leave may stay unconfirmed.")
@as_json
@pass_invocation
def stop(invocation: Invocation, seat: str, now: bool, as_json: bool) -> None:
    """Stop a seat: nothing new begins from this moment on.

    The session leaves the world, writes its summary and ends, 15 seconds at the latest unless the
    configuration says otherwise. A pending restart is cancelled.
    """
    done = invocation.ask("stop", wire.StopParams(seat=seat, now=now), wire.StopResult, ENDING)
    if as_json:
        show.document(done)
    elif done.session_id is None:
        show.tell(f"{done.seat}: the pending restart is cancelled.")
    else:
        turns = show.counted(done.turns_taken, "turn")
        show.tell(
            f"{done.seat}: {done.outcome or done.state} after {turns}, "
            f"leave {(done.leave or 'unknown').replace('_', ' ')}. {done.detail}"
        )
    if done.survivors:
        pids = ", ".join(map(str, done.survivors))
        raise Trouble(
            Exit.BAD, f"processes of {seat} could not be ended: {pids}", "End them by hand."
        )


@click.command()
@seat_argument()
@as_json
@pass_invocation
def pause(invocation: Invocation, seat: str, as_json: bool) -> None:
    """Let the turn in progress end and start none.

    The seat stays taken and durations run on. `playctl resume SEAT` goes on.
    """
    done = invocation.ask("pause", wire.PauseParams(seat=seat), wire.PauseResult)
    if as_json:
        show.document(done)
    else:
        show.tell(f"{done.seat} pauses after its turn. To go on: playctl resume {done.seat}")


@click.command()
@seat_argument()
@as_json
@pass_invocation
def resume(invocation: Invocation, seat: str, as_json: bool) -> None:
    """Let turns start again after a pause."""
    done = invocation.ask("resume", wire.ResumeParams(seat=seat), wire.PauseResult)
    if as_json:
        show.document(done)
    else:
        show.tell(f"{done.seat} plays on.")


class _Ceiling(click.ParamType[float | UnsetType | None]):
    """A number of 0 or more, or `none` for no ceiling."""

    name = "number|none"

    def convert(
        self,
        value: object,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float | UnsetType | None:
        if isinstance(value, UnsetType):
            return UNSET
        if value == "none":
            return None
        try:
            number = float(str(value))
        except ValueError:
            number = -1.0
        if not 0 <= number < float("inf"):
            self.fail(f"{value!r} is neither a number of 0 or more nor `none`", param, ctx)
        return number


@click.command()
@seat_argument()
@click.option("--tokens", type=_Ceiling(), default=UNSET, help="Charged tokens.")
@click.option("--dollars", type=_Ceiling(), default=UNSET, help="Estimated cost.")
@click.option("--max-turns", type=_Ceiling(), default=UNSET, help="Turns of the sitting.")
@click.option("--max-duration", type=_Ceiling(), default=UNSET, help="Seconds of the sitting.")
@click.option("--default", is_flag=True, help="Of the seat's later sittings, not of this one.")
@click.option("--reset", is_flag=True, help="With --default: as the configuration says again.")
@as_json
@pass_invocation
def budget(
    invocation: Invocation,
    seat: str,
    tokens: float | UnsetType | None,
    dollars: float | UnsetType | None,
    max_turns: float | UnsetType | None,
    max_duration: float | UnsetType | None,
    default: bool,
    reset: bool,
    as_json: bool,
) -> None:
    """Show the ceilings of a seat, or change those that are given.

    A change applies between model calls, to the running sitting too. `none` removes a ceiling;
    0 is a ceiling.

    \b
    Examples:
      playctl budget red
      playctl budget red --tokens 500000
      playctl budget red --dollars none --default
      playctl budget red --default --reset
    """
    if reset and not default:
        raise click.UsageError("--reset is about the seat's later sittings: add --default")
    change = wire.BudgetChange(
        tokens=_whole(tokens),
        dollars=dollars,
        max_turns=_whole(max_turns),
        max_duration=max_duration,
    )
    done = invocation.ask(
        "budget",
        wire.BudgetParams(seat=seat, change=change, default=default, reset=reset),
        wire.BudgetResult,
    )
    if as_json:
        show.document(done)
        return
    ceiling, used = done.ceiling, done.used
    elapsed = "-" if done.elapsed is None else f"{done.elapsed:,.0f}"
    rows: tuple[tuple[wire.CeilingName, str, str, float | None], ...] = (
        ("tokens", "tokens", f"{used.tokens:,}" if used else "-", ceiling.tokens),
        ("dollars", "dollars (estimate)", show.used_cost(used).split(" /")[0], ceiling.dollars),
        ("max_turns", "turns", _number(done.turns_taken, "-"), ceiling.max_turns),
        ("max_duration", "seconds", elapsed, ceiling.max_duration),
    )
    if done.default:
        show.table(
            ("CEILING OF LATER SITTINGS", "OF>", "SET BY"),
            [
                (label, _number(limit), "--default" if name in done.overridden else "the file")
                for name, label, _, limit in rows
            ],
            "",
        )
    else:
        show.table(
            ("CEILING", "USED>", "OF>"),
            [(label, spent, _number(limit)) for _, label, spent, limit in rows],
            "",
        )


@click.command()
@seat_argument()
@as_json
@pass_invocation
def observe(invocation: Invocation, seat: str, as_json: bool) -> None:
    """Show what a playing seat saw and did last; settles a `stale` one."""
    done = invocation.ask("observe", wire.ObserveParams(seat=seat), wire.ObserveResult, ENDING)
    if as_json:
        show.document(done)
        return
    session = done.session
    if done.detail:
        show.tell(f"{done.seat}: {session.outcome or session.state}. {done.detail}")
        return
    card = session.card
    state = f"{session.state}{', paused' if session.paused else ''}"
    show.tell(f"{done.seat}: {state}, {session.phase or 'between turns'}")
    if card is None:
        show.tell("No turn has ended yet.")
        return
    if card.picture:
        show.tell(card.picture)
    for label, value in (
        ("scene", card.scene),
        ("thought", card.thought),
        ("intent", card.intent),
        ("objective", card.objective),
        ("action", card.action),
        ("effect", card.effect),
        ("said", card.spoken),
    ):
        if value:
            show.tell(f"{label:>10}  {show.one_line(value, 600)}")
    show.tell(f"{'turn':>10}  {card.turn}, {card.outcome}")
    show.tell(f"{'tokens':>10}  {show.used_tokens(session.budget)}")


@click.command()
@seat_argument()
@as_json
@pass_invocation
def recall(invocation: Invocation, seat: str, as_json: bool) -> None:
    """Tell the story so far of a seat's journey, over all its runs.

    Its moments are the last 12 turns at which the player wanted to say something: what happened
    there, and what it was after.
    """
    done = invocation.ask("recall", wire.RecallParams(seat=seat), wire.RecallResult, 6 * QUICK)
    if as_json:
        show.document(done)
    else:
        from kernel.journal.story import Story, tell_story

        show.tell(tell_story(msgspec.json.decode(done.story, type=Story)))


def _given(value: N | None) -> N | UnsetType:
    return UNSET if value is None else value


def _whole(value: float | UnsetType | None) -> int | UnsetType | None:
    return int(value) if isinstance(value, float) else value


def _number(value: float | None, unset: str = "none") -> str:
    return unset if value is None else f"{value:,.15g}"
