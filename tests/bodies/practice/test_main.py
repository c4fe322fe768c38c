"""The one command that all practice parts hang on."""

import pytest
from click.testing import CliRunner

from bodies.practice.main import main


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_parts_are_named_by_both_ways_to_ask(option: str):
    told = CliRunner().invoke(main, [option])
    assert told.exit_code == 0
    assert "ground" in told.output
