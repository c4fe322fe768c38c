from typing import Any

import pytest

from bodies.pokemon.progress import Progress, Tally


@pytest.fixture
def progress() -> Progress:
    return Progress()


def test_nothing_is_reached_at_first(progress: Progress):
    assert progress.tally() == Tally(0, (), 0, None)


def test_new_tiles_start_the_count_again_and_others_do_not(progress: Progress, see: Any):
    for at in ((1, 1), (2, 1), (1, 1), (1, 1)):
        progress.fold((see(at=at),), accepted=True)

    assert progress.tally() == Tally(2, ("harbor-town",), 2, 4.0)


def test_turns_without_a_position_count_as_turns_without_a_new_tile(progress: Progress, see: Any):
    progress.fold((see("battle"), None), accepted=True)

    assert progress.tally() == Tally(0, (), 1, None)


def test_refused_actions_do_not_count_for_a_tile(progress: Progress, see: Any):
    progress.fold((see(at=(1, 1)), see(at=(2, 1))), accepted=True)
    progress.fold((see(at=(2, 1)),), accepted=False)

    assert progress.tally().actions_per_new_tile == 1.0


def test_a_map_entered_again_is_told_again_and_16_are_kept(progress: Progress, see: Any):
    for n in range(20):
        progress.fold((see(map_id="town"), see(map_id=f"house-{n}")), accepted=True)

    assert len(progress.tally().maps) == 16
    assert progress.tally().maps[-2:] == ("town", "house-19")
