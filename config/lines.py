"""On which line of a TOML text each key stands.

TOML parsers give values without positions. This reads just enough of a text that already parsed to
say where its headers and keys are; what it does not recognise makes it say nothing at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import tomli

from config.finding import Finding, KeyPath, Problem, Severity, key_text


def located(
    problems: Iterable[Problem], severity: Severity, text: str, file: Path
) -> tuple[Finding, ...]:
    """The problems with their lines in the text of a file, in the file's order."""
    lines = key_lines(text)
    findings = [
        Finding(severity, file, line_of(item.key, lines), key_text(item.key), item.text, item.hint)
        for item in problems
    ]
    return tuple(sorted(findings, key=lambda finding: finding.line or 0))


def key_lines(text: str) -> Mapping[KeyPath, int]:
    """The line, from 1, of each header and each key outside inline tables; empty when unsure."""
    try:
        return _Reader(text).read()
    except _Unsure:
        return {}


def line_of(key: KeyPath, lines: Mapping[KeyPath, int]) -> int | None:
    """The line of a key, or of the innermost table or value around it that has one."""
    for length in range(len(key), 0, -1):
        if key[:length] in lines:
            return lines[key[:length]]
    return None


_TOKEN = re.compile(
    r"""
      (?P<blank>[ \t\r]+|\#[^\n]*)
    | (?P<newline>\n)
    | (?P<string>\"{3}(?:\\.|[^\\])*?\"{3,5} | '{3}.*?'{3,5}
        | "(?:\\.|[^"\\\n])*" | '[^'\n]*')
    | (?P<open>[\[{]) | (?P<close>[\]}])
    | (?P<mark>[=.,])
    | (?P<bare>[A-Za-z0-9_-]+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


class _Unsure(Exception):
    pass


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.finditer(text)
        self._line = 1
        self._lines: dict[KeyPath, int] = {}
        self._tables: dict[KeyPath, int] = {}  # arrays of tables: how many so far

    def read(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        while (token := self._next()) is not None:
            kind, text = token
            if kind == "newline":
                continue
            line = self._line
            if text == "[":
                table = self._header()
                self._record(table, line)
            else:
                self._record(table + self._dotted(token, "="), line)
                self._skip_value()
        return self._lines

    def _next(self) -> tuple[str, str] | None:
        for match in self._tokens:
            kind, text = match.lastgroup or "", match.group()
            self._line += text.count("\n")
            if kind != "blank":
                return kind, text
        return None

    def _header(self) -> KeyPath:
        token = self._next()
        doubled = token == ("open", "[")
        names = self._dotted(self._next() if doubled else token, "]")
        if doubled:
            self._expect("]")
        table: KeyPath = ()
        for depth, name in enumerate(names, start=1):
            table = (*table, name)
            if doubled and depth == len(names):
                self._tables[table] = self._tables.get(table, 0) + 1
            if table in self._tables:
                table = (*table, self._tables[table] - 1)
        return table

    def _dotted(self, token: tuple[str, str] | None, end: str) -> tuple[str, ...]:
        names: list[str] = []
        while token is not None:
            kind, text = token
            if kind == "bare":
                names.append(text)
            elif kind == "string":
                names.append(tomli.loads(f"name = {text}")["name"])
            else:
                break
            token = self._next()
            if token == ("mark", "."):
                token = self._next()
            elif token is not None and token[1] == end:
                return tuple(names)
        raise _Unsure

    def _skip_value(self) -> None:
        depth = 0
        while (token := self._next()) is not None:
            kind = token[0]
            depth += (kind == "open") - (kind == "close")
            if kind == "newline" and depth == 0:
                return

    def _expect(self, text: str) -> None:
        token = self._next()
        if token is None or token[1] != text:
            raise _Unsure

    def _record(self, key: KeyPath, line: int) -> None:
        for length in range(1, len(key) + 1):
            self._lines.setdefault(key[:length], line)
