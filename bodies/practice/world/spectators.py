"""Spectators: a page with the player's picture, on the same address as the websocket."""

import trio

from bodies.practice.world.host import Host
from bodies.practice.world.tap import Tap

_HEAD_LIMIT = 16 * 1024
_HEAD_SECONDS = 10.0
_SEND_SECONDS = 10.0
_PAGE = """<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="1">
<title>Practice world</title><style>body{margin:0;background:#101018;text-align:center}
img{height:100vh;max-width:100vw;object-fit:contain;image-rendering:pixelated}</style>
<img src="KEY.png" alt="the player's screen">
"""


async def read_head(stream: trio.abc.Stream) -> bytes:
    """The bytes up to the end of an HTTP head, and whatever came with it; empty if none came."""
    head = b""
    with trio.move_on_after(_HEAD_SECONDS):
        while b"\r\n\r\n" not in head and len(head) < _HEAD_LIMIT:
            data = await stream.receive_some()
            if not data:
                break
            head += data
    return head if b"\r\n\r\n" in head else b""


def wants_websocket(head: bytes) -> bool:
    return b"upgrade: websocket" in head.lower()


async def serve_spectator(host: Host, tap: Tap, head: bytes) -> None:
    """Answers one GET of /watch/KEY or /watch/KEY.png and closes."""
    path = head.split(b" ", 2)[1].decode("ascii", "replace") if head.startswith(b"GET ") else ""
    key = path.removeprefix("/watch/").removesuffix(".png")
    image = host.watched_picture(key) if path.startswith("/watch/") else None
    if image is None:
        answer = _answer("404 Not Found", "text/plain", b"Nobody to watch here.\n")
    elif path.endswith(".png"):
        answer = _answer("200 OK", "image/png", image)
    else:
        page = _PAGE.replace("KEY", key).encode()
        answer = _answer("200 OK", "text/html; charset=utf-8", page)
    with trio.move_on_after(_SEND_SECONDS):
        await tap.send_all(answer)


def _answer(status: str, kind: str, body: bytes) -> bytes:
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
