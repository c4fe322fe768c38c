"""How journals of this game are read: its turn lines become those that every reader knows."""

from __future__ import annotations

import msgspec

from bodies.minecraft.game_evidence import GameEvidence
from bodies.minecraft.inspecting import inspect
from bodies.minecraft.judging import judge
from bodies.minecraft.turn_line import Call, MinecraftTurnLine
from kernel.journal.evaluation.verdicts import Judgement
from kernel.journal.inspection import Inspection
from kernel.journal.lenience import read
from kernel.journal.lines import NULL, Turn, Usage, opaque
from kernel.journal.projection import ProjectedTurn
from kernel.journal.recorded import RecordedTurn


class MinecraftReading:
    """Implements `kernel.journal.projection.JournalReading`."""

    def project(self, line: bytes) -> ProjectedTurn:
        """Read one turn line. Raises msgspec's `DecodeError` for a damaged one."""
        return _project(read(_decoder, line))

    def judge(self, turn: RecordedTurn) -> Judgement:
        """The verdicts on a turn that are the game's own. Raises JournalDamaged."""
        return judge(turn)

    def inspect(self, turn: RecordedTurn) -> Inspection:
        """What can be shown of a turn. Raises JournalDamaged."""
        return inspect(turn)


def _project(line: MinecraftTurnLine) -> ProjectedTurn:
    native, decision = line.turn, line.turn.decision
    return ProjectedTurn(
        at=line.at,
        turn=Turn(
            turn=native.turn,
            observation_sha256=None,
            monologue=decision.monologue if decision else None,
            intent=decision.intent if decision else None,
            notes=line.memory.notes,
            objective=line.memory.objective,
            objective_retired=None,
            interjection=line.interjection,
            reply=decision.reply if decision else None,
            speak=decision.speak if decision else None,
            speak_suppressed=line.speak_suppressed,
            action=decision.action if decision else NULL,
            outcome=native.outcome,
            detail=native.failure,
            effect=native.effect,
            usage=_usage(native.usage),
            clipped=decision.clipped if decision else (),
        ),
        game_evidence=opaque(
            GameEvidence(
                shown=line.shown,
                before=line.before,
                after=line.after,
                action=native.action,
                timing=line.timing,
                stalled_for_turns=line.stalled_for_turns,
            )
        ),
        speech_delivery_id=line.speech_delivery_id,
        narration_event=line.narration_event,
    )


def _usage(calls: tuple[Call, ...]) -> Usage | None:
    """The turn's calls together; one unknown cost makes the sum unknown (K29)."""
    if not calls:
        return None
    known = [call.cost for call in calls if call.cost is not None]
    unreported = sum(not call.reported for call in calls)
    return Usage(
        input=sum(call.input for call in calls),
        output=sum(call.output for call in calls),
        cache_read=sum(call.cache_read for call in calls),
        cache_write=sum(call.cache_write for call in calls),
        charged=sum(call.charged for call in calls),
        calls=len(calls),
        unreported=unreported,
        cost=sum(known) if len(known) == len(calls) else None,
        estimated=unreported > 0,
    )


_decoder = msgspec.json.Decoder(MinecraftTurnLine)
