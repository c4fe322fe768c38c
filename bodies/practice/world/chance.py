"""Chance that can be repeated: the same seed and the same words always fall the same way."""

import zlib


def roll(sides: int, *words: object) -> int:
    """A number from 0 to sides - 1, decided by the words alone."""
    text = "\x1f".join(str(word) for word in words).encode()
    mixed = (zlib.crc32(text) * 2654435761) & 0xFFFFFFFF
    return (mixed >> 8) % sides
