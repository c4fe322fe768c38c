"""What fails beside the play costs no turn; it is said once a session, for its log (K13)."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field


@dataclass(slots=True)
class Troubles:
    """Says the first trouble of each part on stderr; how many came stands in the counters."""

    _said: set[str] = field(default_factory=set[str])

    def say(self, part: str, trouble: str) -> None:
        """`part` is a word such as `journal`; `trouble` never carries a secret."""
        if part not in self._said:
            self._said.add(part)
            print(f"{part}: {trouble}; play goes on without it", file=sys.stderr)
