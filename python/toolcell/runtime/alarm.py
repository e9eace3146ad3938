"""What a cell sleeps on until something changes or its time is over."""

from __future__ import annotations

import asyncio
import time


class Alarm:
    """Wakes the one task that waits on it. The timer is kept from wait to wait while their end is the same."""

    __slots__ = ("_at", "_timer", "_waker")

    def __init__(self) -> None:
        self._waker: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._at = 0.0

    async def until(self, at: float) -> bool:
        """Wait for `ring`; false when the time ``at`` of the monotonic clock has come."""
        left = time_left(at)
        if left <= 0:
            return False
        loop = asyncio.get_running_loop()
        if self._timer is None or self._at != at:
            self.stop()
            self._timer = loop.call_later(left, self._over)
            self._at = at
        self._waker = loop.create_future()
        try:
            await self._waker
        finally:
            self._waker = None
        return time_left(at) > 0

    def ring(self) -> None:
        """Wake whoever waits."""
        waker = self._waker
        if waker is not None and not waker.done():
            waker.set_result(None)

    def stop(self) -> None:
        """Let go of the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _over(self) -> None:
        self._timer = None
        self.ring()


def time_left(deadline: float) -> float:
    """Seconds until a time of the monotonic clock; negative if it has passed."""
    return deadline - time.monotonic()
