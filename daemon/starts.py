"""Lets a few session processes start at a time.

Until it joins its world a session imports much, which takes half a second of a processor. A hundred
at once would all be silent for so long that they pass for hung, and the daemon would wait behind
them.
"""

from __future__ import annotations

import os

import trio

AT_ONCE_PER_PROCESSOR = 2
LONGEST = 3.0
"""Seconds after which a slow or hanging start holds nobody else up."""


class Starts:
    """The places for sessions that are starting."""

    def __init__(self, places: int | None = None) -> None:
        """`places` None: as many as this machine's processors can take."""
        default = AT_ONCE_PER_PROCESSOR * len(os.sched_getaffinity(0))
        self._places = trio.CapacityLimiter(places or default)

    async def place(self) -> Place:
        """Wait for a place, first come first served."""
        place = Place(self._places)
        await self._places.acquire_on_behalf_of(place)
        return place


class Place:
    """Held by one start; whoever has it gives it back."""

    def __init__(self, places: trio.CapacityLimiter) -> None:
        self._places = places
        self._held = True

    async def give_back_after(self, started: trio.Event) -> None:
        """When the start is over, or after `LONGEST`."""
        with trio.move_on_after(LONGEST):
            await started.wait()
        self.give_back()

    def give_back(self) -> None:
        """Again, if it was given back before, does nothing."""
        if self._held:
            self._held = False
            self._places.release_on_behalf_of(self)
