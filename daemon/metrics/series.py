"""Every series that is counted as things happen: name, labels, buckets, and what a rise means.

Series stand at 0 before anything happens: one that appeared with its first count would hide that
count from `rate()` and `increase()`, which see differences alone.

What is only looked up when somebody scrapes is in `looking`.
"""

from __future__ import annotations

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from daemon.metrics.vocabulary import (
    CALL_OUTCOMES,
    DELIVERY_OUTCOMES,
    NOTABLES,
    REPLACED_BY,
    ROLES,
    SESSION_OUTCOMES,
    TOKEN_KINDS,
    TURN_OUTCOMES,
    VERBS,
)

_TURN_SECONDS = (0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300)
_CALL_SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120)
_ACTION_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_STOP_SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 30, 60, 300)


class Series:
    """The counters and histograms of one daemon."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, help: str, *labels: str) -> Counter:
            return Counter(f"playd_{name}", help, labels, registry=registry)

        def histogram(
            name: str, help: str, buckets: Sequence[float], labels: Sequence[str] = ()
        ) -> Histogram:
            return Histogram(
                f"playd_{name}", help, labels, buckets=tuple(buckets), registry=registry
            )

        # Sessions

        self.sessions_ended = counter(
            "sessions_ended_total",
            "Sessions that ended, by outcome. crashed, hung or protocol_error: the session process "
            "misbehaves, its log says how. lease_lapsed: this host was asleep or overloaded, or "
            "the daemon was killed.",
            "seat",
            "outcome",
        )
        self.restarts = counter(
            "restarts_total",
            "Restarts planned after a session failed. Steep: the seat crashes again and again and "
            "will be given up soon.",
            "seat",
        )
        self.protocol_errors = counter(
            "protocol_errors_total",
            "Lines of a session process that the session protocol does not allow. Any rise is a "
            "defect of the session or its libraries.",
            "seat",
        )
        self.stop_duration = histogram(
            "stop_duration_seconds",
            "From the request of a stop to the end of everything of the session. Near the stop "
            "deadline: a world or a motor does not answer.",
            _STOP_SECONDS,
        )
        self.lease_renewals = counter(
            "lease_renewals_total",
            "Renewals of driver leases. Flat while a session runs: the daemon does not get to it.",
            "seat",
        )
        self.leases_lost = counter(
            "leases_lost_total",
            "Leases that could not be renewed in time or are held by another. Each ends a session.",
            "seat",
        )

        # Turns

        self.turns = counter(
            "turns_total",
            "Turns by outcome. Flat while a seat runs: it waits for its world or its model. "
            "mind_failed and invalid_decision rise: look at the model.",
            "seat",
            "outcome",
        )
        self.last_turn = Gauge(
            "playd_last_turn_timestamp_seconds",
            "When the last turn of the live session ended, or it began to run; 0 while there is "
            "none. Long ago while the seat runs: it waits for its model or its world.",
            ("seat",),
            registry=registry,
        )
        self.turn_duration = histogram(
            "turn_duration_seconds",
            "A whole turn, from its first look to its record. Growing: see whether decisions or "
            "actions do.",
            _TURN_SECONDS,
            ("seat",),
        )
        self.decision_duration = histogram(
            "decision_duration_seconds",
            "From the prompt of a turn to its valid decision, repeated proposals included. "
            "Follows the model.",
            _CALL_SECONDS,
            ("game",),
        )
        self.action_duration = histogram(
            "action_duration_seconds",
            "From an action's request to its result. Follows the world or the motor.",
            _ACTION_SECONDS,
            ("game",),
        )
        self.proposals_replaced = counter(
            "proposals_replaced_total",
            "Proposals that were not carried out: a message came in, or the world had changed. "
            "Each was paid for.",
            "seat",
            "cause",
        )
        self.stale_decisions = counter(
            "stale_decisions_total",
            "Turns that ended without acting because the world kept moving on. Rising: the model "
            "is too slow for this world.",
            "seat",
        )
        self.notables = counter(
            "notables_total",
            "What a person should know, by kind. stuck: the player gets nowhere.",
            "seat",
            "kind",
        )

        # Models

        self.model_calls = counter(
            "model_calls_total",
            "Settled model calls by outcome. Anything but answered is paid for or waited for "
            "without a decision.",
            "model",
            "role",
            "outcome",
        )
        self.model_call_duration = histogram(
            "model_call_duration_seconds",
            "A whole model call, from connecting to the last token.",
            _CALL_SECONDS,
            ("model", "role"),
        )
        self.first_token = histogram(
            "model_first_token_seconds",
            "From the request to the first token of an answered call. Rising: the provider queues.",
            _CALL_SECONDS,
            ("model", "role"),
        )
        self.tokens = counter(
            "tokens_total",
            "Tokens by role and kind. Charged are input, output and reserved, the last for calls "
            "whose usage was not reported; cache_read and cache_write are parts of input.",
            "seat",
            "role",
            "kind",
        )
        self.cost = counter(
            "cost_estimated_dollars_total",
            "Estimated cost of settled calls whose price is known, US dollars.",
            "seat",
            "role",
        )
        self.unpriced_calls = counter(
            "unpriced_calls_total",
            "Calls whose price is not known: the cost of the sitting is unknown from the first on.",
            "seat",
        )

        # What sessions count themselves

        self.reconnects = counter(
            "world_reconnects_total",
            "Times that a seat's connection was made anew. Rising: the network or the world.",
            "seat",
        )
        self.frames = counter("world_frames_total", "Screen frames that arrived.", "seat")
        self.frames_lost = counter(
            "world_frames_lost_total",
            "Screen frames that the world skipped since we were too slow for it.",
            "seat",
        )
        self.messages_garbled = counter(
            "world_messages_garbled_total",
            "Messages of a world or a motor that made no sense and were ignored.",
            "seat",
        )
        self.answers_late = counter(
            "world_answers_late_total",
            "Answers that came after their request was given up, or told of an older state.",
            "seat",
        )
        self.interjections = counter(
            "interjections_total",
            "What people said: queued, merged (the queue was full), dropped (too long), echoed (a "
            "player's own words, ignored).",
            "seat",
            "kind",
        )
        self.interjections_undelivered = counter(
            "interjections_undelivered_total",
            "Messages that the player had not seen when its session ended.",
            "seat",
        )
        self.voice_failures = counter(
            "voice_failures_total",
            "Voice calls that failed or were left out for the budget; the player stayed silent.",
            "seat",
        )
        self.journal_bytes = counter(
            "journal_bytes_total", "Bytes written to journals: what the disk must hold.", "seat"
        )
        self.journal_errors = counter(
            "journal_errors_total",
            "Journal lines lost, flushes that failed, pictures not kept. Any rise: look at the "
            "disk; what is lost cannot be read back.",
            "seat",
            "kind",
        )
        self.windows_rolled = counter(
            "journal_windows_rolled_total", "Evidence windows that were full and sealed.", "seat"
        )

        # Control and rooms

        self.control_requests = counter(
            "control_requests_total",
            "Requests on the control socket. not_authorized rises: somebody tries what is not "
            "granted. internal: a defect.",
            "verb",
            "code",
        )
        self.deliveries = counter(
            "deliveries_total",
            "Words and events for rooms. failed rises: the room's webhook cannot be reached.",
            "room",
            "outcome",
        )
        self.receipts_lost = counter(
            "receipts_lost_total",
            "Receipts of deliveries that could not be written down. Any rise: look at the disk.",
        )
        self.reloads = counter(
            "configuration_reloads_total",
            "Reloads of the configuration. refused: the file is bad and the old one is in force.",
            "outcome",
        )
        for outcome in ("taken", "refused"):
            self.reloads.labels(outcome)
        for verb in VERBS:
            for code in ("ok", "not_authorized", "internal"):
                self.control_requests.labels(verb, code)

        self._by_seat: tuple[tuple[Counter, tuple[tuple[str, ...], ...]], ...] = (
            (self.restarts, ((),)),
            (self.protocol_errors, ((),)),
            (self.lease_renewals, ((),)),
            (self.leases_lost, ((),)),
            (self.stale_decisions, ((),)),
            (self.unpriced_calls, ((),)),
            (self.reconnects, ((),)),
            (self.frames, ((),)),
            (self.frames_lost, ((),)),
            (self.messages_garbled, ((),)),
            (self.answers_late, ((),)),
            (self.interjections_undelivered, ((),)),
            (self.voice_failures, ((),)),
            (self.journal_bytes, ((),)),
            (self.windows_rolled, ((),)),
            (self.sessions_ended, _each(SESSION_OUTCOMES)),
            (self.turns, _each(TURN_OUTCOMES)),
            (self.proposals_replaced, _each(REPLACED_BY)),
            (self.notables, _each(NOTABLES)),
            (self.interjections, _each(("queued", "merged", "dropped", "echoed"))),
            (self.journal_errors, _each(("line", "flush", "picture"))),
            (self.cost, _each(ROLES)),
            (self.tokens, tuple((role, kind) for role in ROLES for kind in TOKEN_KINDS)),
        )
        self._by_model = (self.model_calls, self.model_call_duration, self.first_token)

    def begin_seat(self, seat: str) -> None:
        """Make the seat's series, at zero."""
        for counter, labels in self._by_seat:
            for values in labels:
                counter.labels(seat, *values)
        self.last_turn.labels(seat)
        self.turn_duration.labels(seat)

    def begin_game(self, game: str) -> None:
        """Make the game's series, at zero; games are few, and none is forgotten."""
        self.decision_duration.labels(game)
        self.action_duration.labels(game)

    def begin_model(self, model: str, role: str) -> None:
        """Make the series of a model in a role, at zero."""
        for outcome in CALL_OUTCOMES:
            self.model_calls.labels(model, role, outcome)
        self.model_call_duration.labels(model, role)
        self.first_token.labels(model, role)

    def begin_room(self, room: str) -> None:
        """Make the room's series, at zero."""
        for outcome in DELIVERY_OUTCOMES:
            self.deliveries.labels(room, outcome)

    def forget_seat(self, seat: str) -> None:
        """Take the series of a seat away that is neither configured nor played."""
        for counter, _ in self._by_seat:
            counter.remove_by_labels({"seat": seat})
        self.last_turn.remove_by_labels({"seat": seat})
        self.turn_duration.remove_by_labels({"seat": seat})

    def forget_model(self, model: str) -> None:
        """Take the series of a model away that the configuration no longer has."""
        for metric in self._by_model:
            metric.remove_by_labels({"model": model})

    def forget_room(self, room: str) -> None:
        """Take the series of a room away that the configuration no longer has."""
        self.deliveries.remove_by_labels({"room": room})


def _each(values: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple((value,) for value in values)
