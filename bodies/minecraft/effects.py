"""What an action did, by its evidence: verified, refuted or unknown; and that in words."""

from __future__ import annotations

from typing import Literal

from bodies.minecraft import wire
from bodies.minecraft.acting import Done
from bodies.minecraft.actions import place
from bodies.minecraft.consistency import agrees
from bodies.minecraft.observation import point
from kernel.body import Effect

TEXT = 200
CHECKS_TOLD = 3

What = Literal["verified", "refuted", "unknown"]

_UNKNOWN: dict[wire.WhyUnknown, str] = {
    "not_observed": "nobody saw what came of it",
    "local_report_only": "only the bot itself says so",
    "optimistic_cache": "only the bot's own expectation says so",
    "stale_observation": "what was seen is too old",
    "interrupted": "it was interrupted",
    "connection_lost": "the connection was lost",
}


class MinecraftEffect(Effect, frozen=True):
    """An effect with its kind; `whole` is its text uncut, for the trail."""

    what: What = "unknown"
    whole: str = ""


def effect_of(done: Done) -> MinecraftEffect:
    """What this action did. A motor's word that it is completed is no proof (K24)."""
    if done.failure is not None or done.status is None:
        return _effect("unknown", f"failed: {done.failure or 'no status'}", None)
    status = done.status
    match status.evidence:
        case wire.Verified(checks=checks):
            return _effect("verified", f"verified: {_told(checks, agreeing=True)}", None)
        case wire.Refuted(checks=checks):
            failing = tuple(check for check in checks if not agrees(check))
            advice = "it did not happen as wanted; look at what is there before you try again"
            return _effect("refuted", f"refuted: {_told(failing, agreeing=False)}", advice)
        case wire.Unknown(reason=reason):
            ended = status.state.replace("_", " ")
            advice = "look for yourself whether it happened"
            return _effect("unknown", f"not known ({ended}): {_UNKNOWN[reason]}", advice)


def _effect(what: What, whole: str, advice: str | None) -> MinecraftEffect:
    text = whole if len(whole) <= TEXT else whole[: TEXT - 1] + "…"
    return MinecraftEffect(
        text=text, advice=advice, stands=what != "refuted", what=what, whole=whole
    )


def _told(checks: tuple[wire.Check, ...], *, agreeing: bool) -> str:
    lines = [_check(check, agreeing=agreeing) for check in checks[:CHECKS_TOLD]]
    if len(checks) > CHECKS_TOLD:
        lines.append(f"and {len(checks) - CHECKS_TOLD} more")
    return "; ".join(lines)


def _check(check: wire.Check, *, agreeing: bool) -> str:
    match check:
        case wire.BlockCheck(position, expected, observed):
            there = f"{expected if agreeing else observed or 'nothing seen'} at {place(position)}"
            return there if agreeing else f"{there} instead of {expected}"
        case wire.InventoryCheck(item, expected, observed):
            carried = f"carries {observed if observed is not None else '?'} {item}"
            return carried if agreeing else f"{carried} instead of {expected}"
        case wire.PositionCheck(player, expected, observed):
            stands = f"{player} is at {point(observed) if observed else '?'}"
            return stands if agreeing else f"{stands} instead of {point(expected)}"
        case wire.ChatCheck(player, expected, observed):
            if agreeing:
                return f'{player} was heard to say "{expected}"'
            return f'"{expected}" was not heard from {player}'
