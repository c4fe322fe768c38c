"""Whether a turn's digest of what the model was shown is that of the recorded observations (K34).

It is SHA-256 over the observations as one JSON array in canonical form: keys sorted, no spaces.
"""

from __future__ import annotations

import hashlib

import msgspec
from msgspec import Raw

from kernel.journal.recorded import RecordedEvidence, RecordedTurn


def is_what_was_shown(turn: RecordedTurn, evidence: RecordedEvidence) -> bool:
    """True also where digest or observations are missing. Raises JournalDamaged."""
    digest, shown = turn.turn.observation_sha256, evidence.decision
    if digest is None or shown is None:
        return True
    text = b"[%b]" % b",".join(shown.observations)
    # Ours stand in the file in canonical form already; making it is the dear part.
    return digest == _of(text) or digest == _of(_canonical(turn, text))


def _of(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def _canonical(turn: RecordedTurn, text: bytes) -> bytes:
    value = turn.decode(_any, Raw(text), "evidence.decision.observations")
    return msgspec.json.encode(value, order="sorted")


_any = msgspec.json.Decoder[object](object)
