"""How many connections the control socket holds, and whose: a pure count."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from daemon.control.peers import Caller

TOTAL = 64
FOR_ONE_UID = 16
KEPT_FOR_OWNERS = 8


@dataclass
class Admission:
    """The connections held now. Somebody else's never fill the places kept for root and owner."""

    by_uid: Counter[int] = field(default_factory=Counter[int])
    others: int = 0

    def admit(self, caller: Caller) -> bool:
        """Counts one more connection of the caller, or says that there is no place for it."""
        if self.by_uid.total() >= TOTAL or self.by_uid[caller.uid] >= FOR_ONE_UID:
            return False
        if not caller.owner:
            if self.others >= TOTAL - KEPT_FOR_OWNERS:
                return False
            self.others += 1
        self.by_uid[caller.uid] += 1
        return True

    def leave(self, caller: Caller) -> None:
        """Gives back the place of an admitted connection."""
        self.by_uid[caller.uid] -= 1
        if not self.by_uid[caller.uid]:
            del self.by_uid[caller.uid]
        if not caller.owner:
            self.others -= 1
