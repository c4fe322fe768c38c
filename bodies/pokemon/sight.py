"""A sight: one sampling with its evidence encoded once and its fingerprints taken once.

Most samplings find the screen that the one before found, so what follows from a screen alone is
made once for as long as it stays.
"""

from __future__ import annotations

from collections.abc import Hashable
from hashlib import sha256

import msgspec
from msgspec import UNSET, Struct, UnsetType

from bodies.pokemon import wire
from bodies.pokemon.fingerprint import fence_fingerprint, signal_fingerprint
from bodies.pokemon.observations import Kind, Witness, undecoded
from kernel.body import Sight

SCENE_WORDS = 120
PICTURE_TEXT = 4_000


Place = tuple[str, int, int]
"""Map and tile."""


class View(Struct, frozen=True):
    """What the policy knows of a sight. `mark` is the fingerprint for signals (K18)."""

    observed: wire.Observation
    at: wire.Overworld | None
    """Where the player stands; None when no position was read."""
    place: Place | None
    """Map and tile of `at`."""
    mark: Hashable
    frame_sha256: str | None
    kinds: tuple[Kind, ...]
    recorded: bytes
    """The observations as the stage holds them: what their digest is of."""

    @property
    def state(self) -> wire.GameState | None:
        return self.observed.state or None

    @property
    def menu(self) -> wire.Menu | None:
        state = self.observed.state or None
        return (state.menu or None) if state else None

    @property
    def lines(self) -> tuple[str, ...] | None:
        """The dialog's lines; None when there is no text to read."""
        state = self.observed.state or None
        return (state.dialog_lines or None) if state else None


PokemonSight = Sight[View]


class Eyes:
    """Makes sights of one session."""

    def __init__(self, witness: Witness, world_id: str) -> None:
        self._witness = witness
        self._world_id = world_id
        self._digests: tuple[bytes, str] | None = None
        self._latest: tuple[wire.Observation, _Screen] | None = None

    def sight(self, observed: wire.Observation, png: bytes | None) -> PokemonSight:
        """The sight of one sampling, with the picture that belongs to it."""
        screen = self._screen(observed)
        encoded = _encoder.encode(self._witness.observations(observed, screen.shown))
        digest = self._digest(png) if png else None
        mark = signal_fingerprint(screen.fingerprint, digest, undecoded=screen.undecoded)
        return Sight(
            native=View(observed, screen.at, screen.place, mark, digest, screen.kinds, encoded),
            fingerprint=screen.fingerprint,
            stage=msgspec.Raw(
                b'{"observations":' + encoded + b',"provenance":' + screen.provenance + b"}"
            ),
            scene=screen.words,
            picture=screen.picture,
            frame=png,
            frame_sha256=digest,
        )

    def _screen(self, observed: wire.Observation) -> _Screen:
        if self._latest is None or not _same_screen(self._latest[0], observed):
            shown = self._witness.shown_by(observed)
            at = (observed.state or _NOTHING_READ).overworld or None
            screen = _Screen(
                shown,
                tuple(shown),
                at,
                (at.map_id, at.x, at.y) if at else None,
                fence_fingerprint(observed),
                undecoded(observed),
                self._provenance(observed),
                _scene_words(observed),
                _picture(observed),
            )
            self._latest = (observed, screen)
        return self._latest[1]

    def _digest(self, png: bytes) -> str:
        if self._digests is None or self._digests[0] is not png:
            self._digests = (png, sha256(png).hexdigest())
        return self._digests[1]

    def _provenance(self, observed: wire.Observation) -> bytes:
        return _encoder.encode(
            _Provenance(
                "world",
                observed.session_id,
                self._world_id,
                observed.body_generation,
                observed.adapter_version,
            )
        )


class _Provenance(Struct, frozen=True, rename="camel"):
    body: str
    session_id: str
    world_id: str
    body_generation: int
    adapter_version: int | UnsetType = UNSET


class _Screen(Struct, frozen=True):
    """What follows from a screen, whenever it is sampled."""

    shown: dict[Kind, msgspec.Raw]
    kinds: tuple[Kind, ...]
    at: wire.Overworld | None
    place: Place | None
    fingerprint: Hashable
    undecoded: bool
    provenance: bytes
    words: str
    picture: str


def _same_screen(one: wire.Observation, other: wire.Observation) -> bool:
    return (
        one.state == other.state
        and one.scene == other.scene
        and one.minimap == other.minimap
        and one.body_generation == other.body_generation
        and one.adapter_version == other.adapter_version
        and one.session_id == other.session_id
    )


def _scene_words(observed: wire.Observation) -> str:
    mode, state = observed.scene.mode, observed.state or _NOTHING_READ
    at = state.overworld or None
    where = f"{at.map_id} ({at.x},{at.y}) facing {at.facing}" if at else "no position"
    if mode == "overworld" and at:
        return where[:SCENE_WORDS]
    what = f"{mode} {state.menu.menu_id}" if state.menu else mode
    return f"{what}, {where}"[:SCENE_WORDS]


def _picture(observed: wire.Observation) -> str:
    """The minimap with its people, then dialog and menu as text."""
    parts: list[str] = []
    state = observed.state or _NOTHING_READ
    if observed.minimap:
        parts.append("\n".join(_peopled(observed.minimap, state.npcs or ())))
    if state.dialog_lines:
        parts.append("\n".join(state.dialog_lines))
    if menu := state.menu:
        parts.append(
            "\n".join(
                f"{'>' if index == menu.cursor else ' '} {entry.label}"
                for index, entry in enumerate(menu.entries)
            )
        )
    return "\n\n".join(parts)[:PICTURE_TEXT]


def _peopled(minimap: wire.Minimap, npcs: tuple[wire.Npc, ...]) -> list[str]:
    rows, left, top = list(minimap.rows), minimap.top_left.x, minimap.top_left.y
    for npc in npcs:
        row, column = npc.y - top, npc.x - left
        line = rows[row] if 0 <= row < len(rows) else ""
        if 0 <= column < len(line) and line[column] != "@":
            rows[row] = f"{line[:column]}o{line[column + 1 :]}"
    return rows


_NOTHING_READ = wire.GameState()
_encoder = msgspec.json.Encoder()
