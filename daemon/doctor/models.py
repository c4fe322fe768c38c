"""Checks models: whether the endpoint answers and takes the key, and whether the price is known.

It asks for the list of models, which costs no token.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping

import httpx
import msgspec
import trio

from config.credentials import CredentialError, read_credential
from config.settings import Model, Settings
from daemon.doctor.finding import Finding, Patient, fail, ok, warn
from daemon.dollar_caps import price_known
from kernel.undecodable import UNDECODABLE

_SECONDS = 10.0
_LIST_BYTES = 4 * 1024**2


class _Named(msgspec.Struct):
    id: str


class _Listing(msgspec.Struct):
    data: list[_Named] = []


async def check_model(patient: Patient, name: str) -> list[Finding]:
    """Its endpoint and its price."""
    model = patient.settings.models[name]
    return [
        await _check_endpoint(name, model, patient.environ),
        check_price(name, model, patient.settings),
    ]


def check_price(name: str, model: Model, settings: Settings) -> Finding:
    """Whether what it costs is known; with a dollar cap it must be (K29)."""
    about = f"price of {name}"
    if model.local:
        return ok(about, "costs nothing, says the configuration")
    if model.price is not None:
        return ok(about, "is the configuration's")
    if price_known(model):
        return ok(about, f"is published for {model.model}")
    remedy = f"set [models.{name}.price], or local = true when it costs nothing"
    capped = [
        seat
        for seat, said in settings.seats.items()
        if said.budget.dollars is not None and name in (said.model, said.voice_model)
    ]
    if capped:
        return fail(about, f"is not known, and seat {capped[0]} has a cap in dollars", remedy)
    return warn(about, "is not known: the cost of its sittings stays unknown", remedy)


async def _check_endpoint(name: str, model: Model, environ: Mapping[str, str]) -> Finding:
    about = f"model {name}"
    key = None
    if model.credential is not None:
        try:
            key = read_credential(model.credential, environ).reveal()
        except CredentialError as error:
            if not model.credential.startswith("systemd:"):
                return fail(about, str(error), error.hint or "mend the credential")
            # systemd gives its credentials to the service alone: what follows is asked without.
    asked_without_key = model.credential is not None and key is None
    try:
        with trio.fail_after(_SECONDS):
            status, listed = await _ask(model, key)
    except trio.TooSlowError:
        return fail(
            about,
            f"{model.endpoint} does not answer within {_SECONDS:g} s",
            "see whether it is overloaded, or still loads the model",
        )
    except (httpx.HTTPError, OSError, httpx.InvalidURL) as error:
        why = str(error) or type(error).__name__
        return fail(
            about, f"{model.endpoint} cannot be reached: {why}", "start it, or correct base_url"
        )
    if status in (401, 403):
        if asked_without_key:
            return ok(about, f"{model.endpoint} answers; its key is systemd's and was not tried")
        if key is None:
            return fail(
                about, f"{model.endpoint} asks for a key", f"set credential in [models.{name}]"
            )
        return fail(about, f"{model.endpoint} does not take the key ({status})", "renew the key")
    if status == 200 and listed is not None:
        if model.model in listed:
            return ok(about, f"{model.endpoint} has {model.model}")
        return warn(
            about,
            f"{model.endpoint} answers and does not list {model.model}",
            f"correct model in [models.{name}], or get the model there",
        )
    if status >= 500:
        return fail(about, f"{model.endpoint} answers {status}", "try again later")
    return ok(about, f"{model.endpoint} answers and lists no models ({status})")


async def _ask(model: Model, key: str | None) -> tuple[int, set[str] | None]:
    """Status, and the names in the list where there is one."""
    base = model.endpoint.rstrip("/")
    if model.provider == "anthropic":
        url = base.removesuffix("/v1") + "/v1/models?limit=1000"
        headers = {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}
    else:
        url = base + "/models"
        headers = {"authorization": f"Bearer {key}"} if key else {}
    headers["accept-encoding"] = "identity"
    trust = ssl.create_default_context(cafile=model.ca_file)
    async with httpx.AsyncClient(verify=trust, trust_env=False, timeout=None) as client:
        async with client.stream("GET", url, headers=headers) as answer:
            return answer.status_code, await _read_list(answer)


async def _read_list(answer: httpx.Response) -> set[str] | None:
    told = b""
    with trio.CancelScope() as reading:
        async for chunk in answer.aiter_raw():
            told += chunk
            if len(told) > _LIST_BYTES:
                reading.cancel()  # left otherwise, the library's generators would stay open
    if reading.cancelled_caught:
        return None
    try:
        listing = msgspec.json.decode(told, type=_Listing)
    except UNDECODABLE:
        return None
    return {named.id for named in listing.data}
