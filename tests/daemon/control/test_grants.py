import os

import pytest
from msgspec.structs import fields

from config.settings import SEAT_VERBS, ControlRoom, Grant, Settings
from daemon.control.grants import permissions_of
from daemon.control.peers import OVERFLOW_GID, OVERFLOW_UID, Caller
from daemon.control.verbs import VERBS

USERS = {"ann": 1001}
GROUPS = {"players": 2001, "nogroup": OVERFLOW_GID}
ANN = Caller(uid=1001, gid=1001, pid=9)
BOB = Caller(uid=1002, gid=1002, pid=9, groups=frozenset((2001,)))


def permissions(*grants: Grant, rooms: dict[str, ControlRoom] | None = None):
    return permissions_of(Settings(grants=grants, rooms=rooms or {}), USERS.get, GROUPS.get)


def grant(principal: str, *verbs: str, seats: tuple[str, ...] = ("red",)) -> Grant:
    return Grant(principal=principal, verbs=frozenset(verbs), seats=frozenset(seats))


@pytest.mark.parametrize(
    ("principal", "caller", "matches"),
    [
        ("uid:1001", ANN, True),
        ("uid:1001", BOB, False),
        ("user:ann", ANN, True),
        ("user:ann", BOB, False),
        ("user:nobody-here", ANN, False),
        ("group:players", BOB, True),
        ("group:players", ANN, False),
        ("group:players", Caller(uid=7, gid=2001, pid=9), True),
        ("group:no-such-group", BOB, False),
        ("anyone", ANN, True),
        ("anyone", Caller(uid=OVERFLOW_UID, gid=7, pid=9), False),
        (f"uid:{OVERFLOW_UID}", Caller(uid=OVERFLOW_UID, gid=7, pid=9), False),
        ("group:players", Caller(uid=OVERFLOW_UID, gid=2001, pid=9), False),
        ("group:nogroup", Caller(uid=7, gid=OVERFLOW_GID, pid=9), False),
    ],
)
def test_a_principal_matches_by_number(principal: str, caller: Caller, matches: bool):
    asked = permissions(grant(principal, "stop"))
    assert asked.allow(caller, "stop", "red") is matches
    assert asked.name(caller) is matches


@pytest.mark.parametrize(
    ("verbs", "seats", "verb", "seat", "allowed"),
    [
        (("stop",), ("red",), "stop", "red", True),
        (("stop",), ("red",), "stop", "blue", False),
        (("stop",), ("red",), "join", "red", False),
        (("stop",), ("*",), "stop", "blue", True),
        (("*",), ("red",), "drain", None, True),
        (("*",), ("red",), "stop", "blue", False),
        (("status",), (), "status", None, True),
        (("status",), (), "status", "red", False),
    ],
)
def test_a_grant_holds_for_its_verbs_on_its_seats(
    verbs: tuple[str, ...], seats: tuple[str, ...], verb: str, seat: str | None, allowed: bool
):
    asked = permissions(grant("uid:1001", *verbs, seats=seats))
    assert asked.allow(ANN, verb, seat) is allowed


def test_verbs_and_seats_of_two_grants_do_not_mix():
    asked = permissions(
        grant("uid:1001", "stop", seats=("red",)), grant("uid:1001", "join", seats=("blue",))
    )
    assert not asked.allow(ANN, "stop", "blue")
    assert not asked.allow(ANN, "join", "red")


@pytest.mark.parametrize("uid", [0, os.geteuid()])
def test_root_and_the_daemons_own_user_need_no_grant(uid: int):
    owner = Caller(uid=uid, gid=1, pid=9)
    assert permissions().allow(owner, "drain")
    assert permissions().speak_for(owner, "any-room")


def test_nothing_granted_is_nothing_allowed():
    asked = permissions()
    assert not asked.name(ANN)
    assert not any(asked.allow(ANN, verb, "red") for verb in ("status", "stop", "hello"))


def test_a_rooms_principals_speak_for_that_room_alone():
    rooms = {
        "den": ControlRoom(principals=frozenset(("user:ann",))),
        "hall": ControlRoom(principals=frozenset(("group:players",))),
    }
    asked = permissions(rooms=rooms)
    assert asked.speak_for(ANN, "den")
    assert not asked.speak_for(ANN, "hall")
    assert asked.speak_for(BOB, "hall")
    assert not asked.speak_for(ANN, "no-such-room")
    assert asked.name(ANN)
    assert asked.speak(ANN)


def test_a_principal_that_the_system_does_not_know_is_named():
    assert permissions(grant("user:gone", "stop"), grant("user:ann", "stop")).unknown == (
        "user:gone",
    )


def test_the_verbs_that_need_a_seat_are_those_whose_parameters_do():
    needing = {
        verb
        for verb, row in VERBS.items()
        if any(field.name == "seat" and field.required for field in fields(row.params))
    }
    assert needing == SEAT_VERBS
