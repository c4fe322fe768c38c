"""The supervisor with real session processes."""


async def test_a_session_is_joined_and_stopped(opened):
    async with opened("good") as playd:
        joined = await playd.join()
        assert joined.state == "running"
        assert (await playd.seat()).state == "running"
        stopped = await playd.stop()
        assert (stopped.state, stopped.outcome, stopped.leave) == (
            "stopped",
            "stopped",
            "confirmed",
        )
        assert stopped.turns_taken == 3
        assert (await playd.seat()).state == "idle"
