"""The pad: its buttons, and which of them walk."""

from typing import Literal

from bodies.practice.world.places import Direction

Button = Literal["a", "b", "start", "select", "up", "down", "left", "right", "l", "r"]
BUTTON_TOWARD: dict[Direction, Button] = {
    "north": "up",
    "south": "down",
    "west": "left",
    "east": "right",
}
DIRECTION_OF: dict[Button, Direction] = {
    button: direction for direction, button in BUTTON_TOWARD.items()
}
