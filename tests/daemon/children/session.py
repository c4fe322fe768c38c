# ruff: noqa: PTH102, PTH110, PTH123, PTH208, SIM115
"""A session process that speaks the protocol and misbehaves as its arguments say.

    session.py BEHAVIOUR [ARGUMENT]

It imports little, and no pathlib, so that it starts quickly.
"""

import json
import os
import signal
import sys
import time

ARGUMENT = sys.argv[2] if len(sys.argv) > 2 else ""
_unread = b""


def write(data, descriptor=1):
    while data:
        data = data[os.write(descriptor, data) :]


def say(kind, **fields):
    write(json.dumps({"v": 1, "kind": kind, **fields}).encode() + b"\n")


def hear():
    """The next message, or None at the end of stdin."""
    global _unread
    while b"\n" not in _unread:
        chunk = os.read(0, 65536)
        if not chunk:
            return None
        _unread += chunk
    line, _unread = _unread.split(b"\n", 1)
    return json.loads(line)


def begin():
    """Up to `running`, or, in mode recover, to the world's answer; the specification."""
    specification = start()
    running(journal_of(specification))
    return specification


def start():
    """Up to `joining`, or, in mode recover, to the world's answer; the specification."""
    say("hello", pid=os.getpid(), version="test")
    start = hear()
    if start is None:
        os._exit(0)
    specification = start["specification"]
    if specification["mode"] == "recover":
        answer = open(ARGUMENT).read().strip() if os.path.exists(ARGUMENT) else "settled"
        ended(answer, "confirmed" if answer == "settled" else "unconfirmed")
        os._exit(0)
    say("joining")
    return specification


def journal_of(specification):
    return f"{specification['stateDirectory']}/journals/{specification['sessionId']}.jsonl"


def running(journal="/nowhere", recovery="how-to-ask", descendants=()):
    say(
        "running",
        journeyId="world:w:player:p",
        environmentSessionId="e1",
        environmentId="pokemon-firered",
        journal=journal,
        recovery=recovery,
        descendants=list(descendants),
    )


def ended(outcome="stopped", leave="confirmed", **fields):
    say("ended", outcome=outcome, leave=leave, turnsTaken=3, **fields)


def obey():
    """Answer what is asked until a stop or the end of stdin."""
    while (message := hear()) is not None:
        kind = message["kind"]
        if kind == "stop":
            say("stopping", reason=message["reason"])
            ended()
            return
        if kind == "say":
            say("ack", id=message["id"])
        if kind == "ping":
            say("heartbeat")
        if kind in ("pause", "resume", "budget", "lease"):
            print(json.dumps(message), file=sys.stderr, flush=True)


def turn(number, **fields):
    say(
        "turn",
        card={"turn": number, "at": "2026-01-01T00:00:00.000Z", "outcome": "accepted", **fields},
        budget={
            "tokens": 100 * number,
            "tokenCeiling": 250000,
            "cost": None,
            "costCeiling": None,
            "unreportedCalls": 0,
        },
    )


def sleep_child(*, ignore_term=False, new_session=False):
    """A grandchild that holds every pipe open."""
    ready, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        if ignore_term:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if new_session:
            os.setsid()
        os.write(told, b"x")
        time.sleep(600)
        os._exit(0)
    os.read(ready, 1)
    return pid


def good():
    begin()
    obey()


def plays():
    begin()
    for number in range(int(ARGUMENT or 3)):
        say("phase", phase="deciding", turn=number)
        turn(number, scene="overworld", intent="go north")
    say("notable", id="n1", notable="stuck", detail="twelve times the same")
    obey()


def tells_its_budget():
    say("notable", id="n1", notable="stuck", detail=str(begin()["budget"]["tokens"]))
    obey()


def tells_of_earlier_runs():
    """A notable whose detail is what it was told of them; the first run plays a turn and ends."""
    sitting = begin()["sitting"]
    detail = f"{len(sitting['earlierJournals'])} {sitting['toldTokens']}"
    say("notable", id="n1", notable="stuck", detail=detail)
    if not os.path.exists(ARGUMENT):
        open(ARGUMENT, "x").close()
        turn(1)
        ended("mind_unavailable")
    else:
        obey()


def names_another_file():
    say("hello", pid=os.getpid(), version="test")
    hear()
    say("joining")
    running("/etc/passwd")
    obey()


def crash_early():
    say("hello", pid=os.getpid(), version="test")
    hear()
    os._exit(3)


def crash_late():
    begin()
    time.sleep(float(ARGUMENT or 0))
    os._exit(4)


def refuses():
    say("hello", pid=os.getpid(), version="test")
    hear()
    say("joining")
    reason = ARGUMENT or "seat_taken"
    say("refused", reason=reason, detail="somebody else plays there")


def ends(outcome=ARGUMENT or "world_ended", leave="confirmed"):
    begin()
    ended(outcome, leave)


def ends_unconfirmed():
    begin()
    ended("world_ended", "unconfirmed", detail="unreachable")


def silent_recovery():
    """Ends without a confirmed leave, and never answers when it is asked about that."""
    say("hello", pid=os.getpid(), version="test")
    if hear()["specification"]["mode"] == "recover":
        time.sleep(600)
    say("joining")
    running()
    ended("world_ended", "unconfirmed")


def silent():
    begin()
    time.sleep(600)


def reads_late():
    """Reads what it is told only once something was written into the named pipe ARGUMENT."""
    begin()
    open(ARGUMENT).read()
    obey()


def opens_a_journal():
    """The journal is there before anybody is told of it, and empty, as on a full disk."""
    say("hello", pid=os.getpid(), version="test")
    specification = hear()["specification"]
    say("joining")
    folder = f"{specification['stateDirectory']}/journals"
    os.mkdir(folder)
    journal = f"{folder}/20260101T000000000Z-{specification['sessionId']}.jsonl"
    open(journal, "x").close()
    running(journal)
    obey()


def never_ready():
    say("hello", pid=os.getpid(), version="test")
    while (message := hear()) is not None:
        if message["kind"] == "stop":
            ended("stopped", "not_joined")
            return


def deaf():
    """Lives, ignores SIGTERM, and never ends by itself."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    begin()
    while True:
        say("heartbeat")
        time.sleep(0.1)


def lingers():
    begin()
    ended("idle")
    while True:
        say("heartbeat")
        time.sleep(0.1)


def ends_twice():
    begin()
    ended("finished")
    ended("stopped")
    time.sleep(600)


def garbage():
    begin()
    for _ in range(int(ARGUMENT)):
        write(b"this is no message\n")
    obey()


def bad_utf8():
    begin()
    write(b'{"v":1,"kind":"phase","phase":"\xff","turn":1}\n')
    say("phase", phase="seen", turn=2)
    obey()


def long_lines():
    begin()
    write(b"x" * (64 * 1024 * 1024))
    write(b"\n")
    say("phase", phase="after", turn=1)
    obey()


def recites():
    """Says what stands in the file ARGUMENT, whatever it is, once it may join."""
    say("hello", pid=os.getpid(), version="test")
    hear()
    say("joining")
    with open(ARGUMENT, "rb") as file:
        write(file.read())
    say("phase", phase="recited", turn=0)
    obey()


def half_a_line():
    begin()
    ended("finished")
    write(b'{"v":1,"kind":"heart')


def loud_start():
    for _ in range(160):
        write(b"e" * 65535 + b"\n", 2)
    good()


def floods_in_stop():
    begin()
    while hear()["kind"] != "stop":
        pass
    for number in range(int(ARGUMENT or 20_000)):
        turn(number, scene="x" * 400)
    ended()


def long_log_line():
    write(b"l" * 100_000 + b"\n" + b"\xff\xfe bytes\n", 2)
    good()


def family():
    """A grandchild in this session, one in its own that ignores SIGTERM, and one that is lost."""
    specification = start()
    pids = [
        sleep_child(),
        sleep_child(ignore_term=True, new_session=True),
    ]
    middle = os.fork()
    if middle == 0:
        os.setsid()
        pids.append(sleep_child(ignore_term=True, new_session=True))
        with open(ARGUMENT, "w") as file:
            file.write(" ".join(map(str, pids)))
        os._exit(0)
    os.waitpid(middle, 0)
    running(journal_of(specification), descendants=pids[1:2])
    obey()


def family_that_outlives():
    """A family whose leader does not end with its supervisor, as a real session would."""
    family()
    time.sleep(600)


def dies_with_pipes_held():
    begin()
    pid = sleep_child()
    with open(ARGUMENT, "w") as file:
        file.write(str(pid))
    os._exit(5)


def double_forks():
    begin()
    for _ in range(200):
        middle = os.fork()
        if middle == 0:
            if os.fork() == 0:
                os.setsid()
            os._exit(0)
        os.waitpid(middle, 0)
    say("phase", phase="forked", turn=0)
    obey()


def closes_its_pipes():
    begin()
    os.close(0)
    os.close(1)
    time.sleep(600)


def reports():
    """Writes what a supervised process finds at its start into ARGUMENT."""
    with open("/proc/self/status") as status:
        masks = {
            name: value.strip()
            for name, _, value in (line.partition(":") for line in status)
            if name in ("SigBlk", "SigIgn", "ShdPnd")
        }
    facts = {
        "masks": masks,
        "descriptors": sorted(map(int, os.listdir("/proc/self/fd")))[:-1],
        "session": os.getsid(0) == os.getpid(),
        "group": os.getpgid(0) == os.getpid(),
        "blocking": [os.get_blocking(number) for number in (0, 1, 2)],
        "environment": sorted(os.environ),
    }
    with open(ARGUMENT, "w") as file:
        json.dump(facts, file)
    good()


def converses():
    """Speaks, raises a notable, and answers people."""
    begin()
    say("speech", id="first", speech="speak", text="a door!", turn=0)
    say("notable", id="stuck", notable="stuck", detail="here again")
    replies = 0
    while (message := hear())["kind"] != "stop":
        if message["kind"] == "say":
            replies += 1
            say("ack", id=message["id"])
            words = f"{message['from']} said {message['text']}"
            say("speech", id=f"reply{replies}", speech="reply", text=words, turn=replies)
    ended()


def notables_on_demand():
    """Raises the notable that a person names; of other words it is told and plays on."""
    begin()
    while (message := hear())["kind"] != "stop":
        if message["kind"] == "say":
            say("ack", id=message["id"])
            if message["text"] in ("stuck", "budget_exhausted"):
                say("notable", id=message["text"], notable=message["text"], detail="as asked")
    ended()


def last_word():
    """Ends once the supervisor has its notable."""
    begin()
    say("notable", id="world_ended", notable="world_ended", detail="the world said so")
    while hear() != {"v": 1, "kind": "ack", "id": "world_ended"}:
        pass
    ended("world_ended")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
