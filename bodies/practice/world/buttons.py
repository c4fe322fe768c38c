"""Buttons: what one press does on each scene, and what time alone does."""

from msgspec.structs import replace

from bodies.practice.world import battle, naming, tales
from bodies.practice.world.field import Around, interact, step
from bodies.practice.world.pad import DIRECTION_OF, Button
from bodies.practice.world.scenes import (
    Battle,
    Boot,
    Cutscene,
    Dialog,
    Menu,
    Naming,
    Player,
    Walking,
)

TAP_FRAMES = 8
"""A direction held shorter than this turns the player before it moves them."""


def settled(player: Player, frame: int) -> Player:
    """The player once everything that needs no button has happened by this frame."""
    match player.scene:
        case Boot(until) if frame >= until:
            return tales.tell(player, "intro", frame)
        case Cutscene(until, then) if frame >= until:
            return tales.tell(player, then, frame)
        case _:
            return player


def press(player: Player, button: Button, held: int, around: Around) -> Player:
    """The player after one press of a button held for these frames."""
    match player.scene:
        case Walking() as walking:
            return _walking(player, walking, button, held, around)
        case Dialog() as dialog:
            return _dialog(player, dialog, button, around)
        case Menu() as menu:
            return _menu(player, menu, button, around)
        case Naming() as keyboard:
            return _naming(player, keyboard, button, around)
        case Battle() as fight:
            return _battle(player, fight, button, around)
        case Boot() | Cutscene():
            return player


def _walking(player: Player, walking: Walking, button: Button, held: int, around: Around) -> Player:
    if around.frame < walking.ready_at:
        return player
    if button == "a":
        return interact(player, around)
    if button == "start":
        return tales.tell(player, "start-menu", around.frame)
    direction = DIRECTION_OF.get(button)
    if direction is None:
        return player
    if held < TAP_FRAMES and player.facing != direction:
        return replace(player, facing=direction)
    return step(player, direction, around)


def _dialog(player: Player, dialog: Dialog, button: Button, around: Around) -> Player:
    if button not in ("a", "b"):
        return player
    if around.frame < dialog.printed_at:
        return replace(player, scene=replace(dialog, printed_at=around.frame))
    page = dialog.page + 1
    if page < len(dialog.pages):
        until = tales.printed_at(dialog.pages[page], around.frame)
        return replace(player, scene=replace(dialog, page=page, printed_at=until))
    if dialog.then is not None:
        return tales.tell(player, dialog.then, around.frame)
    return replace(player, scene=Walking(around.frame))


def _menu(player: Player, menu: Menu, button: Button, around: Around) -> Player:
    if button == "a":
        return tales.choose(player, menu, menu.entries[menu.cursor].id, around.frame)
    if button == "b":
        return tales.cancel(player, menu, around.frame)
    return replace(player, scene=_scrolled(menu, button))


def _naming(player: Player, keyboard: Naming, button: Button, around: Around) -> Player:
    if button in DIRECTION_OF:
        return replace(player, scene=naming.moved(keyboard, DIRECTION_OF[button]))
    if button == "a":
        return replace(player, scene=naming.typed(keyboard))
    if button == "b":
        return replace(player, scene=naming.erased(keyboard))
    if button == "start" and keyboard.typed.strip():
        return tales.name_settled(player, keyboard.typed)
    return player


def _battle(player: Player, fight: Battle, button: Button, around: Around) -> Player:
    if fight.menu is None:
        if button not in ("a", "b"):
            return player
        if around.frame < fight.printed_at:
            return replace(player, scene=replace(fight, printed_at=around.frame))
        return battle.read_on(player, fight, around.frame)
    if button == "a":
        entry = fight.menu.entries[fight.menu.cursor].id
        return battle.command(player, fight, entry, around.frame, around.seed)
    if button == "b":
        return battle.back_out(player, fight)
    return replace(player, scene=replace(fight, menu=_scrolled(fight.menu, button)))


def _scrolled(menu: Menu, button: Button) -> Menu:
    by = {"up": -1, "down": 1}.get(button, 0)
    return replace(menu, cursor=(menu.cursor + by) % len(menu.entries))
