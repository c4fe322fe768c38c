"""The signature of a webhook's request: pure.

HMAC-SHA256, keyed with the room's secret, over the time of sending, a full stop and the exact body.
Whoever receives it compares the signature and refuses a time that is minutes away from its own
clock, so that a recorded request cannot be sent again later.
"""

from __future__ import annotations

import hashlib
import hmac

from config.secret import Secret

TIMESTAMP = "Playd-Timestamp"
SIGNATURE = "Playd-Signature"


def signed(secret: Secret, body: bytes, now: float) -> dict[str, str]:
    """The two headers for a request that is sent at `now`, seconds since 1970."""
    timestamp = str(int(now))
    key = secret.reveal().encode()
    digest = hmac.new(key, f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
    return {TIMESTAMP: timestamp, SIGNATURE: f"sha256={digest}"}
