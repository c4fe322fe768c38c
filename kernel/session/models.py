"""The models of a specification, ready to be called."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from decimal import Decimal

import httpx
import trio

from kernel.mind import Answered, Call, Model
from kernel.model.errors import ModelFailure
from kernel.model.prices import Rates
from kernel.model.request import ModelEndpoint, Prompt, Secret
from kernel.model.transport import complete, open_client
from kernel.session.specification import ModelChoice


class ModelUnusable(Exception):
    """A model's settings cannot work; says which and why, without its key."""


def model_of(choice: ModelChoice) -> Model:
    """The endpoint and its rates. Raises ModelUnusable for a key or an address that cannot work."""
    try:
        endpoint = ModelEndpoint(
            name=choice.name,
            provider=choice.provider,
            base_url=choice.base_url,
            model=choice.model,
            api_key=Secret(choice.api_key or ""),
            structured=choice.structured,
            takes_images=choice.images,
            deadline=choice.deadline,
            stall=choice.stall,
            reserve=choice.reserve,
            ca_file=choice.ca_file,
        )
    except ValueError as error:
        raise ModelUnusable(f"model {choice.name}: {error}") from None
    rates = choice.rates
    return Model(
        endpoint=endpoint,
        rates=None
        if rates is None
        else Rates(
            input=_dollars(rates.input),
            cache_read=_dollars(rates.cache_read),
            cache_write=_dollars(rates.cache_write),
            output=_dollars(rates.output),
        ),
        output_limit=choice.output_limit,
    )


@asynccontextmanager
async def caller_of(model: Model) -> AsyncGenerator[Call]:
    """What calls this model's endpoint. Raises ModelUnusable for a CA file that cannot be used."""
    try:
        client = open_client(model.endpoint)
    except OSError as error:
        raise ModelUnusable(f"model {model.endpoint.name}: ca_file: {error}") from None
    try:
        yield _caller(client)
    finally:
        with trio.CancelScope(shield=True, deadline=trio.current_time() + 1.0):
            await client.aclose()


def _caller(client: httpx.AsyncClient) -> Call:
    async def call(
        endpoint: ModelEndpoint, prompt: Prompt, output_limit: int, scope: trio.CancelScope
    ) -> Answered | ModelFailure:
        return await complete(client, endpoint, prompt, output_limit, scope=scope)

    return call


def _dollars(rate: float) -> Decimal:
    return Decimal(str(rate))
