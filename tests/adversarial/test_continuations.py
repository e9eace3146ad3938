"""Stored cells that were changed, cut, swapped or sealed with a foreign key are refused; none of them runs."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import toolcell
from toolcell.executor.quickjs import QuickJsExecutor
from toolcell.store import SqliteStore
from toolcell.store.envelope import MAGIC, seal

SEED = 20_261_130
KEY = b"k" * 32
SEAL_BYTES = len(MAGIC) + 32
SCOPE = toolcell.Scope("agent", "session", "key", "run")
OTHER_SCOPE = toolcell.Scope("agent", "another session", "key", "run")
FORGED = 500
"""Continuations with a wrong seal, and as many with a right one around wrong bytes."""
CODE = "const big = 'x'.repeat(2000); await yield_control(); await record(1); return big.length"


@dataclass
class Bench:
    """Two runs of different scopes over one database, and what their tool recorded."""

    run: toolcell.Run
    other: toolcell.Run
    path: Path
    seen: list[int]

    def read(self, cell_id: str) -> bytes:
        with closing(sqlite3.connect(self.path)) as database:
            (sealed,) = database.execute("SELECT sealed FROM continuation WHERE cell_id = ?", (cell_id,)).fetchone()
        return bytes(sealed)

    def write(self, cell_id: str, sealed: bytes) -> None:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as database:
            database.execute("UPDATE continuation SET sealed = ? WHERE cell_id = ?", (sealed, cell_id))

    async def wait(self, cell_id: str) -> tuple[str | None, str | None]:
        result = await self.run.wait({"runId": cell_id})
        return result.code, result.reason

    def crashed(self) -> int:
        executor = self.run.code_mode.executor
        assert isinstance(executor, QuickJsExecutor)
        return executor.pool.stats()["crashed"]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    seen = list[int]()

    @toolcell.tool(name="record", input_schema={}, raw_input=True)
    async def record(given: Any) -> None:
        seen.append(given)

    async with AsyncExitStack() as stack:
        store = SqliteStore(tmp_path / "cells.db", key=KEY)
        code_mode = await stack.enter_async_context(toolcell.CodeMode({"maxSuspended": 10_000}, store=store))
        runs = [code_mode.run(tools=[record], force=True, scope=scope) for scope in (SCOPE, OTHER_SCOPE)]
        one, other = [await stack.enter_async_context(run) for run in runs]
        yield Bench(one, other, tmp_path / "cells.db", seen)


async def park(run: toolcell.Run) -> str:
    result = await run.exec({"code": CODE})
    assert result.run_id is not None
    return result.run_id


def image_start(payload: bytes) -> int:
    header, record = (int.from_bytes(payload[place : place + 4], "little") for place in (0, 4))
    return 8 + header + record


Change = Callable[[bytes, random.Random], bytes]


def flipped(data: bytes, randomly: random.Random) -> bytes:
    place = randomly.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << randomly.randrange(8))]) + data[place + 1 :]


def cut(data: bytes, randomly: random.Random) -> bytes:
    return data[: randomly.randrange(len(data))]


def grown(data: bytes, randomly: random.Random) -> bytes:
    return data + randomly.randbytes(randomly.randint(1, 50))


def two_places_swapped(data: bytes, randomly: random.Random) -> bytes:
    one, two = sorted(randomly.sample(range(len(data) - 16), 2))
    changing = bytearray(data)
    changing[one : one + 8], changing[two : two + 8] = data[two : two + 8], data[one : one + 8]
    changed = bytes(changing)
    return flipped(data, randomly) if changed == data else changed


def replaced_by(image: bytes) -> Change:
    return lambda data, randomly: image


CHANGES: list[Change] = [flipped, flipped, cut, grown, two_places_swapped]
REFUSED = ("internal_error", "snapshot_restore_failed")


@pytest.mark.timeout(120)
async def test_bytes_with_a_wrong_seal_are_refused_and_the_right_ones_still_run(bench: Bench) -> None:
    randomly = random.Random(SEED)
    cell_id, another = await park(bench.run), await park(bench.run)
    sealed = bench.read(cell_id)
    foreign = seal(b"f" * 32, ("cell", cell_id, 1), sealed[SEAL_BYTES:])
    later = seal(KEY, ("cell", cell_id, 2), sealed[SEAL_BYTES:])
    forged = [randomly.choice(CHANGES)(sealed, randomly) for _ in range(FORGED - 3)]

    answers = set[tuple[str | None, str | None]]()
    for each in [*forged, foreign, later, bench.read(another)]:
        bench.write(cell_id, each)
        answers.add(await bench.wait(cell_id))
    before = list(bench.seen)
    bench.write(cell_id, sealed)
    result = await bench.run.wait({"runId": cell_id})

    assert (answers, before, result.value, bench.seen) == ({REFUSED}, [], 2000, [1])


@pytest.mark.timeout(120)
async def test_wrong_images_under_a_right_seal_are_refused_by_the_worker(bench: Bench) -> None:
    randomly = random.Random(SEED)
    payloads = [bench.read(await park(run))[SEAL_BYTES:] for run in (bench.run, bench.other)]
    changes = [*CHANGES, *(replaced_by(payload[image_start(payload) :]) for payload in payloads)]

    answers = list[object]()
    for _ in range(FORGED):
        cell_id = await park(bench.run)
        payload = bench.read(cell_id)[SEAL_BYTES:]
        start = image_start(payload)
        image = randomly.choice(changes)(payload[start:], randomly)
        bench.write(cell_id, seal(KEY, ("cell", cell_id, 1), payload[:start] + image))
        answers.append((await bench.wait(cell_id), await bench.wait(cell_id)))
    after = await bench.run.exec({"code": "return 1"})

    assert set(answers) == {(REFUSED, ("invalid_input", "unknown_run"))}
    assert (bench.seen, bench.crashed(), after.value) == ([], 0, 1)


async def test_a_cell_that_is_put_back_after_its_end_is_an_unknown_run(bench: Bench) -> None:
    cell_id = await park(bench.run)
    sealed = bench.read(cell_id)
    await bench.run.wait({"runId": cell_id})
    with closing(sqlite3.connect(bench.path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO continuation VALUES (?, 1, ?)", (cell_id, sealed))

    answer = await bench.wait(cell_id)

    assert (answer, bench.seen) == (("invalid_input", "unknown_run"), [1])


async def test_an_earlier_park_of_the_same_cell_put_in_the_place_of_the_later_is_refused(bench: Bench) -> None:
    result = await bench.run.exec({"code": "await yield_control(); await record(1); await yield_control(); await record(2)"})
    cell_id = str(result.run_id)
    first = bench.read(cell_id)
    await bench.run.wait({"runId": cell_id})
    second = bench.read(cell_id)
    bench.write(cell_id, first)

    answer = await bench.wait(cell_id)
    bench.write(cell_id, second)
    ended = await bench.run.wait({"runId": cell_id})

    assert (answer, ended.status, bench.seen) == (REFUSED, "completed", [1, 2])
