"""A configuration file becomes settings, or everything that is wrong with it."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from config.finding import ConfigError, Finding
from config.loading import MAX_CONFIG_BYTES, MAX_FINDINGS, load_settings
from config.settings import MinecraftSeat, PokemonSeat, Settings, WebhookRoom

WHOLE = """\
[models.small]
provider = "openai"
model = "small-1"
base_url = "http://127.0.0.1:8080/v1"
credential = "file:keys/small"

[seats.misty]
body = "pokemon"
model = "small"
address = "wss://world.example.org/seat"
game = "firered"
display_name = "Misty"
credential = "file:keys/misty"

[seats.alex]
body = "minecraft"
model = "small"
room = "team"
motor = ["motor", "--stdio"]
profile = { id = "p", host = "127.0.0.1", version = "1.20.1", username = "Alex" }

[rooms.team]
kind = "webhook"
url = "https://rooms.example.org/"
secret = "systemd:team"

[[grants]]
principal = "group:players"
verbs = ["join", "stop"]
seats = ["misty"]
"""
MODEL = '[models.m]\nprovider = "openai"\nmodel = "m"\n'
POKEMON = (
    MODEL + '[seats.misty]\nbody = "pokemon"\ngame = "firered"\ndisplay_name = "Misty"\n'
    'model = "m"\naddress = "ws://127.0.0.1:1"\n'
)
MINECRAFT = (
    MODEL + '[seats.alex]\nbody = "minecraft"\nmodel = "m"\nmotor = ["motor"]\n'
    'profile = { id = "p", host = "h", version = "1", username = "Alex" }\n'
)
ROOM = '[rooms.team]\nkind = "webhook"\nsecret = "systemd:s"\nurl = "https://example.org/"\n'


def load(folder: Path, text: str | bytes) -> Settings:
    file = folder / "playd.toml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_settings(file)


def findings(folder: Path, text: str | bytes) -> tuple[Finding, ...]:
    with pytest.raises(ConfigError) as caught:
        load(folder, text)
    return caught.value.findings


def outcome(file: Path) -> tuple[Finding, ...]:
    try:
        load_settings(file)
    except ConfigError as error:
        return error.findings
    return ()


def test_an_empty_file_is_a_configuration_with_every_default(tmp_path: Path):
    loaded = load(tmp_path, "")
    assert loaded == Settings()
    assert loaded.limits.stop_deadline == 15
    assert loaded.limits.lease_ttl == 60
    assert loaded.metrics.bind == "127.0.0.1:9464"


def test_a_whole_file_becomes_typed_settings_with_absolute_paths(tmp_path: Path):
    loaded = load(tmp_path, WHOLE)
    misty, alex, team = loaded.seats["misty"], loaded.seats["alex"], loaded.rooms["team"]
    assert isinstance(misty, PokemonSeat)
    assert isinstance(alex, MinecraftSeat)
    assert isinstance(team, WebhookRoom)
    assert (misty.body, misty.game, alex.body, alex.game) == (
        "pokemon",
        "firered",
        "minecraft",
        "minecraft",
    )
    assert alex.motor == ("motor", "--stdio")
    assert alex.profile.port == 25565
    assert misty.budget.tokens == 250_000
    assert misty.restart == {"crashed", "hung", "protocol_error"}
    assert misty.credential == f"file:{tmp_path}/keys/misty"
    assert loaded.models["small"].credential == f"file:{tmp_path}/keys/small"
    assert team.secret == "systemd:team"
    assert loaded.grants[0].verbs == {"join", "stop"}


def test_every_path_is_resolved_from_the_folder_of_the_file_and_not_from_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "p.txt").write_text("A gardener.")
    (tmp_path / "ca.pem").write_text("-----BEGIN CERTIFICATE-----\n")
    text = (
        'state_directory = "state"\ncontrol.socket = "c.sock"\npersonas.p.file = "p.txt"\n'
        'models.m = { provider = "openai", model = "m", ca_file = "ca.pem" }\n'
        + POKEMON.removeprefix(MODEL).replace("ws://", "wss://")
        + 'ca_file = "ca.pem"\n'
        + ROOM.replace("systemd:s", "file:/etc/secret")
    )
    (tmp_path / "playd.toml").write_text(text)
    monkeypatch.chdir(tmp_path.parent)
    loaded = load_settings(Path(tmp_path.name) / "playd.toml")
    seat, room = loaded.seats["misty"], loaded.rooms["team"]
    assert isinstance(seat, PokemonSeat)
    assert isinstance(room, WebhookRoom)
    assert {
        loaded.state_directory,
        loaded.control.socket,
        loaded.personas["p"].file,
        loaded.models["m"].ca_file,
        seat.ca_file,
        room.secret,
    } == {
        f"{tmp_path}/state",
        f"{tmp_path}/c.sock",
        f"{tmp_path}/p.txt",
        f"{tmp_path}/ca.pem",
        "file:/etc/secret",
    }


def test_one_changed_seat_leaves_the_others_equal(tmp_path: Path):
    """Case 31: what a reload compares."""
    before = load(tmp_path, WHOLE)
    after = load(tmp_path, WHOLE.replace('"Misty"', '"Misty B"'))
    assert before.seats["misty"] != after.seats["misty"]
    assert before.seats["alex"] == after.seats["alex"]
    assert load(tmp_path, WHOLE + "\n# a remark\n") == before


def test_the_order_of_verbs_and_restart_outcomes_means_nothing(tmp_path: Path):
    one = POKEMON + 'restart = ["hung", "crashed"]\n'
    other = POKEMON + 'restart = ["crashed", "hung"]\n'
    assert load(tmp_path, one) == load(tmp_path, other)


BAD: list[tuple[str, str, str, int | None, str, str | None]] = [
    # what the test is called, the text, then key, line, problem and hint of the one finding
    (
        "unknown key",
        "[limits]\nlease_tll = 60\n",
        "limits.lease_tll",
        2,
        "no such key",
        'did you mean "lease_ttl"?',
    ),
    (
        "unknown table",
        "\n[seat.misty]\n",
        "seat",
        2,
        "no such key",
        'did you mean "seats"?',
    ),
    (
        "unknown key unlike any",
        "[log]\nzzz = 1\n",
        "log.zzz",
        2,
        "no such key",
        "known: level",
    ),
    (
        "number out of range",
        "[limits]\n\nlease_ttl = 5\n",
        "limits.lease_ttl",
        3,
        "expected 30 to 300 seconds, found 5",
        None,
    ),
    (
        "not a number",
        "limits.stop_deadline = nan\n",
        "limits.stop_deadline",
        1,
        "expected 5 to 300 seconds, found a number out of range",
        None,
    ),
    (
        "a number of 20,000 bits",
        f"limits.stop_deadline = 0x{'f' * 5000}\n",
        "limits.stop_deadline",
        1,
        "expected 5 to 300 seconds, found a number out of range",
        None,
    ),
    (
        "text for a number",
        'limits.stop_deadline = "15"\n',
        "limits.stop_deadline",
        1,
        "expected 5 to 300 seconds, found a string",
        None,
    ),
    (
        "number for a switch",
        "metrics.allow_remote = 1\n",
        "metrics.allow_remote",
        1,
        "expected true or false, found 1",
        None,
    ),
    (
        "date for a path",
        "state_directory = 2024-01-01\n",
        "state_directory",
        1,
        "expected a path, absolute or relative to this file, found a date or time",
        None,
    ),
    ("value for a table", "limits = 3\n", "limits", 1, "expected a table, found 3", None),
    ("value for named tables", "seats = []\n", "seats", 1, "expected a table, found a list", None),
    (
        "value for a seat",
        'seats.misty = "x"\n',
        "seats.misty",
        1,
        "expected a table, found a string",
        None,
    ),
    (
        "a model without a provider",
        '[models.m]\nmodel = "m"\n',
        "models.m.provider",
        1,
        "is missing",
        "expected one of openai, anthropic",
    ),
    (
        "an unknown provider",
        MODEL.replace("openai", "opnai"),
        "models.m.provider",
        2,
        "is not one of openai, anthropic",
        'did you mean "openai"?',
    ),
    (
        "a reserve under 16,000 (K28)",
        MODEL + "reserve = 15999\n",
        "models.m.reserve",
        4,
        "expected 16000 tokens or more, found 15999",
        None,
    ),
    (
        "a price without the rate of cache reads",
        MODEL + "price = { input = 1, cache_write = 1.5, output = 2 }\n",
        "models.m.price.cache_read",
        4,
        "is missing",
        "expected dollars, 0 or more",
    ),
    (
        "a local model with a price",
        MODEL + "local = true\n[models.m.price]\n"
        "input = 1\ncache_read = 1\ncache_write = 1\noutput = 1\n",
        "models.m.price",
        5,
        "contradicts local = true, which means a price of 0",
        "keep one",
    ),
    (
        "a model's address with a password",
        MODEL + 'base_url = "https://me:hunter2@example.org"\n',
        "models.m.base_url",
        4,
        "must not carry a user or a password",
        None,
    ),
    (
        "a name with capitals",
        '[personas.Misty]\nfile = "/dev/null"\n',
        "personas.Misty",
        1,
        "is not a name of 1 to 32 characters: a-z, 0-9 and - (not first)",
        None,
    ),
    (
        "a seat without a body",
        "[seats.misty]\n",
        "seats.misty.body",
        1,
        "is missing",
        "one of pokemon, minecraft",
    ),
    (
        "a body that nobody knows",
        POKEMON.replace('"pokemon"', '"pokmon"'),
        "seats.misty.body",
        5,
        "is not one of pokemon, minecraft",
        'did you mean "pokemon"?',
    ),
    (
        "a body that is no word",
        POKEMON.replace('"pokemon"', "[]"),
        "seats.misty.body",
        5,
        "expected one of pokemon, minecraft, found a list",
        None,
    ),
    (
        "a key of the other body",
        POKEMON + 'motor = ["x"]\n',
        "seats.misty.motor",
        10,
        "no such key",
        "known: address, body, budget, ca_file, credential, display_name, game, insecure, model, "
        "persona, restart, room, voice_model, world",
    ),
    (
        "a model that is not configured",
        POKEMON.replace('model = "m"\naddress', 'model = "n"\naddress'),
        "seats.misty.model",
        8,
        'no model is named "n"',
        "known: m",
    ),
    (
        "a voice that is not configured",
        POKEMON + 'voice_model = "mm"\n',
        "seats.misty.voice_model",
        10,
        'no model is named "mm"',
        'did you mean "m"?',
    ),
    (
        "a persona that does not exist",
        POKEMON + 'persona = "explorers"\n',
        "seats.misty.persona",
        10,
        'no persona is named "explorers"',
        'did you mean "explorer"?',
    ),
    (
        "a room that is not configured",
        POKEMON + 'room = "team"\n',
        "seats.misty.room",
        10,
        'no room is named "team"',
        "no room is configured",
    ),
    (
        "a world that is not configured",
        POKEMON + 'world = "home"\n',
        "seats.misty.world",
        10,
        'no world is named "home"',
        "no world is configured",
    ),
    (
        "a budget below zero in an inline table",
        POKEMON + "budget = { tokens = -1 }\n",
        "seats.misty.budget.tokens",
        10,
        "expected a number of tokens, 0 or more, found -1",
        None,
    ),
    (
        "a restart after an outcome that never restarts",
        POKEMON + 'restart = ["crashed", "stopped"]\n',
        "seats.misty.restart[1]",
        10,
        "is not one of crashed, hung, protocol_error, mind_unavailable",
        None,
    ),
    (
        "plaintext to the outside",
        POKEMON.replace("127.0.0.1:1", "example.org"),
        "seats.misty.address",
        9,
        "is plaintext to an address that is not loopback",
        "use an encrypted scheme, or set insecure = true if that network is trusted",
    ),
    (
        "an address of an unknown kind",
        POKEMON.replace("ws://", "http://"),
        "seats.misty.address",
        9,
        "does not start with wss://, ws://, tls://, tcp:// or unix:/",
        None,
    ),
    (
        "a missing certificate authority",
        POKEMON.replace("ws://", "wss://") + 'ca_file = "/nowhere/ca.pem"\n',
        "seats.misty.ca_file",
        10,
        "/nowhere/ca.pem cannot be read: No such file or directory",
        None,
    ),
    (
        "a certificate authority that is no certificate",
        POKEMON.replace("ws://", "wss://") + 'ca_file = "/etc/passwd"\n',
        "seats.misty.ca_file",
        10,
        "/etc/passwd holds no PEM certificate",
        None,
    ),
    (
        "a missing persona file",
        '[personas.p]\nfile = "/nowhere/p.txt"\n',
        "personas.p.file",
        2,
        "/nowhere/p.txt cannot be read: No such file or directory",
        None,
    ),
    (
        "an empty motor command",
        MINECRAFT.replace('["motor"]', "[]"),
        "seats.alex.motor",
        7,
        "expected a command as a list of words, found a list",
        None,
    ),
    (
        "a motor that is not named",
        MINECRAFT.replace('motor = ["motor"]', ""),
        "seats.alex.motor",
        4,
        "is missing",
        "expected a command as a list of words or an address",
    ),
    (
        "a motor argument that is no text",
        MINECRAFT.replace('["motor"]', '[\n  "motor",\n  3,\n]'),
        "seats.alex.motor[1]",
        7,
        "expected a string, found 3",
        None,
    ),
    (
        "a motor URL in plaintext to the outside",
        MINECRAFT.replace('["motor"]', '"http://10.0.0.1:3000/mcp"'),
        "seats.alex.motor",
        7,
        "is plaintext to an address that is not loopback",
        "use an encrypted scheme, or set insecure = true if that network is trusted",
    ),
    (
        "a profile without a host",
        MINECRAFT.replace('host = "h", ', ""),
        "seats.alex.profile.host",
        8,
        "is missing",
        "expected one line of 1 to 200 characters",
    ),
    (
        "an account that is not offline",
        MINECRAFT.replace('"Alex" }', '"Alex", auth = "microsoft" }'),
        "seats.alex.profile.auth",
        8,
        "is not one of offline",
        None,
    ),
    (
        "a world without a way to check it",
        '[worlds.home]\nstart = ["home"]\n',
        "worlds.home.check",
        1,
        "is missing",
        "expected a command as a list of words",
    ),
    (
        "a room of an unknown kind",
        '[rooms.team]\nkind = "irc"\n',
        "rooms.team.kind",
        2,
        "is not one of control, webhook, log",
        None,
    ),
    (
        "a webhook into the private network",
        ROOM.replace("example.org", "192.168.1.5"),
        "rooms.team.url",
        4,
        "leads to this host or a private network",
        "if that is meant, set allow_private_addresses = true",
    ),
    (
        "metrics for everybody",
        '[metrics]\nbind = "0.0.0.0:9464"\n',
        "metrics.bind",
        2,
        "is not a loopback address",
        "anyone who reaches it can read the metrics; if that is meant, "
        "set metrics.allow_remote = true",
    ),
    (
        "metrics without a port",
        'metrics.bind = "127.0.0.1"\n',
        "metrics.bind",
        1,
        "needs a port",
        "expected HOST:PORT",
    ),
    (
        "a socket path that no kernel takes",
        f'control.socket = "/{"s" * 107}"\n',
        "control.socket",
        1,
        "is longer than the 107 bytes that a socket's path may have",
        None,
    ),
    (
        "a grant for a seat that is not configured",
        POKEMON + '[[grants]]\nprincipal = "anyone"\nverbs = ["join"]\nseats = ["mist"]\n',
        "grants[0].seats",
        13,
        'no seat is named "mist"',
        'did you mean "misty"?',
    ),
    (
        "an unknown verb in the second grant",
        '[[grants]]\nprincipal = "anyone"\nverbs = ["hello"]\n'
        '[[grants]]\nprincipal = "anyone"\nverbs = ["*", "jion"]\n',
        "grants[1].verbs[1]",
        6,
        "is not one of hello, status, seats, sessions, join, stop, say, pause, resume, budget, "
        "observe, recall, watch, world, journals, receipts, reset, recover, reload, drain, "
        "health, *",
        'did you mean "join"?',
    ),
    (
        "a principal of no kind",
        '[[grants]]\nprincipal = "misty"\nverbs = ["*"]\n',
        "grants[0].principal",
        2,
        'is not a principal, "uid:N", "user:NAME", "group:NAME" or "anyone"',
        None,
    ),
    (
        "a key said twice",
        "[log]\nlevel = 1\nlevel = 2\n\n",
        "",
        3,
        "is not TOML: column 10: a key is set for the second time",
        "keep one of them",
    ),
    (
        "a table said twice",
        "[log]\n[log]\n",
        "",
        2,
        "is not TOML: column 5: a table begins for the second time",
        "put its keys under the first",
    ),
    (
        "a string without end",
        '[log]\nlevel = "info\n',
        "",
        2,
        "is not TOML: column 14: a text is not closed on its line",
        "end it with the quote that begins it",
    ),
    (
        "text without quotes",
        "[log]\nlevel = debug\n",
        "",
        2,
        "is not TOML: column 9: this is no value",
        'text stands in straight quotes: NAME = "TEXT"',
    ),
    (
        "a list without end",
        "x = [1\n",
        "",
        1,
        "is not TOML: at its end: a list is not closed",
        "end it with ]",
    ),
    *(
        (
            f"a list without end: {text!r}",
            text,
            "",
            text.rstrip("\n").count("\n") + 1,
            "is not TOML: at its end: a list is not closed",
            "end it with ]",
        )
        for text in (
            "x = [",
            "x = [\n",
            "x = [1,",
            "x = [1,\n# one\n",
            "x = [1, # one",
            "x = {a = [",
        )
    ),
    *(
        (
            f"an inline table without end: {text!r}",
            text,
            "",
            1,
            "is not TOML: at its end: a table is not closed",
            "end it with }",
        )
        for text in (
            "x = {",
            "x = {\n",
            "x = {a",
            'x = {"a"',
            "x = {a.",
            "x = {a =",
            "x = [{a = 1,",
        )
    ),
    (
        "a header without end",
        "[seats.",
        "",
        1,
        "is not TOML: at its end: a table's bracket is not closed",
        "write [TABLE], or twice [[TABLE]]",
    ),
    (
        "a key without a value at the end",
        "x =",
        "",
        1,
        "is not TOML: at its end: this is no value",
        'text stands in straight quotes: NAME = "TEXT"',
    ),
    (
        "line breaks that are none in TOML",
        "# \u2028 \x85 \u2029\nx = [1\n",
        "",
        2,
        "is not TOML: at its end: a list is not closed",
        "end it with ]",
    ),
    (
        "a byte order mark",
        "\ufeff[log]\n",
        "",
        1,
        "is not TOML: column 1: a byte order mark stands before the text",
        "save it as UTF-8 without one",
    ),
    ("a day that is none", "x = 2020-02-30\n", "", 1, "is not TOML: column 5: …", None),
    ("a number too long to read", f"x = {'9' * 5000}\n", "", None, "is not TOML: …", None),
    ("nested lists", f"x = {'[' * 5000}\n", "", None, "is nested too deeply", None),
    ("nested names", f"{'x.' * 5000}x = 1\n", "", None, "is nested too deeply", None),
]


@pytest.mark.parametrize(
    ("text", "key", "line", "problem", "hint"),
    [case[1:] for case in BAD],
    ids=[case[0] for case in BAD],
)
def test_what_is_wrong_is_told_with_its_key_its_line_and_a_hint(
    tmp_path: Path, text: str, key: str, line: int | None, problem: str, hint: str | None
):
    (finding,) = findings(tmp_path, text)
    assert (finding.file, finding.severity) == (tmp_path / "playd.toml", "error")
    assert (finding.key, finding.line, finding.hint) == (key, line, hint)
    if problem.endswith("…"):
        assert finding.problem.startswith(problem[:-1])
    else:
        assert finding.problem == problem


def test_a_finding_is_one_line_of_text_that_an_editor_can_follow(tmp_path: Path):
    (finding,) = findings(tmp_path, "[limits]\nlease_tll = 60\n")
    assert str(finding) == (
        f'{tmp_path}/playd.toml:2: error: limits.lease_tll: no such key (did you mean "lease_ttl"?)'
    )


def test_everything_wrong_is_told_at_once_in_the_order_of_the_file(tmp_path: Path):
    text = WHOLE.replace("small-1", "").replace("firered", "blue").replace('"team"', '"tee"')
    found = findings(tmp_path, text.replace('seats = ["misty"]', 'seats = ["mist"]'))
    assert [finding.key for finding in found] == [
        "models.small.model",
        "seats.misty.game",
        "seats.alex.room",
        "grants[0].seats",
    ]


def test_a_broken_model_is_not_also_reported_as_missing_by_the_seats_that_name_it(tmp_path: Path):
    found = findings(tmp_path, POKEMON.replace("openai", "opnai"))
    assert [finding.key for finding in found] == ["models.m.provider"]


def test_a_file_full_of_mistakes_is_told_in_bounded_text(tmp_path: Path):
    text = "".join(f'[seats.Bad{number}]\nbody = "{number}"\n' for number in range(5_000))
    assert len(findings(tmp_path, text)) == MAX_FINDINGS


@pytest.mark.parametrize("secret", ["sk-very-secret", "systemd:a/b", "env:KEY"])
def test_a_key_pasted_instead_of_a_reference_is_refused_and_not_repeated(
    tmp_path: Path, secret: str
):
    (finding,) = findings(tmp_path, MODEL + f'credential = "{secret}"\n')
    assert finding.key == "models.m.credential"
    assert secret not in str(finding)


def test_a_key_with_control_characters_is_shown_escaped(tmp_path: Path):
    (finding,) = findings(tmp_path, '"a\\u001b[31m" = 1\n')
    assert finding.key == '"a\\u001b[31m"'


def test_plaintext_is_allowed_where_the_seat_says_so(tmp_path: Path):
    text = POKEMON.replace("127.0.0.1:1", "example.org") + "insecure = true\n"
    assert load(tmp_path, text).seats["misty"].insecure


def test_no_credential_is_read_so_that_one_lost_file_costs_one_seat(tmp_path: Path):
    text = POKEMON + 'credential = "file:/nowhere/at/all"\n'
    assert "misty" in load(tmp_path, text).seats


def test_bytes_that_are_not_utf_8_are_told_with_their_line(tmp_path: Path):
    (finding,) = findings(tmp_path, b'# a\n[log]\nlevel = "\xff"\n')
    assert (finding.line, finding.problem) == (3, "is not UTF-8 text: byte 19")


def test_a_file_of_ten_mebibytes_is_refused_unread(tmp_path: Path):
    (finding,) = findings(tmp_path, b"#" * (10 * 1024 * 1024))
    assert finding.problem == f"is longer than {MAX_CONFIG_BYTES} bytes"


def test_a_missing_file_a_folder_and_a_fifo_are_told_apart_and_none_is_waited_for(tmp_path: Path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    expected = {
        tmp_path / "none.toml": "cannot be read: No such file or directory",
        tmp_path: "is not a regular file",
        fifo: "is not a regular file",
    }
    for path, problem in expected.items():
        with pytest.raises(ConfigError) as caught:
            load_settings(path)
        assert [(item.file, item.problem) for item in caught.value.findings] == [(path, problem)]


values = st.recursive(
    st.sampled_from(
        [
            "1",
            "-1",
            "0",
            "15",
            "nan",
            "inf",
            "true",
            '""',
            '"m"',
            '"a\\nb"',
            "'x'",
            "1979-05-27",
            '"anyone"',
            '"file:x"',
            '"pokemon"',
            '"openai"',
            '"wss://x"',
            "99999999999999999999999",
            "'''[x]'''",
        ]
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(inner, max_size=2).map(
            lambda items: "{ " + ", ".join(f"k{n} = {item}" for n, item in enumerate(items)) + " }"
        ),
    ),
    max_leaves=4,
)
lines = [line for line in WHOLE.splitlines() if line]


@st.composite
def nearly_right(draw: st.DrawFn) -> str:
    """The whole file with some lines gone, doubled or given another value."""
    changed: list[str] = []
    for line in lines:
        match draw(st.sampled_from("........gdv")):
            case "g":
                continue
            case "d":
                changed += [line, line]
            case "v" if " = " in line:
                changed.append(line.split(" = ")[0] + " = " + draw(values))
            case _:
                changed.append(line)
    return "\n".join(changed)


@given(st.one_of(st.text(), st.binary(), nearly_right()))
@settings(max_examples=300, deadline=None)
@example("[[seats]]")
@example("[seats]\nx = []\n[models]\nx = 1")
@example("[[seats.x]]")
@example("[grants]")
@example("grants = [1, {}]")
@example('"" = 1')
@example("[models.m.price]")
@example("[[a.b]]\n[a.b.c]\n[[a.b]]")
@example("[[grants]]\nverbs = [[]]")
@example("rooms.r = { kind = {} }")
def test_no_text_whatsoever_fails_otherwise_than_with_a_config_error(text: str | bytes):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "playd.toml"
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        assert all("\n" not in str(finding) for finding in outcome(file))
