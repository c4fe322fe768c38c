from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from kernel.journal.lines import NotableLine
from kernel.journal.windows import EvidenceWindow
from kernel.journal.writer import JournalWriter

OpenWriter = Callable[..., JournalWriter]


def test_a_window_of_256_lines_is_sealed_over_its_exact_bytes_and_chained(
    open_writer: OpenWriter,
) -> None:
    """K35; counted here anew, without the code under test."""
    journal = open_writer()
    for number in range(600):
        journal.write(NotableLine(notable="stuck", turn=number))
    window: list[bytes] = []
    seals: list[tuple[dict[str, object], list[bytes]]] = []
    for line in journal.path.read_bytes().splitlines(keepends=True):
        if json.loads(line)["kind"] == "evidence_window":
            seals.append((json.loads(line), window))
            window = []
        else:
            window.append(line)
    assert len(seals) == 2
    assert journal.rolled_windows == 2
    assert journal.window == 2
    previous = None
    for index, (seal, lines) in enumerate(seals):
        digest = hashlib.sha256(b"".join(lines)).hexdigest()
        assert len(lines) == 256
        assert (seal["window"], seal["lines"]) == (index, 256)
        assert seal["bytes"] == sum(map(len, lines))
        assert seal["sha256"] == digest
        assert seal["previousSha256"] == previous
        previous = digest


def test_the_seal_follows_the_last_line_of_its_window_at_once(open_writer: OpenWriter) -> None:
    journal = open_writer()
    for number in range(255):
        journal.write(NotableLine(notable="stuck", turn=number))
    assert json.loads(journal.path.read_bytes().splitlines()[-1])["kind"] == "evidence_window"


def test_a_fresh_window_knows_the_seal_before_it() -> None:
    window = EvidenceWindow()
    window.add(b"a\n")
    first = window.seal()
    window.roll(first)
    window.add(b"b\n")
    second = window.seal()
    assert (second.window, second.lines, second.bytes) == (1, 1, 2)
    assert second.previous_sha256 == first.sha256 == hashlib.sha256(b"a\n").hexdigest()
