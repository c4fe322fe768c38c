"""The text that tells a player who it is: the operator's own, or one that comes with playd."""

from __future__ import annotations

from pathlib import Path

from config.regular_file import FileError, read_regular_file
from config.settings import Settings

MAX_PERSONA_BYTES = 16 * 1024

_SHIPPED = Path(__file__).parent / "personas"


def shipped_personas() -> frozenset[str]:
    """The names of the personas that come with playd."""
    return frozenset(file.stem for file in _SHIPPED.glob("*.txt"))


def persona_text(settings: Settings, name: str) -> str:
    """The persona's text; the operator's own goes before a shipped one of the same name.

    Raises FileError for a file that is missing, longer than 16 KiB, empty or not UTF-8.
    """
    own = settings.personas.get(name)
    return read_persona(Path(own.file) if own else _SHIPPED / f"{name}.txt")


def read_persona(path: Path) -> str:
    """The text in a persona's file, without blank ends. Raises FileError."""
    data = read_regular_file(path, MAX_PERSONA_BYTES).data
    try:
        text = data.decode().strip()
    except UnicodeDecodeError as error:
        raise FileError(path, f"is not UTF-8 text: byte {error.start}") from error
    if not text:
        raise FileError(path, "is empty")
    return text
