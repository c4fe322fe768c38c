"""When two samplings show the same state (K18).

A new picture, a frame counter, a timestamp, an observation id, readiness for input, text still
printing and moving bystanders are no change of state.
"""

from __future__ import annotations

from collections.abc import Hashable

from bodies.pokemon import wire


def fence_fingerprint(observed: wire.Observation) -> Hashable:
    """For the fence: generation, mode, position, facing, menu and dialog lines.

    Undecoded screens of one generation and mode are equal.
    """
    state = observed.state or None
    if state is None or not observed.scene.decoded:
        return (observed.body_generation, observed.scene.mode)
    at = state.overworld or None
    return (
        observed.body_generation,
        observed.scene.mode,
        (at.map_id, at.x, at.y, at.facing) if at else None,
        menu_fingerprint(state.menu or None),
        state.dialog_lines or None,
    )


def signal_fingerprint(fence: Hashable, frame_sha256: str | None, *, undecoded: bool) -> Hashable:
    """For signals and remembered refusals: an undecoded screen is told apart by its picture."""
    return (fence, frame_sha256) if undecoded else fence


def menu_fingerprint(menu: wire.Menu | None) -> Hashable:
    """Its id, its entries by id and label, and the cursor; None for no menu."""
    if menu is None:
        return None
    return (menu.menu_id, menu.cursor, tuple((e.id, e.label) for e in menu.entries))
