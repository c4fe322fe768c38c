"""A credential is read only where nobody else could have, and shown nowhere."""

import os
from pathlib import Path

import pytest

from config.credentials import MAX_CREDENTIAL_BYTES, CredentialError, read_credential


def private(file: Path, data: bytes, mode: int = 0o600) -> str:
    file.write_bytes(data)
    file.chmod(mode)
    return f"file:{file}"


def refusal(reference: str, environ: dict[str, str] | None = None) -> CredentialError:
    with pytest.raises(CredentialError) as caught:
        read_credential(reference, environ or {})
    return caught.value


@pytest.mark.parametrize(
    ("data", "secret"),
    [
        (b"s3cret", "s3cret"),
        (b"s3cret\n", "s3cret"),
        (b"s3cret\r\n", "s3cret"),
        (b" s3 cret ", " s3 cret "),
        ("sé".encode(), "sé"),
        (b"x" * MAX_CREDENTIAL_BYTES, "x" * MAX_CREDENTIAL_BYTES),
    ],
)
def test_a_private_file_gives_its_one_line(tmp_path: Path, data: bytes, secret: str):
    assert read_credential(private(tmp_path / "key", data), {}).reveal() == secret


@pytest.mark.parametrize("mode", [0o400, 0o600, 0o700])
def test_a_file_of_its_owner_alone_is_read(tmp_path: Path, mode: int):
    assert read_credential(private(tmp_path / "key", b"s", mode), {}).reveal() == "s"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644, 0o777])
def test_a_file_open_to_others_is_refused_with_the_command_that_mends_it(tmp_path: Path, mode: int):
    error = refusal(private(tmp_path / "a key", b"s", mode))
    assert error.problem == f"has mode {mode:04o}, so others than its owner can use it"
    assert error.hint == f"run: chmod 600 '{tmp_path}/a key'"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(tmp_path: Path):
    reference = private(tmp_path / "key", b"s")
    os.chown(tmp_path / "key", 12345, -1)
    assert refusal(reference).problem.startswith("belongs to uid 12345")
    assert refusal(reference).hint == "it is that user's: runuser -u '#12345' -- playctl …"


def test_a_link_is_judged_by_the_file_that_it_leads_to(tmp_path: Path):
    private(tmp_path / "key", b"s")
    (tmp_path / "link").symlink_to(tmp_path / "key")
    assert read_credential(f"file:{tmp_path}/link", {}).reveal() == "s"
    (tmp_path / "key").chmod(0o644)
    assert "0644" in refusal(f"file:{tmp_path}/link").problem


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "is empty"),
        (b"\n", "is empty"),
        (b"a\nb\n", "holds more than one line, or a control character"),
        (b"a\n\n", "holds more than one line, or a control character"),
        (b"a\x00", "holds more than one line, or a control character"),
        (b"hunter2\xff", "is not UTF-8 text"),
        (b"x" * (MAX_CREDENTIAL_BYTES + 1), "is longer than 8192 bytes"),
    ],
)
def test_a_file_that_is_no_credential_is_refused_and_not_quoted(
    tmp_path: Path, data: bytes, problem: str
):
    error = refusal(private(tmp_path / "key", data))
    assert error.problem == problem
    assert "hunter2" not in repr((error, error.args, error.__cause__))


def test_a_folder_a_fifo_a_device_a_loop_and_nothing_are_refused_without_waiting(tmp_path: Path):
    os.mkfifo(tmp_path / "fifo", 0o600)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    problems = {
        tmp_path: "is not a regular file",
        tmp_path / "fifo": "is not a regular file",
        Path("/dev/zero"): "is not a regular file",
        tmp_path / "loop": "cannot be read: Too many levels of symbolic links",
        tmp_path / "none": "cannot be read: No such file or directory",
    }
    for path, problem in problems.items():
        error = refusal(f"file:{path}")
        assert error.problem == problem
        assert str(path) in str(error)


def test_systemd_credentials_are_read_from_the_folder_that_it_names(tmp_path: Path):
    (tmp_path / "anthropic").write_bytes(b"s3cret\n")
    (tmp_path / "anthropic").chmod(0o440)
    environ = {"CREDENTIALS_DIRECTORY": str(tmp_path)}
    assert read_credential("systemd:anthropic", environ).reveal() == "s3cret"
    assert refusal("systemd:other", environ).problem == "cannot be read: No such file or directory"


def test_without_systemd_its_credentials_are_refused_with_a_way_out():
    error = refusal("systemd:anthropic")
    assert error.hint == (
        "add LoadCredential=anthropic:PATH to the unit and restart it, or use file:PATH"
    )
