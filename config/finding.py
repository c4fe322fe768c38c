"""What is wrong with a configuration, where, and what to do about it."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

KeyPath: TypeAlias = tuple[str | int, ...]
"""The way to a key: `("grants", 0, "verbs")` is written `grants[0].verbs`."""

Severity: TypeAlias = Literal["error", "warning"]


@dataclass(frozen=True)
class Problem:
    """Something wrong at a key, before anybody looked up its file and line."""

    key: KeyPath
    text: str
    hint: str | None = None

    def __str__(self) -> str:
        return f"{key_text(self.key)}: {self.text}" + (f" ({self.hint})" if self.hint else "")


@dataclass(frozen=True)
class Finding:
    """Something wrong in a file; one line of text by `str`. Never carries a secret."""

    severity: Severity
    file: Path
    line: int | None
    """Counted from 1; None where it is not known for certain."""
    key: str
    """Empty when the whole file is meant."""
    problem: str
    hint: str | None = None

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line is not None else f"{self.file}"
        parts = [where, self.severity, *([self.key] if self.key else []), self.problem]
        return ": ".join(parts) + (f" ({self.hint})" if self.hint else "")


class ConfigError(Exception):
    """A configuration that cannot be used, with everything found wrong in it."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        super().__init__("\n".join(str(finding) for finding in findings))
        self.findings = findings


def key_text(key: KeyPath) -> str:
    """The key as its operator would write it; odd characters escaped, long names cut."""
    text = ""
    for part in key:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + _part_text(part)
    return text


def nearest(word: str, known: Collection[str], what: str) -> str:
    """A hint: the known word most like this one, else all of them (at most 20)."""
    if not known:
        return f"no {what} is configured"
    close = difflib.get_close_matches(word, known, n=1)
    if close:
        return f'did you mean "{close[0]}"?'
    names = sorted(known)
    return f"known: {', '.join(names[:20])}{', …' if len(names) > 20 else ''}"


def _part_text(part: str) -> str:
    short = part if len(part) <= 64 else part[:64] + "…"
    return short if re.fullmatch(r"[A-Za-z0-9_-]+…?", short) else json.dumps(short)
