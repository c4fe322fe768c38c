"""Gathering what the page shows of a run: the evaluation, and each turn opened."""

from __future__ import annotations

import base64
from datetime import datetime
from pathlib import Path

from msgspec import UNSET

from kernel.journal.evaluation.evaluate import evaluate, judge_of
from kernel.journal.evaluation.shape import EvaluatedTurn
from kernel.journal.evaluation.side_logs import LifecycleEvents, Receipts
from kernel.journal.evaluation.spent import Spent, spent_by
from kernel.journal.evaluation.verdicts import Judgement, Position, milliseconds
from kernel.journal.inspection import Inspection
from kernel.journal.lines import HeaderLine, Model, Screenshot
from kernel.journal.pictures import check_picture
from kernel.journal.projection import FindReading
from kernel.journal.reader import reading_for
from kernel.journal.recorded import RecordedTurn
from kernel.journal.report.shape import Document, Player, ShownTurn
from kernel.journal.report.terrain import Terrain
from kernel.journal.run import RunWalk


def document_of(
    path: Path, find_reading: FindReading, events: LifecycleEvents, receipts: Receipts
) -> Document:
    """All that the page shows. Raises JournalUnreadable and JournalDamaged."""
    run = evaluate(path, find_reading, events, receipts)
    reading = reading_for(run.header, find_reading)
    walk = RunWalk(path, find_reading)
    terrain = Terrain()
    tiles: set[Position] = set()
    turns: list[ShownTurn] = []
    judge = None
    # A run that goes on may have grown since it was evaluated: what came later is left out.
    for index, (turn, evaluated) in enumerate(
        zip(walk.turns(), run.evaluation.turns, strict=False)
    ):
        judge = judge or judge_of(walk, find_reading)
        judgement = judge(turn)
        inspection = Inspection() if reading is None else reading.inspect(turn)
        for seen in inspection.surroundings:
            terrain.see(seen)
        for position in (judgement.movement.start, judgement.movement.end):
            if position is not None:
                tiles.add(position)
                terrain.stand(index, position)
        turns.append(_shown(path, turn, evaluated, judgement, inspection, len(tiles)))
    summary = walk.summary
    end = summary.screenshot if summary is not None else UNSET
    return Document(
        run=run.evaluation.run,
        player=_player(run.header),
        aggregate=run.evaluation.aggregate,
        plan=run.plan,
        proofs=run.proofs,
        spent=run.spent,
        duration_ms=summary.duration_ms if summary else _between(run.header.started_at, turns),
        end_picture=None if end is UNSET else _picture(path, end)[0],
        remarks=_remarks(walk),
        turns=tuple(turns),
        maps=terrain.maps(),
    )


def _shown(
    path: Path,
    turn: RecordedTurn,
    evaluated: EvaluatedTurn,
    judgement: Judgement,
    inspection: Inspection,
    tiles: int,
) -> ShownTurn:
    said = turn.turn
    picture, problem = _picture(path, turn.screenshot) if turn.screenshot else (None, None)
    return ShownTurn(
        turn=said.turn,
        at=turn.at,
        outcome=said.outcome,
        recovered=turn.recovered,
        kind=judgement.action_kind,
        action=judgement.action,
        effect=said.effect,
        advice=said.effect_advice,
        detail=said.detail,
        thought=said.monologue,
        intent=said.intent,
        objective=said.objective,
        retired=said.objective_retired,
        notes=said.notes,
        heard=said.interjection,
        reply=said.reply,
        speak=said.speak,
        held=said.speak_suppressed,
        clipped=said.clipped,
        decision_ms=judgement.decision_ms,
        action_ms=judgement.action_ms,
        spent=spent_by(said.usage) if said.usage else Spent(),
        tiles=tiles,
        place=judgement.place,
        verdicts=evaluated.verdicts,
        saw=inspection.saw,
        result=inspection.result,
        picture=picture,
        picture_problem=problem,
    )


def _player(header: HeaderLine) -> Player:
    models, software = header.models, header.software
    return Player(
        environment=header.environment_id or None,
        journey=header.journey_id or None,
        mind=_model(models.mind) if models else None,
        voice=_model(models.voice) if models and models.voice else None,
        persona=header.persona,
        generation=header.driver_generation,
        software=f"{software.name} {software.version}" if software else None,
    )


def _model(model: Model) -> str:
    return f"{model.provider}/{model.model}"


def _picture(journal: Path, screenshot: Screenshot) -> tuple[str | None, str | None]:
    """The picture as a `data:` URL, else what is wrong with its file."""
    if problem := check_picture(journal, screenshot):
        return None, problem
    try:
        png = (journal.parent / screenshot.path).read_bytes()
    except OSError as error:
        return None, f"{screenshot.path}: {error.strerror}"
    return f"data:image/png;base64,{base64.b64encode(png).decode()}", None


def _remarks(walk: RunWalk) -> tuple[str, ...]:
    notables = (
        f"Notable: {line.notable}"
        + (f" in turn {line.turn}" if line.turn is not None else "")
        + (f": {line.detail}" if line.detail else "")
        for line in walk.notables
    )
    gaps = (
        f"{gap.lost} lines were lost ({gap.cause.replace('_', ' ')}) from {gap.first_at}"
        for gap in walk.gaps
    )
    torn = walk.torn
    tail = [f"The last line was cut off ({torn.bytes} bytes)"] if torn and not torn.whole else []
    return (*notables, *gaps, *tail)


def _between(started_at: str, turns: list[ShownTurn]) -> int | None:
    """From the start to the last turn, where no summary tells."""
    last = turns[-1].at if turns else None
    if last is None:
        return None
    try:
        return milliseconds(datetime.fromisoformat(started_at), datetime.fromisoformat(last))
    except ValueError:
        return None
