"""The kernel names no game, and a further game touches nothing in it."""

from __future__ import annotations

import inspect
import pkgutil
import re
from pathlib import Path

import dice
import trio
from chat_server import chat_server
from session_child import child, lines_of, specification

import bodies
import kernel
from kernel.bodies import body_named
from kernel.journal.verify import verify
from kernel.session import wire

KERNEL = Path(kernel.__file__).parent
SPOKEN = {"pokémon", "pokeagents", "mineflayer", "gameboy"}
"""What games are called beside the names that they register."""


def names_of_games() -> set[str]:
    playable = {module.name for module in pkgutil.iter_modules(bodies.__path__)} - {"practice"}
    registered = {name for body in playable for name in body_named(body).environments}
    return SPOKEN | playable | {part for name in registered for part in name.split("-") if part}


def test_no_file_of_the_kernel_names_a_game() -> None:
    names = re.compile("|".join(map(re.escape, names_of_games())), re.IGNORECASE)
    files = [file for file in KERNEL.rglob("*") if file.is_file() and file.suffix != ".pyc"]
    found = [
        f"{file}:{number}"
        for file in files
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if names.search(line)
    ]
    assert found == []
    assert len(files) > 50


def test_the_names_are_those_of_the_games_there_are() -> None:
    assert names_of_games() >= {"pokemon", "firered", "emerald", "minecraft"}


async def test_a_third_game_of_sixty_lines_is_played_by_a_real_session(tmp_path: Path) -> None:
    assert len(inspect.getsource(dice.Die).splitlines()) <= 60
    with trio.fail_after(60):
        async with (
            chat_server(answer={"face": 4}) as model,
            child(specification(tmp_path, model.base_url, body="dice"), body="dice") as session,
        ):
            ended = await session.until(wire.Ended)
            await session.process.wait()
    assert session.errors.decode() == ""
    assert (ended.outcome, ended.turns_taken) == ("finished", 3)
    effects = [line["turn"]["effect"] for line in lines_of(tmp_path) if line["kind"] == "turn"]
    assert effects == ["it was 1 and is 4", "it was 4 and is 4", "it was 4 and is 4"]
    (journal,) = (tmp_path / "journals").glob("*.jsonl")
    assert verify(journal) == []
