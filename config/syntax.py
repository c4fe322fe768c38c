"""Why a text is no TOML, in the words of whoever wrote it."""

from __future__ import annotations

from pathlib import Path

import tomli

from config.finding import Finding

_CLOSE_IT = "end it with the quote that begins it"
_IN_WORDS: tuple[tuple[str, str, str], ...] = (
    ("Invalid value", "this is no value", 'text stands in straight quotes: NAME = "TEXT"'),
    ("Invalid statement", "no line begins like this", "write [TABLE] or NAME = VALUE"),
    (
        "Invalid initial character for a key part",
        "no name begins like this",
        "a name has letters, digits, - and _, or stands in quotes",
    ),
    ("Expected '=' after a key", "a name has no value", "write NAME = VALUE"),
    ("Expected newline", "more follows the value", "write one NAME = VALUE a line"),
    ("Expected ']", "a table's bracket is not closed", "write [TABLE], or twice [[TABLE]]"),
    ("Illegal character '\\n'", "a text is not closed on its line", _CLOSE_IT),
    ("Unterminated string", "a text is not closed", _CLOSE_IT),
    ('Expected "\'"', "a text is not closed", _CLOSE_IT),
    ("Unclosed array", "a list is not closed", "end it with ]"),
    ("Unclosed inline table", "a table is not closed", "end it with }"),
    (
        "Unescaped '\\'",
        'a backslash in "…" begins an escape',
        "write it twice, or the text in 'single quotes'",
    ),
    ("Cannot overwrite a value", "a key is set for the second time", "keep one of them"),
    ("Cannot declare", "a table begins for the second time", "put its keys under the first"),
)
"""How the parser's message begins, the cause, and the next step."""
_MISSING_AT_THE_END = ("0", "\n0", "=0", "k=0", "\nk=0")
"""What an unclosed list or table may lack before its bracket: a value, or (part of) a key."""


def syntax_finding(error: tomli.TOMLDecodeError, file: Path) -> Finding:
    """The parser's error with its place; a cause that the table lacks in the parser's words."""
    at_end = error.pos >= len(error.doc)
    message = (at_end and _unclosed(error.doc)) or error.msg
    cause, hint = next(
        ((cause, hint) for begins, cause, hint in _IN_WORDS if message.startswith(begins)),
        (message, None),
    )
    if error.doc.startswith("\ufeff"):
        cause, hint = "a byte order mark stands before the text", "save it as UTF-8 without one"
    line = error.doc.removesuffix("\n").count("\n") + 1 if at_end else error.lineno
    where = "at its end" if at_end else f"column {error.colno}"
    return Finding("error", file, line, "", f"is not TOML: {where}: {cause}", hint)


def _unclosed(text: str) -> str | None:
    """What the parser says of a bracket once nothing else is missing at the end of the text."""
    for missing in _MISSING_AT_THE_END:
        try:
            tomli.loads(text + missing)
        except ValueError as error:
            if str(error).startswith(("Unclosed", "Expected ']")):
                return str(error)
    return None
