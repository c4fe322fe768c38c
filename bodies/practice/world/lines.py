"""Lines: one request and one answer on a connection of their own, over unix or tcp."""

import trio

from bodies.practice.world.conduct import MESSAGE_LIMIT, Hangup, Silence, reply
from bodies.practice.world.host import Host
from bodies.practice.world.tap import Tap, is_local

_REQUEST_SECONDS = 10.0
_SEND_SECONDS = 10.0


async def serve_line(host: Host, stream: trio.abc.Stream) -> None:
    """Answers one line and closes. A request may take 10 s to arrive and its answer to leave."""
    tap = Tap(stream)
    try:
        line = b""
        with trio.move_on_after(_REQUEST_SECONDS):
            while b"\n" not in line and len(line) <= MESSAGE_LIMIT:
                data = await tap.receive_some()
                if not data:
                    break
                line += data
        if b"\n" not in line:
            return
        answer = await reply(
            host, line.partition(b"\n")[0], is_local=is_local(stream), attach=lambda _seat: None
        )
        with trio.move_on_after(_SEND_SECONDS):
            await tap.send_all(answer + b"\n")
    except Hangup:
        await tap.cut()
    except Silence:
        tap.silent = True
        await tap.receive_some()  # until the client gives up
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        pass  # the client went; whatever it asked for is in the chronicle
    finally:
        with trio.move_on_after(1, shield=True):
            await tap.aclose()
