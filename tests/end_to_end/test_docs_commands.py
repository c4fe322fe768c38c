"""The commands of the docs are run as they stand, against a real daemon on the practice ground.

Every `sh` block of the pages below is run. What stands in a `console` block needs an account or
another machine. The commands of docs/how-to/operate.md need a booted systemd;
tests/end_to_end/systemd runs those that install, and does what the others do.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TUTORIAL = DOCS / "tutorial/first-seat.md"
ON_THE_GROUND: dict[str, tuple[str, ...]] = {
    "budgets": (),
    "read-a-journal": (),
    "recover-a-seat": (),
    "local-model": (),
    "minecraft": ("Try it",),  # the rest installs a server and a motor of others
    "stop-and-drain": (),
}
"""Pages in the order in which they are run, and which sections; the last ends the daemon."""
RUN_ELSEWHERE = {DOCS / "how-to/operate.md"}
LIMIT = 120.0
"""Seconds for a page: a bound, not an expectation."""


def test_every_page_with_commands_is_run() -> None:
    with_commands = {page for page in DOCS.rglob("*.md") if commands(page)}
    run_here = {TUTORIAL, *(DOCS / f"how-to/{name}.md" for name in ON_THE_GROUND)}
    assert with_commands - RUN_ELSEWHERE == run_here


def test_the_tutorial_leads_to_a_played_seat(tmp_path: Path) -> None:
    said = run("\n".join(commands(TUTORIAL)), tmp_path)
    assert said.count("finished: 1 turns were played") > 1, (
        "the demonstration and the first sitting"
    )
    assert "<html" in (tmp_path / "first-seat/run.html").read_text()


def test_the_commands_of_the_how_tos_do_what_they_say(tmp_path: Path) -> None:
    script = commands(TUTORIAL, "A configuration of your own", "Start the daemon")
    script.append("playctl world start red")
    for name, sections in ON_THE_GROUND.items():
        script += [f"echo '== {name}'", *commands(DOCS / f"how-to/{name}.md", *sections)]
        script.append("playctl stop red >/dev/null 2>&1 || :")
    run("\n".join(script), tmp_path)


def commands(page: Path, *sections: str) -> list[str]:
    """The `sh` blocks of a page, or of these sections of it."""
    parts = re.split(r"^## (.+)$", page.read_text(), flags=re.M)
    chosen = [
        text
        for title, text in zip(["", *parts[1::2]], parts[::2], strict=True)
        if not sections or title in sections
    ]
    return [block for text in chosen for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)]


def run(script: str, home: Path) -> str:
    """Run it in one shell with ports of its own; what it and its daemon said, once all is over."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
    ports = [str(one.getsockname()[1]) for one in held]
    for one in held:
        one.close()
    script = re.sub(r"turns \d+$", "turns 1", script, flags=re.M)  # more would take minutes
    script = script.replace("8470", ports[0]).replace("8471", ports[1])
    script = script.replace("[control]", f'[metrics]\nbind = "127.0.0.1:{ports[2]}"\n\n[control]')
    environ = {
        "PATH": f"{ROOT}/.venv/bin:{os.environ['PATH']}",
        "HOME": str(home),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
    }
    ending = "trap 'playctl drain >/dev/null 2>&1 || :; wait' EXIT\n"
    shell = subprocess.Popen(
        ["sh", "-euc", ending + script],
        cwd=ROOT,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = shell.communicate(timeout=LIMIT)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()
    assert shell.returncode == 0, f"{shlex.quote(script[-200:])} ended {shell.returncode}: {said}"
    return said
