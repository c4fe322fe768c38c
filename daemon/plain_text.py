"""Text that models, worlds and session processes wrote, made harmless for a terminal."""

from __future__ import annotations


def plain(text: str) -> str:
    """The text without anything that a terminal would obey: control characters, newlines apart,
    and marks that turn the direction of writing."""
    return text.translate(_HARMLESS)


def escaped(json: str) -> str:
    """A JSON document with the same marks and controls written as escapes, so that nothing of it
    is lost and a terminal obeys nothing."""
    return json.translate(_ESCAPED)


_OBEYED = [*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_HARMLESS: dict[int, str] = {
    **dict.fromkeys(_OBEYED, "\N{REPLACEMENT CHARACTER}"),
    ord("\n"): "\n",
    ord("\t"): " ",
}
_ESCAPED = {code: f"\\u{code:04x}" for code in _OBEYED if code >= 0x20}
"""Below that JSON itself allows none within a string."""
