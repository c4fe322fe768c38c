"""Why a model call failed, as one table that everybody reads the same way (K11)."""

import email.utils
import enum
import math
import re
from collections.abc import Mapping
from typing import Any, cast

import msgspec

from kernel.model.usage import Usage
from kernel.undecodable import UNDECODABLE

MESSAGE_CHARACTERS = 300
CODE_CHARACTERS = 64


class FailureKind(enum.StrEnum):
    UNAUTHORIZED = "unauthorized"
    NOT_FOUND = "not_found"
    QUOTA = "quota"
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    SERVER = "server"
    CONTEXT_TOO_LONG = "context_too_long"
    BAD_REQUEST = "bad_request"
    REFUSED = "refused"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    AMBIGUOUS = "ambiguous"
    NOT_JSON = "not_json"
    DEADLINE = "deadline"
    STALL = "stall"
    CONNECTION = "connection"
    PROTOCOL = "protocol"
    CANCELLED = "cancelled"


FATAL = frozenset({FailureKind.UNAUTHORIZED, FailureKind.NOT_FOUND, FailureKind.QUOTA})
NO_DECISION = frozenset(
    {
        FailureKind.REFUSED,
        FailureKind.EMPTY,
        FailureKind.TRUNCATED,
        FailureKind.AMBIGUOUS,
        FailureKind.NOT_JSON,
    }
)


class ModelFailure(msgspec.Struct, frozen=True, kw_only=True):
    """One failed call. It never carries the key or a word of the model's answer.

    `retry_after` is seconds as the provider asked for them; the cap is the caller's. `usage` is
    what had been reported; only a report marked complete may be charged as it stands (K28).
    """

    kind: FailureKind
    message: str
    status: int | None = None
    code: str | None = None
    request_id: str | None = None
    retry_after: float | None = None
    usage: Usage | None = None

    @property
    def fatal(self) -> bool:
        """401, 403, 404 and `insufficient_quota` end the session at once (K11)."""
        return self.kind in FATAL

    @property
    def answered(self) -> bool:
        """The model did answer, and what it said is no decision (cases 1, 2, 5, 7 and 8)."""
        return self.kind in NO_DECISION


class ProviderError(msgspec.Struct, frozen=True, kw_only=True):
    """An error object as a provider wrote it, in a body or in the middle of a stream.

    `status` is the response's own where there is one, else the number that the object names.
    """

    message: str
    code: str | None = None
    type: str | None = None
    status: int | None = None


def read_error(body: bytes | str) -> ProviderError | None:
    """The error object in a body or an event, in any of the shapes in use; None without one."""
    try:
        value: object = msgspec.json.decode(body)
    except UNDECODABLE:
        return None
    if not isinstance(value, dict):
        return None
    outer = cast("dict[str, Any]", value)
    error: object = outer.get("error")
    if isinstance(error, str):
        return ProviderError(message=error)
    if isinstance(error, dict):
        return _error_object(cast("dict[str, Any]", error))
    if outer.get("object") == "error":
        return _error_object(outer)
    return None


def implied_status(error: ProviderError) -> int | None:
    """The status of an error: its own, or the one that its code or type stands for (case 13)."""
    if error.status is not None:
        return error.status
    return next((_STATUS[name] for name in (error.code, error.type) if name in _STATUS), None)


def classify(error: ProviderError) -> FailureKind:
    """The kind of a provider's error, the same for a status and for an event inside a stream.

    Quota is told by code alone, never by prose (case 21). A context that is too long has no code
    at some providers, so there the words decide.
    """
    names = {error.code, error.type}
    status = implied_status(error)
    if "insufficient_quota" in names:
        return FailureKind.QUOTA
    if names & _REFUSALS:
        return FailureKind.REFUSED
    if names & _CONTEXT_CODES or (
        status in (None, 400, 413, 422) and _CONTEXT_WORDS.search(error.message)
    ):
        return FailureKind.CONTEXT_TOO_LONG
    if status is None or status >= 500:
        return _KINDS.get(status, FailureKind.SERVER)
    if status < 400:
        return FailureKind.PROTOCOL
    return _KINDS.get(status, FailureKind.BAD_REQUEST)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait by the header's number or HTTP date; None for garbage and for the past.

    `now` is the wall clock in seconds since the epoch.
    """
    value = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(value):
        seconds = float(value)
    else:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - now
        except (ValueError, OverflowError):
            return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def clean(text: str, key: str, limit: int = MESSAGE_CHARACTERS) -> str:
    """One short printable line in which nothing that looks like a key survives."""
    if key:
        text = text.replace(key, "[key]")
    text = _KEYLIKE.sub("[key]", text)
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _error_object(fields: dict[str, Any]) -> ProviderError:
    code = fields.get("code")
    kind = fields.get("type")
    message = fields.get("message")
    numeric = code if isinstance(code, int) and not isinstance(code, bool) else None
    return ProviderError(
        message=message if isinstance(message, str) else "",
        code=code if isinstance(code, str) else None,
        type=kind if isinstance(kind, str) else None,
        status=numeric if numeric is not None and 400 <= numeric <= 599 else None,
    )


_KINDS: dict[int | None, FailureKind] = {
    401: FailureKind.UNAUTHORIZED,
    403: FailureKind.UNAUTHORIZED,
    404: FailureKind.NOT_FOUND,
    408: FailureKind.SERVER,
    413: FailureKind.CONTEXT_TOO_LONG,
    429: FailureKind.RATE_LIMITED,
    503: FailureKind.OVERLOADED,
    529: FailureKind.OVERLOADED,
}

# The status that a code or type stands for when it comes inside a 200 stream.
_STATUS: dict[str | None, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "request_too_large": 413,
    "insufficient_quota": 429,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}

_REFUSALS = frozenset({"content_filter", "content_policy_violation"})
_CONTEXT_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_CONTEXT_WORDS = re.compile(
    r"prompt is too long|maximum context length|context (?:length|size|window)", re.IGNORECASE
)
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", re.ASCII)
_KEYLIKE = re.compile(
    r"(?i:bearer\s+\S+)|\b(?:sk|pk|gsk|xai)-[\w*.-]{4,}|\bAIza[\w-]{8,}", re.ASCII
)
