from __future__ import annotations

import hashlib
import stat
import struct
from pathlib import Path

import pytest

from kernel.journal.screenshots import MOST, SIZE_LIMIT, Screenshots


def picture(size: int = 100, width: int = 240, height: int = 160) -> bytes:
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height)
    return head + bytes(size - len(head))


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "20260301T100000000Z-run-1.jsonl"


def test_a_kept_picture_is_a_private_file_with_a_whole_reference(journal: Path) -> None:
    kept = Screenshots(journal).keep(picture(), 25, ["interval"])
    assert kept is not None
    assert kept.path == ".screenshots/20260301T100000000Z-run-1/turn-000025.png"
    path = journal.parent / kept.path
    assert path.read_bytes() == picture()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700
    assert (kept.bytes, kept.width, kept.height) == (100, 240, 160)
    assert kept.sha256 == hashlib.sha256(picture()).hexdigest()
    assert kept.reasons == ("interval",)


def test_a_run_keeps_at_most_63_pictures_and_the_one_of_its_end(journal: Path) -> None:
    screenshots = Screenshots(journal)
    kept = [screenshots.keep(picture(), number, ["interval"]) for number in range(MOST + 5)]
    assert [reference is not None for reference in kept] == [True] * 63 + [False] * 5
    end = screenshots.keep_end(picture())
    assert end is not None
    assert end.reasons == ("end",)
    assert len(list(journal.parent.rglob("*.png"))) == 64


@pytest.mark.parametrize(
    ("png", "kept"),
    [
        (picture(SIZE_LIMIT), True),
        (picture(SIZE_LIMIT + 1), False),
        (b"", False),
        (b"GIF89a" + bytes(100), False),
        (picture()[:20], False),
    ],
)
def test_only_a_png_within_512_kib_is_kept(journal: Path, png: bytes, kept: bool) -> None:
    screenshots = Screenshots(journal)
    assert (screenshots.keep(png, 0, ["first"]) is not None) is kept
    assert screenshots.refused == (not kept)
    assert len(list(journal.parent.rglob("*.png"))) == kept


def test_a_disk_that_takes_no_picture_costs_the_picture_alone(journal: Path) -> None:
    """K13."""
    (journal.parent / ".screenshots").write_text("in the way")
    screenshots = Screenshots(journal)
    assert screenshots.keep(picture(), 0, ["first"]) is None
    assert (screenshots.kept, screenshots.failed) == (0, 1)
    assert screenshots.trouble is not None


def test_a_picture_never_replaces_another(journal: Path) -> None:
    screenshots = Screenshots(journal)
    screenshots.keep(picture(), 0, ["first"])
    assert screenshots.keep(picture(200), 0, ["first"]) is None
    (path,) = journal.parent.rglob("*.png")
    assert path.read_bytes() == picture()
