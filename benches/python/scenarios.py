"""What both sides do, and what they do it with."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

SEQUENTIAL_CALLS = 10
PARALLEL_CALLS = 16
OBJECTS = 10_000
TEXT = "the quick brown fox jumps over the lazy dog"


class Timing(NamedTuple):
    """One sample: how long it took, and the size of the stored state where there is one."""

    seconds: float
    stored_bytes: int = 0


class Side(Protocol):
    """One product. Each method runs a scenario once, checks its answer and returns its time."""

    async def trivial(self) -> Timing:
        """Evaluate ``1 + 1`` in a worker that is taken for it and made clean after it."""
        ...

    async def sequential_calls(self) -> Timing:
        """Await an async function of the host `SEQUENTIAL_CALLS` times, one after the other."""
        ...

    async def parallel_calls(self) -> Timing:
        """Await `PARALLEL_CALLS` calls of an async function of the host at once."""
        ...

    async def stored(self) -> Timing:
        """Run to a call that the host answers, store, load into another process, answer, finish."""
        ...

    async def stored_with_objects(self) -> Timing:
        """The same from the store on, with `OBJECTS` objects alive; making them is not timed."""
        ...

    async def objects_in(self) -> Timing:
        """Give a program `OBJECTS` objects, of which it returns the number."""
        ...

    async def objects_out(self) -> Timing:
        """Take `OBJECTS` objects that a program has; making them is not timed."""
        ...


def objects() -> list[dict[str, Any]]:
    """Make the objects: 1 MB of JSON."""
    return [{"id": i, "name": f"item-{i:05d}", "value": 63.0, "ok": True, "t": TEXT} for i in range(OBJECTS)]


def check(found: object, wanted: object) -> None:
    """Stop the measurement if an answer is wrong.

    Raises:
        ValueError: it is.
    """
    if found != wanted:
        raise ValueError(f"a scenario gave {str(found)[:200]}, not {str(wanted)[:200]}")
