"""What can go wrong with one operation while the session goes on."""

from __future__ import annotations

from kernel.body import BodyTrouble


class OperationRefused(BodyTrouble):
    """The world refused the operation. `retry_after_ms`: when asking again makes sense, if told."""

    def __init__(self, operation: str, code: str, message: str, retry_after_ms: int | None) -> None:
        super().__init__(f"{operation} refused: {code}" + (f": {message}" if message else ""))
        self.operation = operation
        self.code = code
        self.message = message
        self.retry_after_ms = retry_after_ms


class GarbledAnswer(BodyTrouble):
    """The answer is not what the protocol says; names the field."""


class StaleAnswer(BodyTrouble):
    """The answer speaks of a body that was replaced meanwhile; observe afresh."""
