"""Coherence: how often the player did what its turn before had said that it would."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from bodies.pokemon.intent_words import RecordedAction, names_action


class Coherence:
    """Folds turns; only those count whose predecessor had an intent and left the plan standing."""

    def __init__(self) -> None:
        self._scored = 0
        self._kept = 0
        self._standing_intent: str | None = None

    def fold(self, action: msgspec.Raw | None, intent: str | None, *, stands: bool) -> None:
        """One turn: its action and intent, and whether its effect let the plan stand."""
        if action is not None and self._standing_intent is not None:
            self._scored += 1
            self._kept += names_action(self._standing_intent, _recorded(bytes(action)))
        self._standing_intent = intent if stands else None

    @property
    def share(self) -> float | None:
        """None when no turn counted."""
        return self._kept / self._scored if self._scored else None


@lru_cache(maxsize=32)  # a player presses the same few buttons
def _recorded(action: bytes) -> RecordedAction:
    return _decoder.decode(action)


_decoder = msgspec.json.Decoder(RecordedAction)
