"""Figures: what was measured, on which machine, and how they are told."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One measured number. `bench` is the argument of `script/bench` that measures it again."""

    bench: str
    name: str
    measured: float
    unit: str
    at_most: float | None = None
    """The goal; None: there is none, and the figure is told for what it is."""


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """Where figures were measured, and how busy it was with other work."""

    system: str
    processor: str
    processors: int
    memory_gib: float
    python: str
    load: float
    """Processes that wanted to run in the minute before."""


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What `--json` writes."""

    machine: Machine
    figures: tuple[Figure, ...]


def this_machine() -> Machine:
    """Described as the kernel describes it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return Machine(
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        processor=models[0] if models else platform.machine(),
        processors=os.cpu_count() or 1,
        memory_gib=round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1),
        python=platform.python_version(),
        load=round(os.getloadavg()[0], 2),
    )


def part(values: Sequence[float], share: float) -> float:
    """The smallest value that this share of all does not exceed; 0.5 is the median."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def table(measured: Measured) -> str:
    """Markdown: a line about the machine, then a row a figure."""
    machine = measured.machine
    rows = [
        f"{machine.processor}, {machine.processors} processors, {machine.memory_gib:g} GiB, "
        f"{machine.system}, Python {machine.python}, load {machine.load:g}.",
        "",
        "| figure | goal | measured | again with |",
        "| --- | ---: | ---: | --- |",
        *(_row(figure) for figure in measured.figures),
    ]
    return "\n".join(rows)


def missed(figures: Iterable[Figure]) -> list[Figure]:
    """Those over their goal."""
    return [f for f in figures if f.at_most is not None and f.measured > f.at_most]


def _row(figure: Figure) -> str:
    goal = "" if figure.at_most is None else f"≤ {figure.at_most:g} {figure.unit}"
    value = f"{figure.measured:.3g}" if figure.measured < 100 else f"{figure.measured:.0f}"
    mark = " (missed)" if missed([figure]) else ""
    again = f"`script/bench {figure.bench}`"
    return f"| {figure.name} | {goal} | {value} {figure.unit}{mark} | {again} |"
