"""The live picture of one seat: the map, what the player thinks and does, what it has spent."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.layout import Layout
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from daemon.control import wire
from daemon.plain_text import plain
from daemon.playctl import show

PAST_TURNS = 100
"""Kept for the list; a terminal shows as many as it has room for."""


class Picture:
    """What was seen of a seat so far, drawn afresh after every event."""

    def __init__(self) -> None:
        self._seat: wire.SeatView | None = None
        self._card: wire.Card | None = None
        self._budget: wire.BudgetUsed | None = None
        self._phase = ""
        self._news: deque[_News] = deque(maxlen=5)
        self._past: deque[wire.Card] = deque(maxlen=PAST_TURNS)

    def take(self, event: wire.Event) -> None:
        """Adds what an event tells."""
        match event:
            case wire.SeatChanged(seat=seat):
                self._seat = seat
                if seat.session is not None:
                    self._card = seat.session.card or self._card
                    self._budget = seat.session.budget or self._budget
                    self._phase = seat.session.phase or ""
            case wire.TurnEnded(card=card):
                if self._card is not None and self._card.turn != card.turn:
                    self._past.appendleft(self._card)
                self._card = card
                self._budget = event.budget
            case wire.PhaseChanged():
                waits = f", {event.waiting:.0f} s" if event.waiting is not None else ""
                self._phase = f"turn {event.turn}: {event.phase}{waits}"
            case wire.NotableRaised():
                what = f"{event.notable.replace('_', ' ')}: {event.detail}"
                self._news.appendleft(_News("!", what, "yellow"))
            case wire.Spoken():
                self._news.appendleft(_News(event.speech, event.text, "magenta"))
            case wire.Lost():
                self._news.appendleft(_News("lost", f"{event.count} events", "dim"))
            case wire.Watching():
                pass

    def draw(self) -> RenderableType:
        """The whole picture."""
        whole = Layout()
        whole.split_column(
            Layout(self._heading(), size=3),
            Layout(name="middle", ratio=3),
            Layout(Panel(self._turns(), title="before", border_style="dim"), ratio=1),
            Layout(Panel(self._spent(), title="budget"), size=7),
        )
        whole["middle"].split_row(
            Layout(Panel(self._map(), title="around"), ratio=2),
            Layout(Panel(self._thought(), title="player"), ratio=3),
        )
        return whole

    def last_line(self) -> str:
        """What stays on the terminal when the picture is gone."""
        if self._seat is None:
            return ""
        spent = f"tokens {show.used_tokens(self._budget)}, cost {show.used_cost(self._budget)}"
        turn = "no turn yet" if self._card is None else f"turn {self._card.turn}"
        return plain(f"{self._seat.seat}: {self._seat.state.replace('_', ' ')}, {turn}; {spent}")

    def _heading(self) -> RenderableType:
        if self._seat is None:
            return Panel(Text("waiting for the daemon …"))
        text = Text(f"{self._seat.seat}  ", "bold")
        text.append(self._seat.state, show.COLOURS.get(self._seat.state, ""))
        text.append(f"  {show.one_line(self._phase or self._seat.detail, 100)}", "dim")
        return Panel(text)

    def _map(self) -> RenderableType:
        if self._card is None:
            return Text("no turn yet", "dim")
        return Text(plain(self._card.picture or self._card.scene), no_wrap=True)

    def _thought(self) -> RenderableType:
        card = self._card
        if card is None:
            return Text("")
        lines: list[RenderableType] = []
        # A small terminal cuts at the bottom: what was done stands first, the longest text last.
        for label, value, style in (
            ("does", card.action, "bold"),
            ("effect", card.effect or card.outcome, "cyan"),
            ("says", card.spoken, "magenta"),
            ("intends", card.intent, ""),
            ("wants", card.objective, ""),
            ("thinks", card.thought, "italic"),
        ):
            if value:
                lines.append(Text(f"{label:>9}  ", "dim").append(plain(value), style))
        lines.extend(
            Text(f"{news.mark:>9}  ", news.style).append(plain(news.text))
            for news in self._news
            if news.text != card.spoken
        )
        return Group(*lines)

    def _turns(self) -> RenderableType:
        rows = Table.grid(padding=(0, 2, 0, 0))
        for card in self._past:
            rows.add_row(
                Text(str(card.turn), "dim"),
                Text(show.one_line(card.action or "-", 40)),
                Text(show.one_line(card.effect or card.outcome, 100), "dim"),
            )
        return rows

    def _spent(self) -> RenderableType:
        used = self._budget
        if used is None:
            return Text("nothing spent yet", "dim")
        rows = Table.grid(padding=(0, 2, 0, 0))
        rows.add_row("tokens", _bar(used.tokens, used.token_ceiling), show.used_tokens(used))
        rows.add_row("cost", _bar(used.cost, used.cost_ceiling), show.used_cost(used))
        if (most := self._most_turns()) is not None and self._card is not None:
            turns = self._card.turn + 1
            rows.add_row("turns", _bar(turns, most), f"{turns:,} / {most:,}")
        if used.unreported_calls:
            rows.add_row("", "", f"{used.unreported_calls} calls without reported usage")
        gauges = self._card.gauges if self._card is not None else {}
        if gauges:
            shown = "  ".join(f"{_words(name)} {value}" for name, value in sorted(gauges.items()))
            rows.add_row("signals", "", show.one_line(shown, 120))
        return rows

    def _most_turns(self) -> int | None:
        session = None if self._seat is None else self._seat.session
        return None if session is None or session.ceiling is None else session.ceiling.max_turns


@dataclass(frozen=True, slots=True)
class _News:
    mark: str
    text: str
    style: str


def _words(name: str) -> str:
    """`sameAction` as `same action`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()


def _bar(used: float | None, ceiling: float | None) -> RenderableType:
    if used is None or ceiling is None:
        return Text(" " * 30)
    full = ceiling <= 0 or used >= ceiling
    part = 1.0 if full else used / ceiling
    style = "red" if part >= 0.9 else "yellow" if part >= 0.7 else "green"
    return ProgressBar(total=1.0, completed=part, width=30, complete_style=style)
