"""Counting: this server's own rule for tokens, simple enough to be checked by hand.

A token is four characters, rounded up over a whole prompt or a whole answer; a picture is 85. A
system text that was seen before counts as read from the cache, rounded down.
"""

from collections.abc import Sequence
from hashlib import sha256

from bodies.practice.model.wire import Message, PromptDetails, Usage

CHARACTERS_PER_TOKEN = 4
TOKENS_PER_PICTURE = 85
REMEMBERED_PREFIXES = 256


def tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)


def prompt_tokens(messages: Sequence[Message]) -> int:
    """Everything that was sent to be read; a schema is not."""
    characters = sum(len(text) for message in messages for text in message.texts)
    pictures = sum(message.pictures for message in messages)
    return tokens(characters) + TOKENS_PER_PICTURE * pictures


def usage(prompt: int, cached: int, characters: int) -> Usage:
    """The usage of a call whose answer has so many characters."""
    completion = tokens(characters)
    return Usage(prompt, completion, prompt + completion, PromptDetails(cached))


class Prefixes:
    """The system texts that were seen; the one not seen for longest goes first."""

    def __init__(self) -> None:
        self._seen: dict[bytes, None] = {}

    def cached_tokens(self, system: str) -> int:
        """The tokens of this prefix that are read from the cache; from now on it is in there."""
        digest = sha256(system.encode(errors="surrogatepass")).digest()
        known = digest in self._seen
        self._seen.pop(digest, None)
        self._seen[digest] = None
        if len(self._seen) > REMEMBERED_PREFIXES:
            del self._seen[next(iter(self._seen))]
        return len(system) // CHARACTERS_PER_TOKEN if known else 0
