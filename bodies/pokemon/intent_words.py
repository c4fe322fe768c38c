"""Whether a text names an action: the words that players use for each kind (evaluation, coherence).

Case is folded; a word that is found anywhere in the text is a match. Single letters stand alone.
"""

from __future__ import annotations

import msgspec


class RecordedAction(msgspec.Struct, frozen=True, rename="camel"):
    """What of a recorded action matters for the words; retired kinds included."""

    kind: str
    button: str | None = None
    text: str | None = None
    entry_id: str | None = None
    checkpoint_id: str | None = None
    label: str | None = None


def names_action(text: str, action: RecordedAction) -> bool:
    """Whether the text names this action."""
    folded = text.casefold()
    if action.kind == "button_press":
        folded = f" {folded} "
    return any(word in folded for word in words_for(action))


def words_for(action: RecordedAction) -> tuple[str, ...]:
    """The words that name an action; any unknown kind is named like waiting."""
    if action.kind == "button_press":
        return _BUTTONS.get(action.button or "", ())
    own = {
        "enter_text": action.text,
        "select_menu_entry": action.entry_id,
        "load_checkpoint": action.checkpoint_id,
        "save_checkpoint": action.label,
    }.get(action.kind)
    words = _KINDS.get(action.kind, _WAITING)
    return (*words, own.casefold()) if own else words


_WAITING = ("wait", "pause", "hold")
_BUTTONS: dict[str, tuple[str, ...]] = {
    "up": ("up", "north", "forward"),
    "down": ("down", "south", "back"),
    "left": ("left", "west"),
    "right": ("right", "east"),
    "a": (" a ", "confirm", "interact", "talk", "select", "advance"),
    "b": (" b ", "cancel", "back out", "exit"),
    "start": ("start", "menu", "pause"),
    "select": ("select",),
    "l": (" l ",),
    "r": (" r ",),
}
_KINDS: dict[str, tuple[str, ...]] = {
    "walk_to": ("walk", "go", "head", "toward", "cross", "route", "move", "reach", "exit"),
    "enter_text": ("name", "type", "spell", "enter", "call"),
    "frame_advance": ("wait", "advance", "let", "watch", "frame", "continue"),
    "select_menu_entry": ("choose", "select", "pick", "use", "menu", "option"),
    "load_checkpoint": ("load", "checkpoint", "restore", "rewind", "go back"),
    "save_checkpoint": ("save", "checkpoint", "remember this", "bank"),
    "restart_game": ("restart", "start over", "start again", "reset", "begin", "new game"),
}
