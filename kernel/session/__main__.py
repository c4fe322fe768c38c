"""The session process: `python -m kernel.session`.

Reads one specification line on stdin, then speaks the session protocol on stdin and stdout;
everything else goes to stderr. Exits 0 when the session ended in order, 1 when it did not.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

from kernel.session.descriptors import claim_protocol
from kernel.version import VERSION


def main() -> None:
    """Run one session and exit."""
    incoming, outgoing = claim_protocol()
    # httpx would bring its command line, and with that rich and pygments: 6 MiB that nobody uses.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    import trio

    from kernel.session import wire
    from kernel.session.conversation import converse

    os.write(outgoing, wire.encode_line(wire.Hello(pid=os.getpid(), version=VERSION)))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    code = trio.run(converse, incoming, outgoing)
    # All is written and closed. Taking the interpreter apart would only make every stop longer.
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
