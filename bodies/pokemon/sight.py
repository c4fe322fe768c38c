"""A sight: one sampling with its evidence encoded once and its fingerprints taken once."""

from __future__ import annotations

from collections.abc import Hashable
from hashlib import sha256

import msgspec
from msgspec import UNSET, Struct, UnsetType

from bodies.pokemon import wire
from bodies.pokemon.fingerprint import fence_fingerprint, signal_fingerprint
from bodies.pokemon.observations import Kind, Witness
from kernel.body import Sight

SCENE_WORDS = 120
PICTURE_TEXT = 4_000


class View(Struct, frozen=True):
    """What the policy knows of a sight. `mark` is the fingerprint for signals (K18)."""

    observed: wire.Observation
    mark: Hashable
    frame_sha256: str | None
    kinds: tuple[Kind, ...]

    @property
    def state(self) -> wire.GameState | None:
        return self.observed.state or None

    @property
    def at(self) -> wire.Overworld | None:
        """Where the player stands; None when no position was read."""
        state = self.observed.state or None
        return (state.overworld or None) if state else None

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
        self._provenance: tuple[tuple[str, int, int | UnsetType], bytes] | None = None
        self._digests: tuple[bytes, str] | None = None

    def sight(self, observed: wire.Observation, png: bytes | None) -> PokemonSight:
        """The sight of one sampling, with the picture that belongs to it."""
        observations = self._witness.observations(observed)
        encoded = _encoder.encode(observations)
        digest = self._digest(png) if png else None
        mark = signal_fingerprint(observed, digest)
        view = View(observed, mark, digest, tuple(seen.kind for seen in observations))
        return Sight(
            native=view,
            fingerprint=fence_fingerprint(observed),
            stage=msgspec.Raw(
                b'{"observations":' + encoded + b',"provenance":' + self._from(observed) + b"}"
            ),
            sha256=sha256(encoded).hexdigest(),
            scene=_scene_words(view),
            picture=_picture(view),
            frame=png,
            frame_sha256=digest,
        )

    def _digest(self, png: bytes) -> str:
        if self._digests is None or self._digests[0] is not png:
            self._digests = (png, sha256(png).hexdigest())
        return self._digests[1]

    def _from(self, observed: wire.Observation) -> bytes:
        key = (observed.session_id, observed.body_generation, observed.adapter_version)
        if self._provenance is None or self._provenance[0] != key:
            provenance = _Provenance("world", key[0], self._world_id, key[1], key[2])
            self._provenance = (key, _encoder.encode(provenance))
        return self._provenance[1]


class _Provenance(Struct, frozen=True, rename="camel"):
    body: str
    session_id: str
    world_id: str
    body_generation: int
    adapter_version: int | UnsetType = UNSET


def _scene_words(view: View) -> str:
    mode = view.observed.scene.mode
    at = view.at
    where = f"{at.map_id} ({at.x},{at.y}) facing {at.facing}" if at else "no position"
    if mode == "overworld" and at:
        return where[:SCENE_WORDS]
    menu = view.menu
    what = f"{mode} {menu.menu_id}" if menu else mode
    return f"{what}, {where}"[:SCENE_WORDS]


def _picture(view: View) -> str:
    """The minimap with its people, then dialog and menu as text."""
    parts: list[str] = []
    minimap = view.observed.minimap or None
    if minimap:
        parts.append("\n".join(_peopled(minimap, view.state)))
    if view.lines:
        parts.append("\n".join(view.lines))
    if menu := view.menu:
        parts.append(
            "\n".join(
                f"{'>' if index == menu.cursor else ' '} {entry.label}"
                for index, entry in enumerate(menu.entries)
            )
        )
    return "\n\n".join(parts)[:PICTURE_TEXT]


def _peopled(minimap: wire.Minimap, state: wire.GameState | None) -> tuple[str, ...]:
    if state is None or not state.npcs:
        return minimap.rows
    rows = list(minimap.rows)
    for npc in state.npcs:
        row, column = npc.y - minimap.top_left.y, npc.x - minimap.top_left.x
        if 0 <= row < len(rows) and 0 <= column < len(rows[row]) and rows[row][column] != "@":
            rows[row] = f"{rows[row][:column]}o{rows[row][column + 1 :]}"
    return tuple(rows)


_encoder = msgspec.json.Encoder()
