"""What people say to the player, from arrival to delivery (K15, K16, K16a).

First in, first out, 32 slots; what arrives beyond them merges into the last slot. A message counts
as delivered when a proposal that showed it settled and decoded, and no change of state overtook it
(K8); until then it is shown again.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from kernel.body import Said

CAPACITY = 32
OVERFLOW_CHARACTERS = 16_000
SHOWN_AT_ONCE = 3


@dataclass(slots=True)
class _Slot:
    speaker: str
    parts: deque[tuple[str, str]]
    """Texts with the times they arrived at; more than one only where messages merged."""
    shown: int = 0
    """Characters of the joined text that the latest proposal showed."""
    shown_before: bool = False

    @property
    def text(self) -> str:
        return "\n".join(text for text, _ in self.parts)

    def length(self) -> int:
        return sum(len(text) for text, _ in self.parts) + len(self.parts) - 1


@dataclass(slots=True)
class Interjections:
    """The queue of one session. Counters only grow."""

    queued: int = 0
    merged: int = 0
    dropped: int = 0
    _slots: deque[_Slot] = field(default_factory=deque[_Slot])

    def __len__(self) -> int:
        return len(self._slots)

    def put(self, speaker: str, text: str, at: str) -> None:
        """Take what `speaker` said at `at` (UTC). Blank text is nothing said."""
        if not text.strip():
            return
        self.queued += 1
        if len(self._slots) < CAPACITY:
            self._slots.append(_Slot(speaker, deque([(text, at)])))
            return
        self.merged += 1
        last = self._slots[-1]
        last.parts.append((text if speaker == last.speaker else f"{speaker}: {text}", at))
        while last.length() > OVERFLOW_CHARACTERS:
            self._drop_oldest(last)

    def show(self, bound: int) -> tuple[Said, ...]:
        """What the next proposal shows: at most three, oldest first, `bound` characters each.

        Nothing that came after a text that had to be cut is shown before the rest of that text.
        """
        said: list[Said] = []
        whole = True
        for index, slot in enumerate(self._slots):
            slot.shown = min(bound, slot.length()) if whole and index < SHOWN_AT_ONCE else 0
            if slot.shown:
                said.append(Said(slot.speaker, slot.text[: slot.shown], again=slot.shown_before))
                slot.shown_before = True
            whole = slot.shown == slot.length()
        return tuple(said)

    def delivered(self) -> None:
        """The proposal that showed the last `show` settled, decoded and stands (K16a)."""
        for slot in self._slots:
            if slot.shown:
                self._cut(slot, slot.shown)
                slot.shown, slot.shown_before = 0, False
        self._slots = deque(slot for slot in self._slots if slot.parts)

    def undelivered(self) -> tuple[int, tuple[str, ...]]:
        """How many messages were never wholly delivered, and when they arrived."""
        times = tuple(at for slot in self._slots for _, at in slot.parts)
        return len(times), times

    def _drop_oldest(self, slot: _Slot) -> None:
        self.dropped += 1
        slot.shown, slot.shown_before = 0, False
        if len(slot.parts) > 1:
            slot.parts.popleft()
            return
        text, at = slot.parts[0]
        slot.parts[0] = (text[-OVERFLOW_CHARACTERS:], at)

    @staticmethod
    def _cut(slot: _Slot, characters: int) -> None:
        while slot.parts and characters > 0:
            text, at = slot.parts[0]
            if characters < len(text):
                slot.parts[0] = (text[characters:], at)
                return
            slot.parts.popleft()
            characters -= len(text) + 1
