"""Something that is wrong with a journal, and where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, and where: a line, or lines up to `last_line`; `field` is a dotted path."""

    line: int
    problem: str
    field: str = ""
    last_line: int | None = None

    def __str__(self) -> str:
        last = "" if self.last_line is None else f"–{self.last_line}"
        lines = f"lines {self.line}{last}" if last else f"line {self.line}"
        field = f", field {self.field}" if self.field else ""
        return f"{lines}{field}: {self.problem}"
