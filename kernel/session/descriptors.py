"""Takes the protocol's descriptors out of everybody's reach.

After `claim_protocol` descriptor 0 reads nothing and descriptor 1 points at stderr, so that neither
a library's print nor a grandchild can break the protocol.
"""

from __future__ import annotations

import fcntl
import os

_ABOVE_STDIO = 3


def claim_protocol() -> tuple[int, int]:
    """Private descriptors for the protocol's input and output, closed on exec."""
    incoming = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _ABOVE_STDIO)
    outgoing = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, _ABOVE_STDIO)
    nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return incoming, outgoing
