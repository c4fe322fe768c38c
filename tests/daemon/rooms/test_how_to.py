"""The examples of docs/how-to/rooms.md do what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
import trio
from trio.testing import MockClock

from config.loading import load_settings
from config.settings import WebhookRoom
from daemon.rooms.delivery import Delivery
from daemon.rooms.webhook import Webhook

PAGE = (Path(__file__).parents[3] / "docs/how-to/rooms.md").read_text()
BRIDGE, GENUINE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


async def test_the_bridge_posts_what_the_player_says_and_hands_over_what_people_write(
    in_rooms: Any, receiving: Any
):
    with trio.fail_after(60):
        async with in_rooms("converses") as door, receiving() as chat:
            bridge = await trio.lowlevel.open_process(
                [sys.executable, "-c", BRIDGE],
                stdout=subprocess.PIPE,
                env={
                    **os.environ,
                    "PLAYD_SOCKET": os.fspath(door.path),
                    "ROOM": "parlour",
                    "SEAT": "red",
                    "CHAT_TOKEN": "t",
                    "CHAT_WEBHOOK": f"http://127.0.0.1:{chat.port}/",
                    "PORT": "0",
                },
            )
            try:
                assert bridge.stdout is not None
                printed = b""
                while b"is in the room\n" not in printed:
                    printed += await bridge.stdout.receive_some()
                port = int(printed.split()[3])
                await door.join()
                await chat.got(1)
                async with httpx.AsyncClient(trust_env=False) as people:
                    where = f"http://127.0.0.1:{port}/"
                    said = {"token": "t", "user": "ann", "text": "hello there"}
                    strange = await people.post(where, json={**said, "token": "x"})
                    assert strange.status_code == 403
                    for own in ({"bot": True, "text": "red: a door!"}, {}):
                        assert (await people.post(where, json=said | own)).status_code == 204
                await chat.got(3)
                receipts = await door.receipts(3)
            finally:
                bridge.kill()
                await bridge.wait()
                await bridge.stdout.aclose()
    assert [request.json()["text"] for request in chat.requests] == [
        "red: a door!",
        "red: (stuck: here again)",
        "red: ann said hello there",
    ]
    assert [one.outcome for one in receipts] == ["played"] * 3


async def test_the_check_of_a_signature_takes_what_playd_sent_and_nothing_else(
    clock: MockClock,
    receiving: Any,
    webhook: Callable[..., WebhookRoom],
    monkeypatch: pytest.MonkeyPatch,
):
    page: dict[str, Any] = {}
    exec(GENUINE, page)
    genuine = page["genuine"]
    said = Delivery(
        delivery_id="d", kind="speak", room="r", seat="red", session_id="s", at="", text="x"
    )
    async with receiving() as one:
        hook = Webhook(webhook(one.port))
        await hook.deliver(said)
        await hook.close()
    (request,) = one.requests
    headers = {name.title(): value for name, value in request.headers.items()}
    assert genuine(b"of the parlour", headers, request.body)
    assert not genuine(b"of another", headers, request.body)
    assert not genuine(b"of the parlour", headers, request.body + b" ")
    later = {**headers, "Playd-Timestamp": str(int(headers["Playd-Timestamp"]) + 1)}
    assert not genuine(b"of the parlour", later, request.body)
    page["time"] = type("Later", (), {"time": lambda: int(headers["Playd-Timestamp"]) + 301})
    assert not genuine(b"of the parlour", headers, request.body), "a replay"


def test_the_rooms_of_the_page_are_a_configuration(tmp_path: Path, secret: Path):
    control, webhook = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    seat = 'body = "pokemon"\nmodel = "m"\naddress = "ws://127.0.0.1:1/"\ngame = "firered"\n'
    more = f'{seat}display_name = "Red"\n[models.m]\nprovider = "openai"\nmodel = "m"\n'
    path = tmp_path / "playd.toml"
    path.write_text(control + more)
    assert load_settings(path).seats["red"].room == "parlour"
    path.write_text(webhook.replace("/etc/playd/parlour.secret", str(secret)))
    assert isinstance(load_settings(path).rooms["parlour"], WebhookRoom)
    assert msgspec.json.encode(load_settings(path).rooms)
