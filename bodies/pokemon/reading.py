"""How journals of this game are read: its turn lines have the project's own shape already."""

from __future__ import annotations

import msgspec

from bodies.pokemon.inspecting import inspect
from bodies.pokemon.judging import judge
from kernel.journal.evaluation.verdicts import Judgement
from kernel.journal.inspection import Inspection
from kernel.journal.lenience import read
from kernel.journal.lines import TurnLine
from kernel.journal.projection import ProjectedTurn, project
from kernel.journal.recorded import RecordedTurn


class PokemonReading:
    """The JournalReading of both games and of journals from before headers named one."""

    def project(self, line: bytes) -> ProjectedTurn:
        return project(read(_line, line))

    def judge(self, turn: RecordedTurn) -> Judgement:
        return judge(turn)

    def inspect(self, turn: RecordedTurn) -> Inspection:
        return inspect(turn)


_line = msgspec.json.Decoder(TurnLine)
