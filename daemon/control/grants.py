"""Who may do what: pure rules over the configuration's grants and rooms.

Denied by default. Root and the daemon's own user may do everything; the overflow uid, which stands
for any identity that has no number here, matches nothing, not even `anyone`. Names become numbers
once, when the configuration is loaded; a name that the system does not know matches nobody.
"""

from __future__ import annotations

import grp
import pwd
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from config.settings import Settings
from daemon.control.peers import OVERFLOW_GID, OVERFLOW_UID, Caller

IdOf = Callable[[str], int | None]


@dataclass(frozen=True)
class Permissions:
    """The grants and rooms of one configuration, ready to be asked."""

    grants: tuple[_Granted, ...]
    rooms: dict[str, tuple[_Principal, ...]]
    unknown: tuple[str, ...]
    """Principals whose name the system does not know."""

    def allow(self, caller: Caller, verb: str, seat: str | None = None) -> bool:
        """Whether the caller may use the verb: on the seat, or with None at all."""
        return caller.owner or any(
            granted.holds(verb, seat) and granted.principal.matches(caller)
            for granted in self.grants
        )

    def speak_for(self, caller: Caller, room: str) -> bool:
        """Whether the caller is one of the room's principals."""
        return caller.owner or any(
            principal.matches(caller) for principal in self.rooms.get(room, ())
        )

    def speak(self, caller: Caller) -> bool:
        """Whether the caller speaks for any room."""
        return any(self.speak_for(caller, room) for room in self.rooms)

    def name(self, caller: Caller) -> bool:
        """Whether anything at all is granted to the caller."""
        return (
            caller.owner
            or any(granted.principal.matches(caller) for granted in self.grants)
            or self.speak(caller)
        )


def permissions_of(settings: Settings, uid_of: IdOf, gid_of: IdOf) -> Permissions:
    """The permissions that a configuration gives, with names looked up now."""
    unknown: list[str] = []

    def principal(text: str) -> _Principal:
        kind, _, name = text.partition(":")
        if kind == "anyone":
            return _Principal()
        if kind == "uid":
            return _Principal(uid=int(name))
        number = uid_of(name) if kind == "user" else gid_of(name)
        if number is None:
            unknown.append(text)
            return _NOBODY
        return _Principal(uid=number) if kind == "user" else _Principal(gid=number)

    return Permissions(
        grants=tuple(
            _Granted(principal(grant.principal), frozenset(grant.verbs), grant.seats)
            for grant in settings.grants
        ),
        rooms={
            name: tuple(principal(text) for text in sorted(room.principals))
            for name, room in settings.rooms.items()
        },
        unknown=tuple(unknown),
    )


def uid_of(user: str) -> int | None:
    """The number of a user of this system."""
    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        return None


def gid_of(group: str) -> int | None:
    """The number of a group of this system."""
    try:
        return grp.getgrnam(group).gr_gid
    except KeyError:
        return None


@dataclass(frozen=True)
class _Principal:
    """A number to compare with; neither is anyone."""

    uid: int | None = None
    gid: int | None = None

    def matches(self, caller: Caller) -> bool:
        if caller.uid == OVERFLOW_UID:
            return False
        if self.uid is not None:
            return caller.uid == self.uid
        if self.gid is not None:
            return self.gid != OVERFLOW_GID and self.gid in {caller.gid, *caller.groups}
        return True


_NOBODY = _Principal(uid=OVERFLOW_UID)


@dataclass(frozen=True)
class _Granted:
    principal: _Principal
    verbs: frozenset[str]
    seats: frozenset[str]

    def holds(self, verb: str, seat: str | None) -> bool:
        return _in(verb, self.verbs) and (seat is None or _in(seat, self.seats))


def _in(name: str, names: Iterable[str]) -> bool:
    return name in names or "*" in names
