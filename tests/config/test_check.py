"""A check tells what stops a configuration and what will surprise, without a daemon."""

from pathlib import Path

import pytest

from config.check import check_config

MODEL = '[models.m]\nprovider = "openai"\nmodel = "m"\nbase_url = "http://127.0.0.1:1/v1"\n'


def check(folder: Path, text: str, environ: dict[str, str] | None = None):
    file = folder / "playd.toml"
    file.write_text(text)
    return [
        (item.severity, item.line, item.key, item.problem)
        for item in check_config(file, environ or {})
    ]


def seat(name: str, address: str = "ws://127.0.0.1:1", credential: str = "file:/k") -> str:
    return (
        f'[seats.{name}]\nbody = "pokemon"\nmodel = "m"\ngame = "firered"\n'
        f'display_name = "{name}"\naddress = "{address}"\ncredential = "{credential}"\n'
    )


def test_nothing_is_said_of_a_good_file(tmp_path: Path):
    (tmp_path / "k").write_text("s3cret")
    (tmp_path / "k").chmod(0o600)
    text = (
        MODEL
        + seat("a", credential="file:k")
        + '[worlds.w]\ncheck = ["true"]\nstart = ["sh", "-c", "exit"]\n'
        '[[grants]]\nprincipal = "user:root"\nverbs = ["*"]\n'
        '[[grants]]\nprincipal = "uid:4000000"\nverbs = ["hello"]\n'
    )
    assert check(tmp_path, text) == []


def test_a_seat_without_a_credential_is_an_error_since_no_world_takes_it(tmp_path: Path):
    text = MODEL + seat("a").replace('credential = "file:/k"\n', "")
    assert check(tmp_path, text) == [
        ("error", 5, "seats.a", "has no credential, so every join is refused")
    ]


def test_a_file_that_does_not_load_gives_the_errors_of_loading(tmp_path: Path):
    assert check(tmp_path, "[limits]\nlease_ttl = 1\n") == [
        ("error", 2, "limits.lease_ttl", "expected 30 to 300 seconds, found 1")
    ]


def test_each_credential_that_cannot_be_read_is_an_error_and_never_shown(tmp_path: Path):
    (tmp_path / "open").write_text("hunter2")
    (tmp_path / "open").chmod(0o644)
    room = '[rooms.r]\nkind = "webhook"\nurl = "https://example.org"\nsecret = "file:none"\n'
    text = MODEL + 'credential = "file:open"\n' + room + seat("a", credential="file:none")
    found = check(tmp_path, text)
    assert found == [
        (
            "error",
            5,
            "models.m.credential",
            f"file:{tmp_path}/open has mode 0644, so others than its owner can use it",
        ),
        (
            "error",
            9,
            "rooms.r.secret",
            f"file:{tmp_path}/none cannot be read: No such file or directory",
        ),
        (
            "error",
            16,
            "seats.a.credential",
            f"file:{tmp_path}/none cannot be read: No such file or directory",
        ),
    ]
    assert "hunter2" not in repr(found)


def test_systemd_credentials_are_looked_at_only_where_systemd_passed_some(tmp_path: Path):
    text = MODEL + 'credential = "systemd:m"\n'
    assert [item[0] for item in check(tmp_path, text)] == ["warning"]  # no seats
    environ = {"CREDENTIALS_DIRECTORY": str(tmp_path)}
    assert [item[:3] for item in check(tmp_path, text, environ)][:1] == [
        ("error", 5, "models.m.credential")
    ]


def test_what_will_surprise_is_a_warning(tmp_path: Path):
    (tmp_path / "k").write_text("s3cret")
    (tmp_path / "k").chmod(0o600)
    text = f"""\
[metrics]
bind = "0.0.0.0:9464"
allow_remote = true
[models.m]
provider = "openai"
model = "m"
[models.lan]
provider = "openai"
model = "m"
base_url = "http://10.0.0.1/v1"
credential = "file:k"
{seat("a", credential="file:k")}
{seat("b", credential="file:k")}
[worlds.w]
check = ["true"]
start = ["no-such-program-here"]
[rooms.r]
kind = "webhook"
url = "http://example.org"
secret = "file:k"
principals = ["group:no-such-group", "uid:65534"]
[[grants]]
principal = "user:no-such-user"
verbs = ["status", "join"]
[[grants]]
principal = "anyone"
verbs = []
"""
    assert check(tmp_path, text) == [
        ("warning", 2, "metrics.bind", "anyone who reaches this address can read the metrics"),
        ("warning", 4, "models.m", "has no credential, which its provider asks for"),
        ("warning", 10, "models.lan.base_url", "the credential can be read on the way"),
        ("warning", 20, "seats.b", "is the same player in the same world as seats.a"),
        ("warning", 30, "worlds.w.start", "no program no-such-program-here is found"),
        ("warning", 33, "rooms.r.url", "what the room is told can be read on the way"),
        ("warning", 35, "rooms.r.principals", "this host knows no group:no-such-group"),
        (
            "warning",
            35,
            "rooms.r.principals",
            "uid:65534 is the overflow uid, which matches nobody",
        ),
        ("warning", 37, "grants[0].principal", "this host knows no user:no-such-user"),
        (
            "warning",
            38,
            "grants[0].verbs",
            "join: granted on no seat, which allows nothing",
        ),
        ("warning", 41, "grants[1].verbs", "grants nothing: it names no verb"),
    ]


@pytest.mark.parametrize(
    ("provider", "base_url", "warned"),
    [
        ("openai", "http://127.0.0.1:11434", True),
        ("openai", "http://127.0.0.1:11434/", True),
        ("openai", "http://127.0.0.1:11434/v1", False),
        ("openai", "http://127.0.0.1:11434/api", False),
        ("anthropic", "http://127.0.0.1:1", False),
    ],
)
def test_a_compatible_server_without_a_path_is_probably_meant_with_v1(
    tmp_path: Path, provider: str, base_url: str, warned: bool
):
    text = f'[models.m]\nprovider = "{provider}"\nmodel = "m"\nbase_url = "{base_url}"\n'
    (tmp_path / "playd.toml").write_text(text)
    hints = [item.hint for item in check_config(tmp_path / "playd.toml", {}) if item.line == 4]
    assert hints == (['if this one does: "http://127.0.0.1:11434/v1"'] if warned else [])
