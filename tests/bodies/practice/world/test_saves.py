"""Progress on disk."""

import pytest

from bodies.practice.world.country import SCENE_NAMES, Country
from bodies.practice.world.saves import Saves, SaveUnreadable


@pytest.mark.parametrize("scene", SCENE_NAMES)
def test_every_scene_is_restored_as_it_was(tmp_path, scene):
    country = Country()
    country.enter("p", None)
    player = country.show("p", scene)
    Saves(tmp_path).store(player, "firered", 77)
    saves = Saves(tmp_path)
    assert saves.load("p", "firered") == player
    assert saves.load("p", "emerald") is None
    assert saves.last_frame() == 77


def test_a_damaged_save_is_named_and_left_alone(tmp_path):
    path = tmp_path / "p-firered.json"
    path.write_bytes(b'{"player": {}')
    with pytest.raises(SaveUnreadable, match=r"p-firered\.json"):
        Saves(tmp_path).load("p", "firered")
    assert path.read_bytes() == b'{"player": {}'
