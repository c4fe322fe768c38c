"""The line of a key is the true one, or none."""

from typing import Any

import pytest
import tomli
from hypothesis import given, settings
from hypothesis import strategies as st

from config.finding import KeyPath
from config.lines import key_lines, line_of

TEXT = '''\
# a remark with [a.header] = "in it"
title = "x"

[seats.misty]    # the first
model = """
[not.a.header]
nor = "a key"
"""  # closes
budget = { tokens = 1, dollars = 2 }
"quoted.name" = 'single'
long = [
  1,  # [nor.this]
  { x = "]" },
]
after = 1

  [ seats . "brock b" ]
a.b . c = 3
path = \'\'\'C:\\\'\'\'
[[grants]]
verbs = []
[[grants]]
verbs = ["]"]
[grants.more]
x = 1
'''


@pytest.mark.parametrize(
    ("key", "line"),
    [
        (("title",), 2),
        (("seats",), 4),
        (("seats", "misty"), 4),
        (("seats", "misty", "model"), 5),
        (("seats", "misty", "budget"), 9),
        (("seats", "misty", "quoted.name"), 10),
        (("seats", "misty", "long"), 11),
        (("seats", "misty", "after"), 15),
        (("seats", "brock b"), 17),
        (("seats", "brock b", "a", "b", "c"), 18),
        (("seats", "brock b", "path"), 19),
        (("grants", 0), 20),
        (("grants", 0, "verbs"), 21),
        (("grants", 1), 22),
        (("grants", 1, "verbs"), 23),
        (("grants", 1, "more", "x"), 25),
    ],
)
def test_headers_and_keys_are_found_past_strings_lists_and_remarks(key: KeyPath, line: int):
    assert key_lines(TEXT)[key] == line
    assert key_lines(TEXT.replace("\n", "\r\n"))[key] == line


@pytest.mark.parametrize(
    ("key", "line"),
    [
        (("seats", "misty", "budget", "tokens"), 9),
        (("seats", "misty", "missing"), 4),
        (("seats", "misty", "long", 1, "x"), 11),
        (("grants", 1, "principal"), 22),
        (("nowhere",), None),
        ((), None),
    ],
)
def test_a_key_without_a_line_of_its_own_has_that_of_what_holds_it(key: KeyPath, line: int | None):
    assert line_of(key, key_lines(TEXT)) == line


@pytest.mark.parametrize("text", ["[a", "a", "a = ", "= 1", "[[a]", "a = 1\n? = 2", '"a = 1'])
def test_a_text_that_is_not_understood_gives_no_line_or_a_true_one(text: str):
    for key, line in key_lines(text).items():
        assert str(key[-1]) in text.splitlines()[line - 1]


names = st.sampled_from(["a", "b", '"c d"', "'e.f'", "1", '"\\u00e9"'])
dotted = st.lists(names, min_size=1, max_size=3).map(" . ".join)
values = st.sampled_from(
    [
        "1",
        '"x"',
        "[\n1,\n]",
        '"""\n[y]\n"""',
        "{ z = 1 }",
        "'''\n''''",
        '"[" # ]',
        '"\\""',
        "[[[]]]",
    ]
)
statements = st.one_of(
    st.tuples(dotted, values).map(" = ".join),
    dotted.map("[{}]".format),
    dotted.map("[[{}]]".format),
    st.just("# [a]"),
    st.just(""),
)


@given(st.lists(statements, max_size=8).map("\n".join))
@settings(max_examples=400, deadline=None)
def test_each_key_that_has_a_line_exists_and_stands_there(text: str):
    try:
        table = tomli.loads(text)
    except tomli.TOMLDecodeError:
        return
    found = key_lines(text)
    for key, line in found.items():
        value: Any = table
        for part in key:
            value = value[part]
        name = next(part for part in reversed(key) if isinstance(part, str))
        assert name.replace("é", "\\u00e9") in text.split("\n")[line - 1]
    assert {key for key in found if len(key) == 1} == {(name,) for name in table}
