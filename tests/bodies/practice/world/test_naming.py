"""The keyboard of the naming screen."""

from hypothesis import given
from hypothesis import strategies as st

from bodies.practice.world import naming
from bodies.practice.world.pad import DIRECTION_OF
from bodies.practice.world.scenes import Naming

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .,!?/-"


@given(
    text=st.text(LETTERS, min_size=1, max_size=10),
    typed=st.text(LETTERS, max_size=10),
    column=st.integers(0, 9),
    row=st.integers(0, 6),
)
def test_the_planned_presses_type_exactly_the_text(text, typed, column, row):
    keyboard = Naming(typed, column, row)
    for button in naming.presses_for(keyboard, text):
        if button == "a":
            keyboard = naming.typed(keyboard)
        elif button == "b":
            keyboard = naming.erased(keyboard)
        else:
            keyboard = naming.moved(keyboard, DIRECTION_OF[button])
    assert keyboard.typed == text
