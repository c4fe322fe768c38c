"""What decoding bytes that come from outside may raise: each of these is the sender's fault."""

from __future__ import annotations

from typing import Final

import msgspec

UNDECODABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""RecursionError: the decoder gives up on values nested some thousand deep."""
