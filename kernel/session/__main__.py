"""The session process: `python -m kernel.session`.

Reads one specification line on stdin, then speaks the session protocol on stdin and stdout;
everything else goes to stderr. Exits 0 when the session ended in order, 1 when it did not.
"""

from __future__ import annotations

import os
import signal
import sys

from kernel.session.descriptors import claim_protocol
from kernel.version import VERSION


def main() -> None:
    """Run one session and exit."""
    incoming, outgoing = claim_protocol()
    import trio

    from kernel.session import wire
    from kernel.session.conversation import converse

    os.write(outgoing, wire.encode_line(wire.Hello(pid=os.getpid(), version=VERSION)))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(trio.run(converse, incoming, outgoing))


if __name__ == "__main__":
    main()
