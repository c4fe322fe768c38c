"""`script/bench`: runs one bench or all of them, and tells the figures."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click
import msgspec
import trio

sys.path.insert(0, str(Path(__file__).parent.parent / "toys"))

import busy
import idle
import journals
import peer
import round_trip
import spawn
import stopping
import turns
import watching
from figures import Figure, Measured, missed, table, this_machine


def _kernel() -> list[Figure]:
    figures = turns.run()

    def figure(name: str, key: str, unit: str, goal: float | None = None) -> Figure:
        return Figure(bench="kernel", name=name, measured=figures[key], unit=unit, at_most=goal)

    turn = "one Pokémon turn, journal and evidence included"
    return [
        figure(f"the kernel's work in {turn}", "work_ms_per_turn", "ms", 0.35),
        figure("the same, on the clock", "wall_ms_per_turn", "ms"),
        figure("what it writes", "journal_kib_per_turn", "KiB"),
    ]


def _journal() -> list[Figure]:
    figures = journals.run()

    def figure(name: str, key: str, unit: str, goal: float | None = None) -> Figure:
        return Figure(bench="journal", name=name, measured=figures[key], unit=unit, at_most=goal)

    small = f"a journal of {figures['turns']:g} turns, {figures['megabytes']:.1f} MB"
    large = f"a journal of {figures['large_megabytes']:.0f} MB"
    return [
        figure(f"evaluation of {small}", "evaluate_work_ms", "ms", 40),
        figure(f"verification of {small}", "verify_work_ms", "ms"),
        figure(f"verification of {large}", "large_verify_mb_per_s", "MB/s"),
        figure("the same, order and size alone", "large_verify_without_digests_mb_per_s", "MB/s"),
        figure(f"verification of {large}, most memory", "large_verify_peak_mib", "MiB"),
    ]


_BENCHES: dict[str, Callable[[], list[Figure]]] = {
    "kernel": _kernel,
    "journal": _journal,
    "spawn": lambda: trio.run(spawn.measure),
    "round-trip": lambda: trio.run(round_trip.measure),
    "watch": lambda: trio.run(watching.measure),
    "stop": lambda: trio.run(stopping.measure),
    "idle": lambda: trio.run(idle.measure),
    "busy": lambda: trio.run(busy.measure_busy),
    "fifty": lambda: trio.run(busy.measure_fifty),
}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("bench", type=click.Choice([*_BENCHES, "peer", "all"]))
@click.argument("supervisord", type=click.Path(exists=True, path_type=Path), required=False)
@click.option("--json", "file", type=click.Path(path_type=Path), help="Write the figures here too.")
def main(bench: str, supervisord: Path | None, file: Path | None) -> None:
    """Measure playd on this machine and print the figures as a table.

    SUPERVISORD is the program of that name to compare with: `peer` needs it, `all` may have it.
    Exits 1 when a figure misses its goal.
    """
    if bench == "peer" and supervisord is None:
        raise click.UsageError("peer needs the path of a supervisord")
    machine = this_machine()
    figures: list[Figure] = []
    for name, measure in _BENCHES.items():
        if bench in (name, "all"):
            click.echo(f"measures: {name}", err=True)
            figures += measure()
    if supervisord is not None and bench in ("peer", "all"):
        click.echo("measures: peer", err=True)
        figures += trio.run(peer.measure, supervisord)
    measured = Measured(machine=machine, figures=tuple(figures))
    click.echo(table(measured))
    if file is not None:
        file.write_bytes(msgspec.json.format(msgspec.json.encode(measured)))
    sys.exit(1 if missed(figures) else 0)


if __name__ == "__main__":
    main(prog_name="script/bench")
