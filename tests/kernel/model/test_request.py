import msgspec
import pytest

from kernel.model.request import ModelEndpoint, Prompt, Schema, Secret, system_text

KEY = "sk-0123456789"


def endpoint(**changes: object) -> ModelEndpoint:
    fields: dict[str, object] = {
        "name": "mind",
        "provider": "openai",
        "base_url": "https://api.openai.com/v1",
        "model": "m-1",
        "api_key": Secret(KEY),
    }
    return ModelEndpoint(**(fields | changes))  # type: ignore[arg-type]


def test_a_secret_is_shown_by_nothing_but_reveal() -> None:
    secret = Secret(KEY)
    for shown in (repr(secret), str(secret), f"{secret}", repr(endpoint()), f"{[secret]!r}"):
        assert KEY not in shown
    with pytest.raises(TypeError):
        msgspec.json.encode(endpoint())
    assert secret.reveal() == KEY


@pytest.mark.parametrize("value", ["sk-secret\n", "sk secret", "sk-secré"])
def test_a_key_that_cannot_stand_in_a_header_is_refused_without_repeating_it(value: str) -> None:
    with pytest.raises(ValueError, match="printable ASCII") as told:
        Secret(value)
    assert "secr" not in str(told.value)


@pytest.mark.parametrize(
    "url", ["", "ftp://127.0.0.1/v1", "127.0.0.1:9/v1", "http://[::1", "http:///v1", "http://a:0"]
)
def test_an_address_that_cannot_be_asked_is_told_by_the_models_name(url: str) -> None:
    with pytest.raises(ValueError, match="base_url of model 'mind'"):
        endpoint(base_url=url)


def test_an_image_is_a_png() -> None:
    with pytest.raises(ValueError, match="PNG"):
        Prompt(system="s", parts=(), image=b"\xff\xd8\xff")


@pytest.mark.parametrize(
    ("structured", "in_words"), [("json_schema", False), ("json_object", True), ("prompt", True)]
)
def test_the_schema_is_put_in_words_where_the_provider_is_not_given_it(
    structured: str, in_words: bool
) -> None:
    prompt = Prompt(system="You play.", parts=(), schema=Schema("d", b'{"type":"object"}'))
    text = system_text(endpoint(structured=structured), prompt)
    assert text.startswith("You play.")
    assert ('{"type":"object"}' in text) is in_words
