"""What is asked of a model: whom, what, and in which shape the answer is wanted."""

from typing import Literal
from urllib.parse import urlsplit

import msgspec

PNG_PREFIX = b"\x89PNG\r\n\x1a\n"


class Secret:
    """An API key that no repr, log line or encoder shows; only `reveal` gives it away.

    Raises ValueError for a key that cannot stand in a header, without repeating it.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        if not value.isascii() or any(not "!" <= character <= "~" for character in value):
            raise ValueError("an API key holds printable ASCII without spaces or line ends")
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Secret(***)"


class ModelEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One configured model.

    `name` is the configuration's word for it, `model` the provider's. `provider` is the language
    spoken on the wire, so a compatible server is "openai" whoever runs it. An empty key sends no
    credentials. Times are seconds; `reserve` is in tokens (K28). Raises ValueError for a
    `base_url` that is no http or https address.
    """

    name: str
    provider: Literal["openai", "anthropic"]
    base_url: str
    model: str
    api_key: Secret
    structured: Literal["json_schema", "json_object", "prompt"] = "json_schema"
    takes_images: bool = False
    deadline: float = 60.0
    stall: float = 20.0
    reserve: int = 16_000
    ca_file: str | None = None

    def __post_init__(self) -> None:
        if not _is_address(self.base_url):
            raise ValueError(f"base_url of model {self.name!r} is no http or https address")

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).hostname or ""


class Schema(msgspec.Struct, frozen=True):
    """The flat JSON schema (no oneOf) of the object that is wanted; `json` is its text."""

    name: str
    json: bytes


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """One question.

    `system` is the stable prefix, the same for every call of a session, and is marked for the
    provider's cache. `parts` is what is new. `image` is one PNG, left out for a model that takes
    none. Without a schema the answer is plain words (the voice).
    """

    system: str
    parts: tuple[str, ...]
    image: bytes | None = None
    schema: Schema | None = None

    def __post_init__(self) -> None:
        if self.image is not None and not self.image.startswith(PNG_PREFIX):
            raise ValueError("a prompt's image is a PNG")


def system_text(endpoint: ModelEndpoint, prompt: Prompt) -> str:
    """The stable prefix, with the schema in words when the provider is not given it as such."""
    if prompt.schema is None or endpoint.structured == "json_schema":
        return prompt.system
    return (
        f"{prompt.system}\n\nAnswer with one JSON object and nothing else. It obeys this JSON"
        f" schema:\n{prompt.schema.json.decode()}"
    )


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
