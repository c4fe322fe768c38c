"""What a stream has told so far, and what that amounts to when it is over."""

import enum
from typing import Protocol

import msgspec

from kernel.model.decoding import find_object
from kernel.model.errors import FailureKind, ProviderError
from kernel.model.usage import Usage

TEXT_CHARACTERS = 1 << 20


class BadStream(Exception):
    """The provider broke its own protocol; the message says how."""


class Ending(enum.Enum):
    """What the provider's end marker said; OPEN until there was one."""

    OPEN = enum.auto()
    WHOLE = enum.auto()
    TRUNCATED = enum.auto()
    REFUSED = enum.auto()


class Answer:
    """Grows while the stream is read.

    `ending` is final once it is not OPEN; `done` says that nothing more needs reading; `finish`
    is the provider's own word for the end.
    """

    def __init__(self) -> None:
        self.ending = Ending.OPEN
        self.done = False
        self.finish: str | None = None
        self.error: ProviderError | None = None
        self.model: str | None = None
        self._usage: Usage | None = None
        self._pieces: list[str] = []
        self._characters = 0

    def add(self, text: str) -> None:
        """Raises BadStream past TEXT_CHARACTERS."""
        self._characters += len(text)
        if self._characters > TEXT_CHARACTERS:
            raise BadStream(f"the answer is longer than {TEXT_CHARACTERS} characters")
        self._pieces.append(text)

    def report(self, usage: Usage | None) -> None:
        if usage is not None:
            self._usage = usage

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    @property
    def usage(self) -> Usage | None:
        """The last report; never complete before the end marker (case 14)."""
        if self._usage is None or self.ending is not Ending.OPEN:
            return self._usage
        return msgspec.structs.replace(self._usage, complete=False)


class StreamReader(Protocol):
    """One provider's stream as a pure machine: events in, an answer that grows."""

    answer: Answer

    def feed(self, event: str, data: str) -> bool:
        """Takes one event; True when it moved the answer on. Raises BadStream."""
        ...


class Words(msgspec.Struct, frozen=True):
    """A whole answer: its text and, when an object was wanted, the object's exact bytes."""

    text: str
    object: bytes | None


def settle(answer: Answer, *, wants_object: bool) -> Words | FailureKind:
    """Judges an answer whose stream is over. Nothing that may be cut is used (case 8)."""
    match answer.ending:
        case Ending.OPEN:
            return FailureKind.CONNECTION
        case Ending.REFUSED:
            return FailureKind.REFUSED
        case Ending.TRUNCATED:
            return FailureKind.TRUNCATED
        case Ending.WHOLE:
            text = answer.text
    if not text.strip():
        return FailureKind.EMPTY
    if not wants_object:
        return Words(text, None)
    found = find_object(text)
    return found if isinstance(found, FailureKind) else Words(text, found)
