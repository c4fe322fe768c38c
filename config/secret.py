"""A value that may be used and is never shown."""

from __future__ import annotations

from typing import final


@final
class Secret:
    """Text that `repr`, `str`, formatting, pickling and JSON encoding never show.

    `reveal()` is the one way to the text; call it where the value leaves the process, nowhere else.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(***)"

    def __str__(self) -> str:
        return "***"

    def __format__(self, format_spec: str) -> str:
        return format(str(self), format_spec)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a Secret is not pickled")
