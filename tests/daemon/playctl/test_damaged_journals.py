"""Every journal command on damaged journals: an error in one line, and no two of them disagree."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from foreign_journals import write_minecraft, write_older
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from played_journal import write_journal

from daemon.playctl.main import run

examples = settings(
    max_examples=2_000 if os.environ.get("PLAYD_FUZZ") else 16,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

Damage = Callable[[bytes], bytes]

damages: st.SearchStrategy[Damage] = st.one_of(
    st.tuples(st.integers(0, 2**20), st.binary(min_size=1, max_size=4)).map(
        lambda at: lambda text: (
            text[: at[0] % (len(text) + 1)] + at[1] + text[at[0] % (len(text) + 1) + len(at[1]) :]
        )
    ),
    st.integers(0, 2**20).map(lambda at: lambda text: text[: at % (len(text) + 1)]),
    st.integers(0, 2**20).map(lambda at: lambda text: text[at % (len(text) + 1) :]),
    st.tuples(
        st.sampled_from(
            [
                b'"accepted"', b'"x":', b'"y":', b"null", b"true", b'"kind":"turn"', b'"mode":',
                b'"turn":', b'"at":"', b"2026", b'"charged":', b'"cost":', b'"usage"', b'"rows":[',
                b'"schemaVersion":2', b'"path":"', b'"result":', b'"lines":[', b'"entries":[',
            ]
        ),
        st.sampled_from(
            [
                b"NaN", b"1e999,", b"9" * 40, b"-1", b"null", b"[", b"{}", b'""', b"\0", b"\xff",
                b'"\\ud800"', b"[" * 2000, b"0", b'"x\\u0000y"', b" " * 300_000, b'"kind":"turn"',
                b'"path":"../../etc/', b'"schemaVersion":1', b'"schemaVersion":9',
            ]
        ),
        st.integers(1, 5),
    ).map(lambda swap: lambda text: text.replace(swap[0], swap[1], swap[2])),
    st.just(lambda text: text.decode("latin-1").encode("utf-16")),
    st.just(lambda text: b"\xef\xbb\xbf" + text),
    st.just(lambda text: text.replace(b"\n", b"\r\n")),
    st.just(lambda text: b"".join(reversed(text.splitlines(keepends=True)))),
    st.just(lambda text: text + text),
)  # fmt: skip


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A journal of each kind."""
    directory = tmp_path_factory.mktemp("sound")
    played = write_journal(directory / "played", 6)
    return [
        played,
        write_older(played, directory / "older.jsonl"),
        write_minecraft(directory / "minecraft.jsonl"),
    ]


def test_what_is_not_damaged_is_whole_and_read_by_every_command(
    sound: list[Path], tmp_path: Path
) -> None:
    for path in sound:
        assert ended(("verify", path)) == 0
        read_by_all(path, tmp_path)


@examples
@given(st.integers(0, 2), st.lists(damages, min_size=1, max_size=3))
def test_no_damage_ends_a_command_in_an_untyped_error(
    sound: list[Path], tmp_path: Path, which: int, damage: list[Damage]
) -> None:
    content = sound[which].read_bytes()
    for one in damage:
        content = one(content)
    path = tmp_path / "journal.jsonl"
    path.write_bytes(content)
    read_by_all(path, tmp_path)


@examples
@given(st.integers(0, 2), st.randoms(use_true_random=False))
def test_no_value_in_any_place_ends_a_command_in_an_untyped_error(
    sound: list[Path], tmp_path: Path, which: int, chance: random.Random
) -> None:
    lines = [json.loads(line) for line in sound[which].read_text().splitlines()]
    for _ in range(chance.randint(1, 3)):
        node = chance.choice(lines)
        while True:
            key = chance.choice(list(node) if isinstance(node, dict) else range(len(node)))
            inner = node[key]
            if not isinstance(inner, dict | list) or not inner or chance.random() < 0.1:
                node[key] = chance.choice(VALUES)
                break
            node = inner
    path = tmp_path / "journal.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    read_by_all(path, tmp_path)


VALUES = (
    None, True, -1, 0, 2**53, 2**53 - 1, -(2**53) + 1, 2**70, 1.5, 1e300, "", "x", "\0", "9" * 400,
    "2026-99-99T99:99:99Z", "2026-03-01T10:00:00.000Z", [], {}, [[]], [None], ["x"], {"kind": "x"},
    [{"kind": "scene", "data": {}}], {"observations": []}, {"turn": 3}, "../..", "unknown",
)  # fmt: skip


def read_by_all(path: Path, directory: Path) -> None:
    """Runs every command. What verify finds whole, all the others read."""
    whole = ended(("verify", path)) == 0
    played = b'"kind":"turn"' in path.read_bytes().replace(b'": "', b'":"')
    for arguments in (
        ("verify", path, "--no-digests", "--json"),
        ("evaluate", path, "--json", "--events", path, "--voice-receipts", path),
        ("evaluate", path, path),
        ("show", path, "0-"),
        ("show", path, "0-", "--json"),
        ("tail", path),
        ("list", "-d", directory, "--since", "2020-01-01"),
        ("story", path, "--json"),
        ("recall", path),
        ("report", path, "-o", directory / "run.html"),
    ):
        code = ended(arguments)
        if whole and (played or arguments[0] != "show"):
            assert code == 0, arguments


def ended(arguments: tuple[str | Path, ...]) -> int:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(["journal", *map(str, arguments)])
    assert code in (0, 1)
    # What msgspec raises would be taken for an answer of the daemon.
    assert "the daemon answered" not in err.getvalue()
    return code
