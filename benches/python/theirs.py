"""The scenarios with pydantic-monty."""

from __future__ import annotations

import time
from typing import Any

from pydantic_monty import AsyncFunctionSnapshot, AsyncMonty, AsyncMontySession, AsyncNameLookupSnapshot, MontyComplete

from benches.python.scenarios import OBJECTS, PARALLEL_CALLS, SEQUENTIAL_CALLS, Timing, check, objects

SEQUENTIAL = f"s = 0\nfor i in range({SEQUENTIAL_CALLS}):\n    s += await echo(i)\ns"
PARALLEL = f"import asyncio\nsum(await asyncio.gather(*[echo(i) for i in range({PARALLEL_CALLS})]))"


class Monty:
    """One pool; each scenario checks a session out and in again."""

    async def __aenter__(self) -> Monty:
        self._pool = await AsyncMonty(min_processes=2).__aenter__()
        self._objects = objects()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._pool.__aexit__(None, None, None)

    async def trivial(self) -> Timing:
        return await self._time("1+1", 2)

    async def sequential_calls(self) -> Timing:
        return await self._time(SEQUENTIAL, sum(range(SEQUENTIAL_CALLS)), external_lookup={"echo": echo})

    async def parallel_calls(self) -> Timing:
        return await self._time(PARALLEL, sum(range(PARALLEL_CALLS)), external_lookup={"echo": echo})

    async def stored(self) -> Timing:
        began = time.perf_counter()
        async with self._pool.checkout() as session:
            snapshot = await to_call(session, "x = ask()\nx + 1")
            state, value = await self._through_store(session, snapshot)
        seconds = time.perf_counter() - began
        check(value, 2)
        return Timing(seconds, len(state))

    async def stored_with_objects(self) -> Timing:
        async with self._pool.checkout() as session:
            given = await to_call(session, "all = given()\nask()\nlen(all)")
            snapshot = await given.resume({"return_value": self._objects})
            began = time.perf_counter()
            state, value = await self._through_store(session, snapshot)
            seconds = time.perf_counter() - began
        check(value, OBJECTS)
        return Timing(seconds, len(state))

    async def objects_in(self) -> Timing:
        async def given() -> Any:
            return self._objects

        return await self._time("len(await given())", OBJECTS, external_lookup={"given": given})

    async def objects_out(self) -> Timing:
        async with self._pool.checkout() as session:
            given = await to_call(session, "all = given()\nmark()\nall")
            mark = await given.resume({"return_value": self._objects})
            began = time.perf_counter()
            complete = await mark.resume({"return_value": None})
            value = complete.output
            seconds = time.perf_counter() - began
        check(value, self._objects)
        return Timing(seconds)

    async def _time(self, code: str, wanted: object, **options: Any) -> Timing:
        began = time.perf_counter()
        async with self._pool.checkout() as session:
            value = await session.feed_run(code, **options)
        seconds = time.perf_counter() - began
        check(value, wanted)
        return Timing(seconds)

    async def _through_store(self, session: AsyncMontySession, snapshot: Any) -> tuple[bytes, Any]:
        """Dump, load in a second worker while the first is still taken, answer, finish."""
        state = snapshot.dump()
        async with self._pool.checkout() as other:
            if other.worker_pid == session.worker_pid:
                raise ValueError("the state was loaded into the process that made it")
            complete: MontyComplete = await (await other.load_snapshot(state)).resume({"return_value": 1})
        return state, complete.output


async def echo(value: int) -> int:
    return value


async def to_call(session: AsyncMontySession, code: str) -> AsyncFunctionSnapshot:
    """Run until the code calls a function of the host."""
    snapshot = await session.feed_start(code)
    while isinstance(snapshot, AsyncNameLookupSnapshot):
        snapshot = await snapshot.resume()
    if not isinstance(snapshot, AsyncFunctionSnapshot):
        raise ValueError(f"no call, but {snapshot!r}")
    return snapshot
