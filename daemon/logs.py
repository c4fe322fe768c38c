"""Log lines with the fields that systemd's journal can be searched by. Never a secret in any."""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from typing import Any


class FieldLog(logging.LoggerAdapter[logging.Logger]):
    """Adds PLAYD_SEAT, PLAYD_SESSION and PLAYD_UID to every record, and PLAYD_EVENT where given."""

    def process(
        self, msg: Any, kwargs: MutableMapping[str, Any]
    ) -> tuple[Any, MutableMapping[str, Any]]:
        """Merge the adapter's fields with those of the call: `event="restart"`."""
        event = kwargs.pop("event", None)
        fields = {**(self.extra or {}), **({} if event is None else {"PLAYD_EVENT": event})}
        return msg, {**kwargs, "extra": fields}


def log_of(
    name: str, *, seat: str | None = None, session: str | None = None, uid: int | None = None
) -> FieldLog:
    """A log for one part of the daemon, about one seat, session and caller where they are known."""
    fields = {"PLAYD_SEAT": seat, "PLAYD_SESSION": session, "PLAYD_UID": uid}
    known = {field: value for field, value in fields.items() if value is not None}
    return FieldLog(logging.getLogger(name), known)
