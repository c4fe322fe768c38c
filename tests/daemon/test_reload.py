"""A new configuration under running sessions (case 31)."""

from pathlib import Path

import pytest
import trio
import trio.testing

from config.loading import load_settings
from daemon.control import wire
from daemon.control.wire import BudgetChange
from daemon.happenings import Happening, SessionSaid
from daemon.refusal import Refusal
from kernel.session.wire import Notable

pytestmark = pytest.mark.usefixtures("no_children_left")

TEXT = """
[models.practice]
provider = "openai"
model = "practice"
base_url = "http://127.0.0.1:1/v1"
local = true
"""
SEAT = """
[seats.{name}]
body = "pokemon"
model = "practice"
address = "unix:/nowhere"
game = "firered"
display_name = "{display}"
"""


def write(file: Path, **seats: str) -> None:
    parts = (SEAT.format(name=name, display=display) for name, display in seats.items())
    file.write_text(TEXT + "".join(parts))


async def test_one_changed_seat_leaves_every_session_its_process(opened, tmp_path: Path):
    """Case 31."""
    file = tmp_path / "playd.toml"
    write(file, red="Red", blue="Blue")
    async with opened("good", settings=load_settings(file), configuration=file) as playd:
        await playd.join("red")
        await playd.join("blue")
        pids = [(await playd.seat(name)).session.pid for name in ("red", "blue")]
        write(file, red="Crimson", blue="Blue", green="Green")
        reloaded = await playd.supervisor.reload(playd.caller)
        assert (reloaded.added, reloaded.removed, reloaded.changed) == (("green",), (), ("red",))
        assert [(await playd.seat(name)).session.pid for name in ("red", "blue")] == pids
        assert (await playd.join("green")).state == "running"


async def test_a_default_ceiling_hides_no_other_ceiling_of_the_file(opened, tmp_path: Path):
    file = tmp_path / "playd.toml"
    write(file, red="Red")
    async with opened("good", settings=load_settings(file), configuration=file) as playd:
        await playd.supervisor.budget(playd.caller, "red", BudgetChange(tokens=7), True, False)
        file.write_text(f"{file.read_text()}\n[seats.red.budget]\ntokens = 9\nmax_turns = 12\n")
        await playd.supervisor.reload(playd.caller)
        ceiling = (await playd.seat()).ceiling
        assert (ceiling.tokens, ceiling.max_turns) == (7, 12)
        nothing = BudgetChange()
        await playd.supervisor.budget(playd.caller, "red", nothing, True, True)
        assert (await playd.seat()).ceiling.tokens == 9


async def test_a_new_ceiling_in_the_file_is_shown_watched_and_given_at_once(opened, tmp_path: Path):
    file = tmp_path / "playd.toml"
    shown: list[float | None] = []
    told: list[str] = []

    def note(happening: Happening) -> None:
        if isinstance(happening, SessionSaid) and isinstance(happening.message, Notable):
            told.append(happening.message.detail)

    def show(event: wire.Event) -> None:
        if isinstance(event, wire.SeatChanged) and shown[-1:] != [event.seat.ceiling.tokens]:
            shown.append(event.seat.ceiling.tokens)

    async def play_once() -> None:
        await playd.join()

        async def has_told() -> bool:
            return bool(told)

        await playd.until(has_told)
        await playd.stop()

    write(file, red="Red")
    without = file.read_text()
    for tokens in (7, 9):
        told.clear()
        file.write_text(f"{without}\n[seats.red.budget]\ntokens = {tokens}\n")
        settings = load_settings(file)
        async with opened("tells_its_budget", settings=settings, configuration=file) as playd:
            assert (await playd.seat()).ceiling.tokens == tokens
            async with trio.open_nursery() as nursery:
                nursery.start_soon(playd.supervisor.watch, playd.caller, show)
                await trio.testing.wait_all_tasks_blocked()
                file.write_text(f"{without}\n[seats.red.budget]\ntokens = {tokens + 1}\n")
                await playd.supervisor.reload(playd.caller)
                assert (await playd.seat()).ceiling.tokens == tokens + 1
                assert shown[-2:] == [tokens, tokens + 1]
                playd.supervisor.happenings.observe(note)
                await play_once()
                nursery.cancel_scope.cancel()
        assert told == [str(tokens + 1)]


async def test_a_bad_file_keeps_the_old_configuration_and_says_why(opened, tmp_path: Path, caplog):
    file = tmp_path / "playd.toml"
    write(file, red="Red")
    async with opened("good", settings=load_settings(file), configuration=file) as playd:
        old = playd.supervisor.settings
        file.write_text("nonsense = 1\n[seats.red]\nbody = 'chess'\n")
        with pytest.raises(Refusal) as refusal:
            await playd.supervisor.reload(playd.caller)
        assert refusal.value.code == "configuration"
        assert playd.supervisor.settings is old
        status = await playd.supervisor.status(playd.caller)
        assert "seats.red.body" in status.configuration_error
        (logged,) = [line for line in caplog.messages if "keeps its configuration" in line]
        assert "nonsense" in logged
        assert "seats.red.body" in logged
        assert "\n" not in logged
        write(file, red="Red")
        await playd.supervisor.reload(playd.caller)
        assert (await playd.supervisor.status(playd.caller)).configuration_error is None


async def test_a_seat_taken_away_is_played_to_its_end(opened, tmp_path: Path):
    file = tmp_path / "playd.toml"
    write(file, red="Red", blue="Blue")
    async with opened("good", settings=load_settings(file), configuration=file) as playd:
        await playd.join("red")
        write(file, blue="Blue")
        assert (await playd.supervisor.reload(playd.caller)).removed == ("red",)
        assert (await playd.stop("red")).outcome == "stopped"
        with pytest.raises(Refusal) as refusal:
            await playd.join("red")
        assert refusal.value.code == "no_such_seat"


async def test_a_reload_names_what_only_a_start_takes_until_it_is_as_at_the_start(
    opened, tmp_path: Path
):
    file = tmp_path / "playd.toml"
    write(file, red="Red")
    began = file.read_text()
    async with opened("good", settings=load_settings(file), configuration=file) as playd:
        tables = "[metrics]\nbind = '127.0.0.1:0'\n[log]\nlevel = 'debug'\n"
        file.write_text(f"state_directory = 'elsewhere'\n{began}\n{tables}")
        for _ in range(2):
            done = await playd.supervisor.reload(playd.caller)
            assert done.needs_restart == ("state_directory", "metrics.bind", "log.level")
        file.write_text(began)
        assert (await playd.supervisor.reload(playd.caller)).needs_restart == ()


async def test_a_reload_warns_of_a_dollar_cap_that_cannot_be_counted(opened, tmp_path: Path):
    file = tmp_path / "playd.toml"
    write(file, red="Red")
    async with opened("good", settings=load_settings(file), configuration=file) as playd:
        capped = file.read_text().replace("local = true", "")
        file.write_text(f"{capped}\n[seats.red.budget]\ndollars = 1.5\n")
        (warning,) = (await playd.supervisor.reload(playd.caller)).warnings
        assert "seats.red.budget.dollars: the price of model practice is not known" in warning
