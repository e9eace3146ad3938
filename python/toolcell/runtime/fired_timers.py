"""Timers of a cell that have fired, in the order in which the guest is to see them."""

from __future__ import annotations

from toolcell.settlement import Settled


class FiredTimers:
    """Timers whose results the guest has not got yet. Their order is by due time, then number."""

    __slots__ = ("_due",)

    def __init__(self) -> None:
        self._due: dict[int, float] = {}

    def add(self, number: int, due: float) -> None:
        """A timer has fired."""
        self._due[number] = due

    def discard(self, number: int) -> bool:
        """Forget a timer; false if it is none of these."""
        return self._due.pop(number, None) is not None

    def take(self, settled: list[Settled]) -> list[Settled]:
        """Return results with the timers among them in order, in the places that timers had; then forget the timers."""
        if not self._due:
            return settled
        due = self._due
        if len(due) > 1:
            places = [index for index, (number, _) in enumerate(settled) if number in due]
            timers = sorted((settled[index] for index in places), key=lambda item: (due[item[0]], item[0]))
            for index, timer in zip(places, timers, strict=True):
                settled[index] = timer
        due.clear()
        return settled
