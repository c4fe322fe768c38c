"""What a seat behind a motor needs to know, as the daemon hands it over."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from msgspec import Struct

from bodies.minecraft import wire


class UnusableMotor(ValueError):
    """The motor that the options name cannot be used; says what to write instead."""


class Profile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The one server and account that this seat may join; the motor knows it by `id`."""

    id: str
    host: str
    port: int
    version: str
    username: str
    auth: str = "offline"

    @property
    def endpoint(self) -> wire.Endpoint:
        """What `join` is given."""
        return wire.Endpoint(self.host, self.port, self.version, self.username)


class Options(Struct, frozen=True, forbid_unknown_fields=True, rename="camel", kw_only=True):
    """A seat's own settings."""

    motor: tuple[str, ...] | str
    """A command that speaks MCP on its stdio, or the URL of a running motor."""
    profile: Profile
    insecure: bool = False
    """Allows a plaintext URL that is not loopback."""
    """Whose journey this is; without one the account's own."""


def usable_motor(options: Options) -> tuple[str, ...] | str:
    """The command or URL. Raises UnusableMotor."""
    motor = options.motor
    if options.profile.auth != "offline":
        raise UnusableMotor("the profile's auth can only be offline")
    if not isinstance(motor, str):
        if not motor or not motor[0]:
            raise UnusableMotor("the motor's command is empty")
        return motor
    try:
        parts = urlsplit(motor)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, None
    if parts is None or not host or parts.scheme not in ("http", "https"):
        raise UnusableMotor("the motor's address is no http or https URL")
    if parts.username is not None or parts.password is not None:
        raise UnusableMotor("the motor's address carries a user or password; leave them out")
    if parts.scheme == "http" and not options.insecure and not _is_loopback(host):
        raise UnusableMotor(
            f"http to {host} is plaintext; use https, or set insecure = true for this seat"
        )
    return motor


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
