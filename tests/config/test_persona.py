"""A persona is the operator's text or one that comes with playd."""

from pathlib import Path

import msgspec
import pytest

from config.persona import MAX_PERSONA_BYTES, persona_text, read_persona, shipped_personas
from config.regular_file import FileError
from config.settings import MinecraftSeat, Persona, Settings


def test_the_shipped_personas_are_texts_and_the_default_is_one_of_them():
    assert shipped_personas() == {"explorer", "caretaker", "challenger"}
    for name in shipped_personas():
        assert persona_text(Settings(), name).startswith("You are ")
    fields = {field.name: field for field in msgspec.structs.fields(MinecraftSeat)}
    assert fields["persona"].default in shipped_personas()


def test_the_operators_own_persona_goes_before_a_shipped_one(tmp_path: Path):
    (tmp_path / "p.txt").write_text("\n  A gardener.\n")
    personas = {"explorer": Persona(file=str(tmp_path / "p.txt"))}
    assert persona_text(Settings(personas=personas), "explorer") == "A gardener."


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b" \n", "is empty"),
        (b"ab\xff", "is not UTF-8 text: byte 2"),
        (b"x" * (MAX_PERSONA_BYTES + 1), "is longer than 16384 bytes"),
    ],
)
def test_a_file_that_is_no_persona_is_refused(tmp_path: Path, data: bytes, problem: str):
    (tmp_path / "p.txt").write_bytes(data)
    with pytest.raises(FileError) as caught:
        read_persona(tmp_path / "p.txt")
    assert caught.value.problem == problem
