import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.model.decoding import find_object
from kernel.model.errors import FailureKind

A = '{"action":"walk"}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (A, A),
        (f"  \n{A}\n", A),
        (f"```json\n{A}\n```", A),
        (f"```\n{A}\n```\nThat is my move.", A),
        (f"Here is my move:\n{A}", A),
        (f"{A} because {{left}} and {{x: 1}} and {{", A),
        (f"{A}\n{A}", A),
        (f'{A} {{ "action" : "walk" }}', A),
        ('{"a":"```json {} ```"}', '{"a":"```json {} ```"}'),
        ('{"a":"}{"}', '{"a":"}{"}'),
        ('{"a":1e999}', '{"a":1e999}'),
        (f"<think>{{walk}} or {{wait}}?</think>{A}", A),
        (f"\n<think></think>\n```json\n{A}\n```", A),
        ('{"a":{"a":1},"b":{"a":2}}', '{"a":{"a":1},"b":{"a":2}}'),
        ('{"a":1,"a":1}', '{"a":1,"a":1}'),
    ],
)
def test_cases_1_and_2_the_first_whole_object_is_found(text: str, expected: str) -> None:
    assert find_object(text) == expected.encode()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", FailureKind.NOT_JSON),
        ("I walk left.", FailureKind.NOT_JSON),
        ("{", FailureKind.NOT_JSON),
        ('{"action":"walk","at":{"x":1}', FailureKind.NOT_JSON),
        ('{walk} is best: {"action":"walk"}', FailureKind.NOT_JSON),
        (f"[{A}]", FailureKind.NOT_JSON),
        ('"{\\"action\\":1}"', FailureKind.NOT_JSON),
        (f'"{A}"', FailureKind.NOT_JSON),
        ('{"a":NaN}', FailureKind.NOT_JSON),
        ('{"a":-Infinity}', FailureKind.NOT_JSON),
        ("{'a':1}", FailureKind.NOT_JSON),
        ('{"a":1,}', FailureKind.NOT_JSON),
        ('{"a":"line\nend"}', FailureKind.NOT_JSON),
        ('{"a":"\\ud800"}', FailureKind.NOT_JSON),
        ('{"a":"\ud800"}', FailureKind.NOT_JSON),
        ('{"a":' * 5000 + "1" + "}" * 5000, FailureKind.NOT_JSON),
        (f"<think>{A}", FailureKind.NOT_JSON),
        (f'{A}{{"action":"wait"}}', FailureKind.AMBIGUOUS),
        (f"```json\n{A}\n```\n```json\n{{}}\n```", FailureKind.AMBIGUOUS),
        ('{"a":1} {"a":true}', FailureKind.AMBIGUOUS),
        ('{"a":1,"a":2}', FailureKind.AMBIGUOUS),
        ('{"x":{"a":1,"a":2}}', FailureKind.AMBIGUOUS),
        (A + "{" * 100_000, FailureKind.AMBIGUOUS),
    ],
)
def test_what_is_not_one_whole_object_is_never_an_answer(text: str, kind: FailureKind) -> None:
    assert find_object(text) is kind


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("ab{}", max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text('abc{}"', max_size=4), JSON, max_size=4))
def test_any_object_comes_back_byte_for_byte_and_no_cut_of_it_does(
    value: dict[str, object],
) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert find_object(f"```json\n{text}\n```") == text.encode()
    for length in range(len(text)):
        assert find_object(text[:length]) is FailureKind.NOT_JSON


@given(st.text('{}[]":,a1 \\\n`<think>/', max_size=60))
def test_no_text_raises(text: str) -> None:
    assert isinstance(find_object(text), bytes | FailureKind)


@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_an_object_nested_too_deep_is_none_and_raises_nothing(pair: str) -> None:
    """Each step of the reading gives up at another depth, and all of them well."""
    opening = pair[0] if pair == "[]" else '{"a":'
    for depth in range(880, 1_010):
        nested = opening * depth + "1" + pair[1] * depth
        found = find_object(f'{{"a":{nested}}}')
        assert found is FailureKind.NOT_JSON or isinstance(found, bytes)
    assert find_object(f'{{"a":{opening * 20_000}1{pair[1] * 20_000}}}') is FailureKind.NOT_JSON
