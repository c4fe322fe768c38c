"""A secret cannot be shown by accident."""

import copy
import json
import pickle

import msgspec
import pytest

from config.secret import Secret

SECRET = Secret("hunter2")


def test_only_reveal_gives_the_text():
    assert SECRET.reveal() == "hunter2"
    shown = [repr(SECRET), str(SECRET), f"{SECRET}", f"{SECRET!r:>20}", f"{[SECRET]}"]
    shown.append("%s %r" % (SECRET, SECRET))  # noqa: UP031
    assert not any("hunter2" in text for text in shown)


@pytest.mark.parametrize(
    "write", [json.dumps, pickle.dumps, msgspec.json.encode, msgspec.to_builtins]
)
def test_no_encoder_writes_it(write: object):
    assert callable(write)
    with pytest.raises(TypeError) as caught:
        write({"key": SECRET})
    assert "hunter2" not in str(caught.value)


def test_secrets_are_equal_by_their_text():
    assert Secret("hunter2") == SECRET
    assert hash(Secret("hunter2")) == hash(SECRET)
    assert Secret("hunter3") != SECRET
    assert SECRET != "hunter2"


def test_a_shallow_container_copy_keeps_the_same_secret():
    assert copy.copy([SECRET])[0] is SECRET
