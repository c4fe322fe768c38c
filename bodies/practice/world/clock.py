"""The world's clock: frames since the country began, read from trio's time and never ticking."""

import trio

FRAMES_PER_SECOND = 60


class Clock:
    """`speed` multiplies the frames in a real second; `frame` is where the country stopped."""

    def __init__(self, speed: float = 1.0, frame: int = 0) -> None:
        self._rate = FRAMES_PER_SECOND * speed
        self._from_frame = frame
        self._started = trio.current_time()

    @property
    def frame(self) -> int:
        return self._from_frame + int((trio.current_time() - self._started) * self._rate)

    async def reach(self, frame: int) -> None:
        """Sleep until that frame; at once when it has passed."""
        await trio.sleep_until(self._started + (frame - self._from_frame) / self._rate)
