from hypothesis import given
from hypothesis import strategies as st

from daemon.control.admission import FOR_ONE_UID, KEPT_FOR_OWNERS, TOTAL, Admission
from daemon.control.peers import Caller


def caller(uid: int) -> Caller:
    return Caller(uid=uid, gid=uid, pid=9)


def test_one_uid_holds_sixteen():
    admission = Admission()
    assert [admission.admit(caller(1001)) for _ in range(17)] == [True] * 16 + [False]
    assert admission.admit(caller(1002))


def test_others_leave_eight_places_for_root():
    admission = Admission()
    admitted = sum(admission.admit(caller(1001 + n % 10)) for n in range(200))
    assert admitted == TOTAL - KEPT_FOR_OWNERS
    assert [admission.admit(caller(0)) for _ in range(9)] == [True] * 8 + [False]


def test_a_place_given_back_is_free_again():
    admission = Admission()
    for _ in range(FOR_ONE_UID):
        admission.admit(caller(1001))
    admission.leave(caller(1001))
    assert admission.admit(caller(1001))
    assert not admission.admit(caller(1001))


@given(st.lists(st.tuples(st.sampled_from((0, 1001, 1002, 1003, 1004)), st.booleans())))
def test_no_order_of_coming_and_going_passes_a_limit(moves: list[tuple[int, bool]]):
    admission = Admission()
    held = dict.fromkeys((0, 1001, 1002, 1003, 1004), 0)
    for uid, comes in moves:
        if comes:
            held[uid] += admission.admit(caller(uid))
        elif held[uid]:
            admission.leave(caller(uid))
            held[uid] -= 1
        assert max(held.values()) <= FOR_ONE_UID
        assert sum(held.values()) == admission.by_uid.total() <= TOTAL
        assert sum(count for uid, count in held.items() if uid) == admission.others
