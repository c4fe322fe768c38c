"""The verdicts on a turn that are the game's own: words, scenes, tiles."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from bodies.pokemon.actions import DIRECTIONS
from bodies.pokemon.intent_words import RecordedAction, names_action
from bodies.pokemon.recorded_evidence import (
    RecordedEvidence,
    Scene,
    evidence_of,
    position_in,
    scene_in,
)
from kernel.journal.evaluation.verdicts import (
    Alignment,
    Appropriateness,
    Effectiveness,
    Judgement,
    Movement,
    Position,
    Target,
    milliseconds,
)
from kernel.journal.recorded import RecordedTurn


def judge(turn: RecordedTurn) -> Judgement:
    """The verdicts on one turn. Raises JournalDamaged."""
    action = _action_of(turn)
    evidence = evidence_of(turn) or RecordedEvidence()
    shown = evidence.decision
    timing, signals, progress = evidence.timing, evidence.signals, evidence.progress_before
    start = position_in(turn, evidence.immediate_pre_action, "immediatePreAction")
    end = position_in(turn, evidence.post_action, "postAction")
    last = end or start or position_in(turn, shown, "decision")
    return Judgement(
        intent_to_action=_alignment(turn.turn.intent, action, otherwise="misaligned"),
        goal_to_action=_alignment(turn.turn.objective, action, otherwise="unknown"),
        scene_action=scene_action(scene_in(turn, shown, "decision"), action),
        movement=_movement(turn, action, start, end),
        decision_ms=milliseconds(timing.decision_started_at, timing.decision_settled_at)
        if timing
        else None,
        action_ms=milliseconds(timing.action_started_at, timing.action_settled_at)
        if timing
        else None,
        stalled=signals is not None and signals.stalled_for_turns is not None,
        turns_since_new_tile=(progress.turns_since_new_tile if progress else None) or 0,
        repeated_turns=(signals.repeating_for_turns if signals else None) or 0,
        recurring_turns=(signals.recurring_for_turns if signals else None) or 0,
        action_kind=action.kind if action else None,
        action=described_as_recorded(turn, action) if action else "",
        place=last.map_id if last else None,
    )


def scene_action(scene: Scene | None, action: RecordedAction | None) -> Appropriateness:
    """Whether the action fits the scene that the player decided in."""
    if scene is None or scene.mode is None or action is None:
        return "unknown"
    ready = scene.input_ready
    match action.kind:
        case "walk_to":
            fits = ready if scene.mode == "overworld" else False
        case "enter_text":
            fits = scene.mode == "naming"
        case "select_menu_entry":
            fits = scene.mode == "menu"
        case "advance_dialog":
            opened = scene.mode in ("dialog", "battle") or scene.waiting_for_dialog_advance
            fits = opened or (None if ready is None else not ready)
        case _:
            blind = action.kind in ("button_press", "frame_advance")
            fits = blind if scene.mode == "unknown" else None
    if fits is None:
        return "unknown"
    return "appropriate" if fits else "inappropriate"


def described_as_recorded(turn: RecordedTurn, action: RecordedAction) -> str:
    """The action in a few words for people. Raises JournalDamaged."""
    match action.kind:
        case "button_press":
            press = turn.decode(_press, turn.turn.action, "turn.action")
            often = f" ×{press.repeat}" if press.repeat and press.repeat > 1 else ""
            return f"press {(action.button or '?').upper()}{often}"
        case "walk_to":
            target = turn.decode(_target, turn.turn.action, "turn.action")
            return f"walk to {target.x},{target.y}"
        case "frame_advance":
            wait = turn.decode(_wait, turn.turn.action, "turn.action")
            return "wait" if wait.frames is None else f"wait {wait.frames} frames"
        case "enter_text":
            return f'write "{action.text}"'
        case "select_menu_entry":
            return f"choose {action.entry_id}"
        case "advance_dialog":
            return "read on"
        case other:
            return other.replace("_", " ")


def _action_of(turn: RecordedTurn) -> RecordedAction | None:
    """The action as recorded; of a kind that nobody here knows, no more than its name."""
    kind = turn.decode(_kind, turn.turn.action, "turn.action")
    if kind is None or kind.kind not in _WITH_WORDS:
        return None if kind is None else RecordedAction(kind.kind)
    return turn.decode(_action, turn.turn.action, "turn.action")


def _alignment(text: str | None, action: RecordedAction | None, otherwise: Alignment) -> Alignment:
    if text is None or action is None:
        return "unknown"
    return "aligned" if names_action(text, action) else otherwise


def _movement(
    turn: RecordedTurn,
    action: RecordedAction | None,
    start: Position | None,
    end: Position | None,
) -> Movement:
    walks = action is not None and action.kind == "walk_to"
    pushes = action is not None and action.kind == "button_press" and action.button in DIRECTIONS
    target = turn.decode(_target, turn.turn.action, "turn.action") if walks else None
    return Movement(
        attempted=walks or pushes,
        start=start,
        target=target,
        end=end,
        effectiveness=_effectiveness(turn.turn.outcome == "accepted", start, end)
        if walks or pushes
        else "not_applicable",
    )


def _effectiveness(accepted: bool, start: Position | None, end: Position | None) -> Effectiveness:
    if start is None or end is None:
        return "unknown"
    return "effective" if accepted and start != end else "ineffective"


class _Kind(Struct, frozen=True):
    kind: str


class _Press(Struct, frozen=True):
    repeat: int | None = None


class _Wait(Struct, frozen=True):
    frames: int | None = None


_WITH_WORDS = frozenset(
    {"button_press", "enter_text", "select_menu_entry", "load_checkpoint", "save_checkpoint"}
)
"""The kinds whose fields, not only their names, say how they are called."""

_kind = msgspec.json.Decoder[_Kind | None](_Kind | None)
_action = msgspec.json.Decoder(RecordedAction)
_target = msgspec.json.Decoder(Target)
_press = msgspec.json.Decoder(_Press)
_wait = msgspec.json.Decoder(_Wait)
