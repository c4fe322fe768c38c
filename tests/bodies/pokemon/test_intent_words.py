import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bodies.pokemon.intent_words import RecordedAction, names_action

WORDS = {
    "button_press up": ("up", "north", "forward"),
    "button_press down": ("down", "south", "back"),
    "button_press left": ("left", "west"),
    "button_press right": ("right", "east"),
    "button_press a": (" a ", "confirm", "interact", "talk", "select", "advance"),
    "button_press b": (" b ", "cancel", "back out", "exit"),
    "button_press start": ("start", "menu", "pause"),
    "button_press select": ("select",),
    "button_press l": (" l ",),
    "button_press r": (" r ",),
    "walk_to": ("walk", "go", "head", "toward", "cross", "route", "move", "reach", "exit"),
    "enter_text": ("name", "type", "spell", "enter", "call"),
    "frame_advance": ("wait", "advance", "let", "watch", "frame", "continue"),
    "select_menu_entry": ("choose", "select", "pick", "use", "menu", "option"),
    "load_checkpoint": ("load", "checkpoint", "restore", "rewind", "go back"),
    "save_checkpoint": ("save", "checkpoint", "remember this", "bank"),
    "restart_game": ("restart", "start over", "start again", "reset", "begin", "new game"),
    "advance_dialog": ("wait", "pause", "hold"),
    "a_kind_of_later": ("wait", "pause", "hold"),
}


def action(called: str) -> RecordedAction:
    kind, _, button = called.partition(" ")
    return RecordedAction(kind, button=button or None)


@pytest.mark.parametrize(
    ("text", "action", "named"),
    [
        ("Head NORTH", RecordedAction("button_press", button="up"), True),
        ("press A", RecordedAction("button_press", button="a"), True),
        ("a", RecordedAction("button_press", button="a"), True),
        ("save the day", RecordedAction("button_press", button="a"), False),
        ("press b", RecordedAction("button_press", button="b"), True),
        ("grab it", RecordedAction("button_press", button="b"), False),
        ("anything", RecordedAction("button_press", button="turbo"), False),
        ("route 1", RecordedAction("walk_to"), True),
        ("stand still", RecordedAction("walk_to"), False),
        ("he is rose", RecordedAction("enter_text", text="ROSE"), True),
        ("rose", RecordedAction("enter_text", text=" "), False),
        ("the second one: buy-2", RecordedAction("select_menu_entry", entry_id="Buy-2"), True),
        ("read on", RecordedAction("advance_dialog"), False),
        ("wait for him", RecordedAction("advance_dialog"), True),
        ("start over", RecordedAction("restart_game"), True),
        ("back to the gym", RecordedAction("load_checkpoint", checkpoint_id="gym"), True),
        ("before the bridge", RecordedAction("save_checkpoint", label="bridge"), True),
        ("pause", RecordedAction("a_kind_of_later"), True),
    ],
)
def test_words_name_actions(text: str, action: RecordedAction, named: bool):
    assert names_action(text, action) is named


@pytest.mark.parametrize(("called", "words"), WORDS.items())
def test_each_word_alone_names_its_action_and_no_other_text_does(
    called: str, words: tuple[str, ...]
):
    every = {word for listed in WORDS.values() for word in listed}
    for word in every:
        text = f"Q{word.upper()}Q"
        assert names_action(text, action(called)) is any(own in word for own in words), word


@given(st.sampled_from(sorted(WORDS)), st.text(st.sampled_from(string.ascii_letters + " .-")))
def test_a_text_names_an_action_when_one_of_its_words_stands_anywhere_in_it(called: str, text: str):
    said = f" {text.lower()} " if called.startswith("button_press") else text.lower()
    assert names_action(text, action(called)) is any(word in said for word in WORDS[called])
