"""stub"""

from __future__ import annotations

NEEDED = frozenset(("joinGame",))
