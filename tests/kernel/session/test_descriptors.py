"""The protocol's descriptors are out of everybody's reach."""

from __future__ import annotations

from pathlib import Path

import trio
from chat_server import chat_server
from session_child import child, specification

from kernel.session import wire


async def test_what_libraries_and_grandchildren_print_is_log_and_no_protocol(
    tmp_path: Path,
) -> None:
    """Case 22."""
    with trio.fail_after(60):
        async with (
            chat_server() as model,
            child(
                specification(tmp_path, model.base_url, body="printing"), body="printing_body"
            ) as session,
        ):
            ended = await session.until(wire.Ended)
            await session.process.wait()
    assert ended.outcome == "finished"
    turns = [message for message in session.heard if isinstance(message, wire.Turn)]
    assert [turn.card.outcome for turn in turns] == ["accepted"] * 3
    assert session.errors.count(b"a library wrote this to descriptor 1") == 3
    assert session.errors.count(b"a grandchild printed this") == 3
