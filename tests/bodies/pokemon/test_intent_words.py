import pytest

from bodies.pokemon.intent_words import RecordedAction, names_action


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
