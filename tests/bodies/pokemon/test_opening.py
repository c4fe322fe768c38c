import subprocess
import sys
from typing import Any

import msgspec
import pytest

from kernel.bodies import body_named, body_of_environment
from kernel.body import JoinRefused

OPTIONS: dict[str, Any] = {"address": "ws://127.0.0.1:1/", "game": "firered", "displayName": "Rose"}


class Nowhere:
    def put(self, text: str) -> None:
        raise AssertionError(text)


def options(**given: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(OPTIONS | given))


def test_both_games_are_one_body():
    assert body_of_environment("pokemon-firered") is body_named("pokemon")
    assert body_of_environment("pokemon-emerald") is body_named("pokemon")


def test_naming_the_body_imports_none_of_its_parts():
    script = (
        "import sys, kernel.bodies; kernel.bodies.body_named('pokemon');"
        "print([m for m in sys.modules if m.startswith('bodies.pokemon.')])"
    )
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert said.stdout.strip() == "[]"


async def test_a_seat_without_a_credential_is_refused_before_anything_is_sent():
    async with body_named("pokemon").open(options(), Nowhere()) as body:
        with pytest.raises(JoinRefused, match="no_credential"):
            await body.join()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"address": "http://127.0.0.1/"}, "starts with ws"),
        ({"address": "ws://world.example/"}, "plain text"),
        ({"game": "sapphire"}, "game"),
        ({"color": "red"}, "color"),
    ],
)
async def test_options_that_cannot_be_used_are_refused_with_a_reason(
    given: dict[str, Any], says: str
):
    with pytest.raises(JoinRefused, match=says):
        async with body_named("pokemon").open(
            options(credential="secret-word", **given), Nowhere()
        ):
            raise AssertionError("it opened")


async def test_a_refusal_of_the_options_never_shows_the_credential():
    with pytest.raises(JoinRefused) as refused:
        async with body_named("pokemon").open(options(credential=["secret-word"]), Nowhere()):
            raise AssertionError("it opened")

    assert "secret-word" not in str(refused.value)


async def test_a_seat_whose_world_is_gone_stays_unsettled():
    assert not await body_named("pokemon").recover(options(), "garbage")
