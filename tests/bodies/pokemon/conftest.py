"""Builders of what a seat shows, and a world that answers what a test gave it."""

from collections.abc import Callable
from typing import Any

import pytest
import trio
from msgspec import UNSET

from bodies.pokemon import wire
from bodies.pokemon.observations import Witness
from bodies.pokemon.seat.counters import Counters
from bodies.pokemon.sight import Eyes, PokemonSight, View
from kernel.body import BodyTrouble, Leave, WorldEnded
from kernel.model.request import PNG_PREFIX

TOWN = "harbor-town"
ROWS = ("#######", "#.....#", "#..@..#", "#.....#", "###D###")


def observed(
    mode: str = "overworld",
    *,
    at: tuple[int, int] | None = (3, 2),
    facing: str = "south",
    map_id: str = TOWN,
    lines: tuple[str, ...] | None = None,
    menu: wire.Menu | None = None,
    npcs: tuple[wire.Npc, ...] | Any = (),
    exits: tuple[wire.MinimapExit, ...] = (),
    generation: int = 1,
    frame: int = 100,
    input_ready: bool = True,
    decoded: bool = True,
    **state: Any,
) -> wire.Observation:
    """A decoded screen in the overworld, unless told otherwise."""
    if mode != "overworld" and at == (3, 2) and mode not in ("dialog", "menu"):
        at = None
    corner = wire.MapPoint(map_id, 0, 0)
    return wire.Observation(
        session_id="ses_1",
        body_generation=generation,
        game_id="firered",
        frame=frame,
        observed_at="2026-01-05T10:00:00.000Z",
        scene=wire.Scene(mode, input_ready, False, decoded),
        adapter_version=2,
        minimap=wire.Minimap(corner, ROWS, exits) if at else None,
        state=wire.GameState(
            overworld=wire.Overworld(map_id, *at, facing) if at else None,
            npcs=npcs,
            dialog_lines=UNSET if lines is None else lines,
            menu=menu,
            **state,
        )
        if decoded
        else None,
    )


def picture(name: str) -> bytes:
    """A picture that differs from every other one by its name."""
    return PNG_PREFIX + name.encode()


class GivenWorld:
    """A world that shows and answers what the test put into it, and remembers what was sent."""

    def __init__(self) -> None:
        self.counters = Counters()
        self.shows: wire.Observation = observed()
        self.answers: list[wire.Outcome | Exception] = []
        self.picture: bytes | None = None
        self.sent: list[tuple[wire.Action, str]] = []
        self.gone: WorldEnded | None = None

    async def join(self) -> wire.JoinAnswer:
        return wire.JoinAnswer(3, "kanto/1", "player 1", "ses_1", "firered", "token", ())

    async def observe(self) -> wire.Observation:
        await trio.lowlevel.checkpoint()
        self._raise_when_gone()
        return self.shows

    async def frame(self) -> wire.Frame:
        await trio.lowlevel.checkpoint()
        self._raise_when_gone()
        if self.picture is None:
            raise BodyTrouble("no picture")
        return wire.Frame("ses_1", self.shows.body_generation, 1, self.picture, "")

    async def act(self, action: wire.Action, idempotency_key: str) -> wire.ActAnswer:
        await trio.lowlevel.checkpoint()
        self.sent.append((action, idempotency_key))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, wire.Ran):
            self.shows = answer.observation
        return wire.ActAnswer("ses_1", self.shows.body_generation, 1, False, answer)

    async def wait_ended(self) -> WorldEnded:
        return WorldEnded("session_ended", confirmed=True)

    async def leave(self) -> Leave:
        return Leave("confirmed", "{}")

    def _raise_when_gone(self) -> None:
        if self.gone is not None:
            raise self.gone


@pytest.fixture
def screen() -> Callable[..., wire.Observation]:
    """Builds what a seat shows."""
    return observed


@pytest.fixture
def see() -> Callable[..., View]:
    """Builds a view; `png` is the picture that belongs to it."""
    eyes = Eyes(Witness("ses_1", "kanto", "player-1", "firered"), "kanto")

    def build(mode: str = "overworld", *, png: bytes | None = None, **shown: Any) -> View:
        return eyes.sight(observed(mode, **shown), png).native

    return build


@pytest.fixture
def sighted() -> Callable[..., PokemonSight]:
    """Builds a sight."""
    eyes = Eyes(Witness("ses_1", "kanto", "player-1", "firered"), "kanto")

    def build(mode: str = "overworld", *, png: bytes | None = None, **shown: Any) -> PokemonSight:
        return eyes.sight(observed(mode, **shown), png)

    return build


@pytest.fixture
def ran() -> Callable[..., wire.Ran]:
    """Builds an action's outcome that ran."""

    def build(
        after: wire.Observation | None = None,
        *,
        detail: wire.ActionDetail | None = None,
        screen_changed: bool = True,
    ) -> wire.Ran:
        return wire.Ran(1, 16, screen_changed, after or observed(), detail)

    return build


@pytest.fixture
def given_world() -> GivenWorld:
    """A world that does what the test says."""
    return GivenWorld()


@pytest.fixture
def png() -> Callable[[str], bytes]:
    """Builds pictures."""
    return picture
