"""What may be opened as a journal, a log or a picture."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kernel.journal.damage import JournalUnreadable
from kernel.journal.evaluation.side_logs import LifecycleEvents
from kernel.journal.listing import Wanted, list_runs
from kernel.journal.memory import read_header
from kernel.journal.opening import open_file


def test_a_file_is_opened(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"words")
    with open_file(tmp_path / "a") as file:
        assert file.read() == b"words"


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_a_pipe_or_a_device_in_a_journals_place_is_named_and_never_waited_for(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "run.jsonl"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case _:
            path.mkdir()
    with pytest.raises(OSError, match=r"Not a file|Is a directory"):
        open_file(path)
    with pytest.raises(JournalUnreadable, match=str(path)):
        read_header(path)
    found = list_runs(tmp_path, Wanted(), LifecycleEvents())
    assert (found.runs, len(found.bad)) == ((), 1)
