"""The state directory's disk is full for a while: play goes on, and nothing is broken after it."""

from pathlib import Path
from typing import Any

import pytest
from real_daemon import RealDaemon, Refused, real_daemon
from small_disk import filled, small_disk

from kernel.journal.verify import verify


async def test_sessions_play_on_over_a_full_disk_and_nothing_is_corrupt_after_it(
    played: Any, tmp_path: Path
):
    with small_disk(tmp_path / "state", "3m") as disk:
        async with played("red", "blue", "green") as daemon:
            await daemon.join("red")
            await daemon.join("green")
            await daemon.until_turns("red", 2)
            with filled(disk):
                await daemon.until_more_turns("red", 20)
                with pytest.raises(Refused, match="state_unwritable"):
                    await daemon.join("blue")
                assert (await daemon.seat("blue"))["state"] == "idle"
                stopped = await daemon.stop("green")
                assert (stopped["state"], stopped["outcome"]) == ("stopped", "stopped")
                status = await daemon.ask("status")
                assert any("wait for the disk" in problem for problem in status["problems"])
                await daemon.until_more_turns("red", 5)
            assert (await daemon.join("blue"))["generation"] == 1
            await daemon.until_more_turns("red", 5)
            await daemon.until_turns("blue", 2)
            assert (await daemon.ask("status"))["problems"] == []
            assert (await daemon.stop("red"))["outcome"] == "stopped"
            assert await daemon.terminate() == 0
            _nothing_is_corrupt(daemon)
            async with real_daemon(tmp_path / "playd.toml") as again:
                seats = (await again.ask("status"))["seats"]
                assert [seat["state"] for seat in seats] == ["idle"] * 3
                assert (await again.join("green"))["generation"] == 2


def _nothing_is_corrupt(daemon: RealDaemon) -> None:
    whole = ["claimed", "starting", "running", "stopping", "stopped"]
    assert {seat: daemon.states(seat) for seat in ("red", "blue", "green")} == {
        "red": whole, "blue": whole, "green": whole,
    }  # fmt: skip
    for path, lines in daemon.journal_lines().items():
        problems = [found.problem for found in verify(Path(path))]
        assert [problem for problem in problems if "lost" not in problem] == []
        assert lines[0]["kind"] == "header"
    assert "Traceback" not in daemon.log.read_text()


async def test_a_crash_on_a_full_disk_takes_nothing_off_the_bill(played: Any, tmp_path: Path):
    with small_disk(tmp_path / "state", "3m") as disk:
        async with played("red", restart=["crashed"]) as daemon:
            await daemon.join("red")
            await daemon.until_turns("red", 2)
            with filled(disk):
                await daemon.until_more_turns("red", 5)
                told = (await daemon.ask("budget", seat="red"))["used"]["tokens"]
                await daemon.crash("red")
                await daemon.until(lambda: daemon.seats["red"]["state"] != "running")
            await daemon.until_more_turns("red", 1)
            again = (await daemon.ask("budget", seat="red"))["used"]["tokens"]
            assert again > told
