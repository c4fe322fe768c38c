"""What a session process is told."""

from pathlib import Path

import msgspec
import pytest

from config.settings import (
    ControlRoom,
    LogRoom,
    MinecraftSeat,
    Model,
    Persona,
    PokemonSeat,
    Price,
    Profile,
    Settings,
)
from daemon.records import Recovery, SittingRecord
from daemon.refusal import Refusal
from daemon.specifications import play_specification, recovery_specification
from kernel.session.specification import BudgetCeiling, ModelRates, RoomChoice, Specification

LOCAL = Model(provider="openai", model="local", base_url="http://127.0.0.1:1/v1", local=True)


def private(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o600)
    return f"file:{path}"


async def specify(settings: Settings, **changes: object) -> Specification:
    fields: dict[str, object] = {
        "sitting_id": "t1",
        "seat": "red",
        "began_at": "2026-01-01T00:00:00.000Z",
        "uid": 0,
        "room": None,
        "ceiling": BudgetCeiling(tokens=7),
        **changes,
    }
    return await play_specification(
        settings,
        SittingRecord(**fields),  # type: ignore[arg-type]
        session_id="s1",
        generation=3,
        elapsed=12.5,
        earlier_journals=("/j/one.jsonl",),
        told_tokens=(4711,),
        state_directory=Path("/state"),
    )


def pokemon(**changes: object) -> PokemonSeat:
    fields: dict[str, object] = {
        "model": "m",
        "address": "wss://world.example",
        "game": "emerald",
        "display_name": "Ann",
        **changes,
    }
    return PokemonSeat(**fields)  # type: ignore[arg-type]


async def test_a_pokemon_seat_and_everything_around_it(tmp_path: Path):
    (tmp_path / "persona.txt").write_text("You are calm.\n")
    model = Model(
        provider="openai",
        model="gpt",
        credential=private(tmp_path / "model-key", "model-secret\n"),
        images=True,
        price=Price(input=1, cache_read=0.5, cache_write=2, output=4),
    )
    settings = Settings(
        models={"m": model, "v": LOCAL},
        personas={"calm": Persona(file=str(tmp_path / "persona.txt"))},
        rooms={"stage": ControlRoom(authors_speech=True), "quiet": LogRoom()},
        seats={
            "red": pokemon(
                voice_model="v",
                persona="calm",
                credential=private(tmp_path / "seat-key", "seat-secret\n"),
                ca_file="/ca.pem",
            )
        },
    )
    told = await specify(settings, room="stage")
    assert (told.mode, told.body, told.generation, told.seat) == ("play", "pokemon", 3, "red")
    assert msgspec.json.decode(told.options) == {
        "address": "wss://world.example",
        "game": "emerald",
        "displayName": "Ann",
        "credential": "seat-secret",
        "insecure": False,
        "caFile": "/ca.pem",
    }
    assert told.mind is not None
    assert told.mind.base_url == "https://api.openai.com/v1"
    assert (told.mind.api_key, told.mind.images) == ("model-secret", True)
    assert told.mind.rates == ModelRates(input=1, cache_read=0.5, cache_write=2, output=4)
    assert told.voice is not None
    assert told.voice.rates == ModelRates(input=0, cache_read=0, cache_write=0, output=0)
    assert (told.persona.name, told.persona.text) == ("calm", "You are calm.")
    assert told.room == RoomChoice(name="stage", authors_speech=True)
    assert told.budget.tokens == 7
    assert (told.sitting.elapsed, told.sitting.earlier_journals) == (12.5, ("/j/one.jsonl",))
    assert told.sitting.told_tokens == (4711,)


async def test_whatever_a_model_is_configured_with_reaches_its_session():
    model = Model(
        provider="anthropic",
        model="m",
        base_url="https://models.example",
        ca_file="/ca.pem",
        structured="prompt",
        images=True,
        deadline=61,
        stall=21,
        reserve=16_001,
        output_tokens=4_097,
        local=True,
    )
    told = (await specify(Settings(models={"m": model}, seats={"red": pokemon()}))).mind
    assert told is not None
    as_told = {"output_tokens": "output_limit"}
    for name in set(Model.__struct_fields__) - {"credential", "local", "price"}:
        assert getattr(told, as_told.get(name, name)) == getattr(model, name), name
        assert getattr(model, name) != getattr(LOCAL, name), f"{name}: the test sets it too"


async def test_a_minecraft_seats_options_are_its_motor_and_profile():
    profile = Profile(id="p", host="h", version="1.21", username="Ann")
    seat = MinecraftSeat(model="m", motor=("node", "motor.js"), profile=profile)
    told = await specify(Settings(models={"m": LOCAL}, seats={"red": seat}))
    assert told.body == "minecraft"
    assert msgspec.json.decode(told.options) == {
        "motor": ["node", "motor.js"],
        "profile": msgspec.to_builtins(profile),
        "insecure": False,
    }


async def test_a_credential_that_cannot_be_read_is_a_refusal_that_names_the_next_step(
    tmp_path: Path,
):
    loose = tmp_path / "key"
    loose.write_text("secret\n")
    loose.chmod(0o644)
    settings = Settings(models={"m": LOCAL}, seats={"red": pokemon(credential=f"file:{loose}")})
    with pytest.raises(Refusal, match="chmod 600") as refusal:
        await specify(settings)
    assert refusal.value.code == "configuration"
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("dollars", [0.0, 5.0])
async def test_a_dollar_cap_and_an_unknown_price_do_not_go_together(dollars: float):
    unpriced = Model(provider="openai", model="m", base_url="http://127.0.0.1:1/v1")
    settings = Settings(models={"m": unpriced}, seats={"red": pokemon()})
    with pytest.raises(Refusal, match="price of model m is not known"):
        await specify(settings, ceiling=BudgetCeiling(dollars=dollars))
    assert (await specify(settings)).mind.rates is None


async def test_mode_recover_needs_no_model_and_carries_the_recovery_value():
    settings = Settings(models={"m": LOCAL}, seats={"red": pokemon()})
    recovery = Recovery(session_id="s0", generation=2, value="how", required=True)
    told = await recovery_specification(settings, "red", recovery, Path("/state"))
    assert (told.mode, told.recovery, told.generation, told.mind) == ("recover", "how", 2, None)
