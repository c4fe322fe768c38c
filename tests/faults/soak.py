"""An hour of ordinary life at a moderate pace, and the judgement that nothing grew or broke.

Six seats play in the practice world, one has a practice motor. Three of the six and that one are
left in peace, so that their session processes live as long as the run; two are crashed in turn; one
is stopped and joined again. A subscriber follows everything, metrics are scraped, status is asked
for, people speak. The judgement reads only what stands in the folder, so it can be had again.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import click
import httpx
import msgspec
import trio

sys.path.insert(0, str(Path(__file__).parent.parent / "toys"))

from evidence import read_evidence
from invariants import Verdict
from lasting import Soaked, judged
from practice import practice_model, practice_world
from real_daemon import LIMIT, RealDaemon, Refused, configure, real_daemon
from samples import Sample, bytes_of, children_of, read_samples, used_by_each
from setting_out import set_out
from watching import Watching

STEADY = ("anna", "ben", "cleo")
CRASHED = ("dora", "emil")
STOPPED = "finn"
WALKERS = (*STEADY, *CRASHED, STOPPED)
ROOM = "porch"
MINER = "gail"
ALSO = f"""
[rooms.{ROOM}]
kind = "control"

[seats.{MINER}]
body = "minecraft"
model = "practice"
room = "{ROOM}"
motor = ["playd-practice", "motor"]

[seats.{MINER}.profile]
id = "practice"
host = "127.0.0.1"
version = "1.20.1"
username = "{MINER}"

[seats.{MINER}.budget]
tokens = 100000000
"""

SAMPLE_SECONDS = 30.0
SCRAPE_SECONDS = 15.0
STATUS_SECONDS = 1.0
SAY_SECONDS = 7.0
CRASH_SECONDS = 270.0
"""Twelve deaths of a seat in a day are borne; an hour of this is six or seven for each of two."""
STOP_SECONDS = 180.0
SEATS = (*WALKERS, MINER)
WORLD = ("--speed", "8")
MODEL = ("--latency", "1.2")


@dataclass
class Soak:
    """One run, and what it counts by itself."""

    daemon: RealDaemon
    folder: Path
    outside: dict[str, int]
    """Process ids of the world and the model."""
    watching: Watching = field(default_factory=Watching)
    began: float = field(default_factory=trio.current_time)
    slowest_status: float = 0.0
    counts: dict[str, int] = field(default_factory=dict[str, int])

    async def live(self, seconds: float) -> None:
        """Play, sample and disturb for so long."""
        at_rest = self.daemon.open_descriptors()
        async with trio.open_nursery() as following:
            await following.start(self.watching.follow, self.daemon)
            await following.start(self.watching.follow, self.daemon, ROOM)
            await self._play(seconds)
            for seat in SEATS:
                await self.daemon.stop(seat)
            await self._sample()
            await self._scrape()
            following.cancel_scope.cancel()
        await self._end(at_rest)

    async def _play(self, seconds: float) -> None:
        for seat in SEATS:
            await self.daemon.join(seat)
        async with trio.open_nursery() as nursery:
            for work, pause in (
                (self._sample, SAMPLE_SECONDS),
                (self._scrape, SCRAPE_SECONDS),
                (self._status, STATUS_SECONDS),
                (self._say, SAY_SECONDS),
                (self._crash, CRASH_SECONDS),
                (self._stop_and_join, STOP_SECONDS),
            ):
                nursery.start_soon(_again_and_again, work, pause)
            await trio.sleep(seconds)
            nursery.cancel_scope.cancel()

    async def _end(self, at_rest: int) -> None:
        self.watching.keep(self.folder / "watched.json")
        with trio.move_on_after(10):
            while self.daemon.open_descriptors() > at_rest:  # noqa: ASYNC110
                # Nothing tells when the daemon has closed its end of what we hung up.
                await trio.sleep(0.1)
        left = {"descriptorsBefore": at_rest, "descriptorsAfter": self.daemon.open_descriptors()}
        code = await self.daemon.terminate()
        left |= {"exit": code, "orphans": len(self.daemon.sessions_alive())}
        self._write("left.json", left | self.counts)

    async def _sample(self) -> None:
        pids = {"playd": self.daemon.process.pid, **self.outside}
        for seat in (await self.daemon.ask("status"))["seats"]:
            if (session := seat["session"]) and session["pid"]:
                pids[seat["seat"]] = session["pid"]
                pids |= {f"{seat['seat']}'s motor": pid for pid in children_of(session["pid"])}
        others = (self.folder / "playd.log", self.folder / "world.jsonl")
        sample = Sample(
            at=trio.current_time() - self.began,
            used=used_by_each(pids),
            bytes=bytes_of(self.daemon.state, others),
            turns=dict(self.watching.by_seat),
            slowest_status_ms=self.slowest_status * 1000,
        )
        self.slowest_status = 0.0
        with (self.folder / "samples.jsonl").open("ab") as file:
            file.write(msgspec.json.encode(sample) + b"\n")

    async def _scrape(self) -> None:
        found = re.search(r"metrics are at (http://\S+)", self.daemon.log.read_text())
        assert found
        async with httpx.AsyncClient(timeout=LIMIT) as client:
            (self.folder / "metrics.txt").write_text((await client.get(found[1])).text)
        self._count("scrapes")

    async def _status(self) -> None:
        asked = time.perf_counter()
        await self.daemon.ask("status")
        self.slowest_status = max(self.slowest_status, time.perf_counter() - asked)
        self._count("statuses")

    async def _say(self) -> None:
        text = f"Good {random.choice(('morning', 'evening'))}! What do you see?"
        try:
            await self.daemon.ask("say", seat=random.choice(SEATS), text=text)
        except Refused as refused:
            self._count(f"say_{refused.code}")  # the seat was crashed or stopped a moment ago
        else:
            self._count("said")
        # Every second line gets its receipt; the others stay open, as in a room that forgets.
        for room, delivery in self.watching.unacknowledged[::2]:
            word = {"deliveryId": delivery, "outcome": "played"}
            await self.daemon.ask("receipts", room=room, acknowledge=word)
            self._count("acknowledged")
        self.watching.unacknowledged.clear()

    async def _crash(self) -> None:
        await self.daemon.crash(CRASHED[self.counts.get("crashes", 0) % len(CRASHED)])
        self._count("crashes")

    async def _stop_and_join(self) -> None:
        with trio.CancelScope(shield=True):  # a run that ends meanwhile ends with the seat joined
            await self.daemon.stop(STOPPED)
            self._count("stops")
            await trio.sleep(10)
            await self.daemon.join(STOPPED)

    def _count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1

    def _write(self, name: str, value: object) -> None:
        (self.folder / name).write_bytes(msgspec.json.encode(value) + b"\n")


async def play(folder: Path, seconds: float) -> None:
    """Run everything for so long; all that the judgement needs is in the folder then."""
    log = ("--log", str(folder / "model.jsonl"))
    async with (
        practice_world(folder, *WORLD) as world,
        practice_model(*MODEL, *log) as model,
    ):
        path = configure(
            folder,
            world.address,
            model,
            *WALKERS,
            restart=["crashed"],
            in_seat=f'room = "{ROOM}"',
            more=ALSO,
        )
        async with real_daemon(path, following=False) as daemon:
            soak = Soak(daemon, folder, {"world": world.process.pid})
            await soak.live(seconds)


def judge(folder: Path) -> Verdict:
    """Whether the run in this folder was as it should be."""
    return judged(
        Soaked(
            evidence=read_evidence(folder),
            samples=read_samples(folder / "samples.jsonl"),
            lasting=("playd", *STEADY, MINER, f"{MINER}'s motor"),
            seats=SEATS,
            metrics=(folder / "metrics.txt").read_text(),
        )
    )


async def _again_and_again(work: Callable[[], Awaitable[None]], pause: float) -> None:
    while True:
        await trio.sleep(pause)
        await work()


@click.command(help=__doc__, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--seconds",
    type=click.FloatRange(3600, 604800),
    default=3600,
    show_default=True,
    help="How long it plays; judging comes after.",
)
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    help="An empty or new folder for the evidence; else one in the temporary directory.",
)
def main(seconds: float, into: Path | None) -> None:
    """The command."""
    folder = set_out(into, "soak")
    print(f"soak: {seconds:.0f} s, the evidence is in {folder}", flush=True)
    trio.run(play, folder, seconds)
    verdict = judge(folder)
    print("\n".join(verdict.told))
    print(f"The evidence is in {folder}")
    sys.exit(1 if verdict.any else 0)


if __name__ == "__main__":
    main(prog_name="script/soak")
