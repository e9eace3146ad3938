"""Stored cells that were changed, cut, swapped or sealed with a foreign key are refused; none of them runs."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import toolcell
from toolcell.store import SqliteStore
from toolcell.store.envelope import MAGIC, seal

KEY = b"k" * 32
HEADER = len(MAGIC) + 32
SCOPE = toolcell.Scope("agent", "session", "key", "run")
ROUNDS = 40


def tool(seen: list[int]) -> toolcell.Tool:
    @toolcell.tool(name="record", input_schema={}, raw_input=True)
    async def record(given: Any) -> None:
        seen.append(given)

    return record


class Database:
    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, cell_id: str) -> bytes:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as database:
            (sealed,) = database.execute("SELECT sealed FROM continuation WHERE cell_id = ?", (cell_id,)).fetchone()
        return bytes(sealed)

    def write(self, cell_id: str, sealed: bytes) -> None:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as database:
            database.execute("UPDATE continuation SET sealed = ? WHERE cell_id = ?", (sealed, cell_id))


def changed(payload: bytes, randomly: random.Random) -> bytes:
    """Flip a bit, cut, or lengthen."""
    kind = randomly.choice(["flip", "flip", "flip", "cut", "grow"])
    if kind == "cut":
        return payload[: randomly.randrange(len(payload))]
    if kind == "grow":
        return payload + randomly.randbytes(randomly.randint(1, 50))
    place = randomly.randrange(len(payload))
    return payload[:place] + bytes([payload[place] ^ (1 << randomly.randrange(8))]) + payload[place + 1 :]


@pytest.fixture
async def stored(hosts: Any, tmp_path: Path) -> tuple[toolcell.Run, Database, list[int]]:
    seen = list[int]()
    store = SqliteStore(tmp_path / "cells.db", key=KEY)
    run = await hosts.run(tool(seen), store=store, scope=SCOPE, config={"maxSuspended": 1000})
    return run, Database(tmp_path / "cells.db"), seen


async def park(run: toolcell.Run) -> str:
    result = await run.exec({"code": "const big = 'x'.repeat(2000); await yield_control(); await record(1); return big.length"})
    assert result.run_id is not None
    return result.run_id


async def test_changed_bytes_are_refused_and_the_right_ones_still_run(stored: Any) -> None:
    run, database, seen = stored
    cell_id = await park(run)
    sealed = database.read(cell_id)
    randomly = random.Random(1)

    reasons = set[str | None]()
    for _ in range(ROUNDS):
        database.write(cell_id, changed(sealed, randomly))
        reasons.add((await run.wait({"runId": cell_id})).reason)
    before = list(seen)
    database.write(cell_id, sealed)
    result = await run.wait({"runId": cell_id})

    assert (reasons, before, result.value, seen) == ({"snapshot_restore_failed"}, [], 2000, [1])


async def test_changed_bytes_that_are_sealed_again_with_the_right_key_are_refused_by_the_worker(stored: Any) -> None:
    run, database, seen = stored
    randomly = random.Random(2)

    results = list[toolcell.CellResult]()
    for _ in range(ROUNDS):
        cell_id = await park(run)
        payload = database.read(cell_id)[HEADER:]
        header, record = (int.from_bytes(payload[place : place + 4], "little") for place in (0, 4))
        start = 8 + header + record
        image = changed(payload[start:], randomly)
        database.write(cell_id, seal(KEY, ("cell", cell_id, 1), payload[:start] + image))
        results.append(await run.wait({"runId": cell_id}))
    after = await run.exec({"code": "return 1"})

    assert {(result.code, result.reason) for result in results} == {("internal_error", "snapshot_restore_failed")}
    assert (seen, after.value) == ([], 1)


async def test_another_cells_bytes_are_refused(stored: Any) -> None:
    run, database, seen = stored
    one, two = await park(run), await park(run)
    database.write(one, database.read(two))

    result = await run.wait({"runId": one})

    assert (result.reason, seen) == ("snapshot_restore_failed", [])


async def test_another_cells_bytes_sealed_as_this_cells_are_refused_by_the_worker(stored: Any) -> None:
    run, database, seen = stored
    one, two = await park(run), await park(run)
    database.write(one, seal(KEY, ("cell", one, 1), database.read(two)[HEADER:]))

    result = await run.wait({"runId": one})

    assert (result.reason, seen) == ("snapshot_restore_failed", [])


async def test_a_foreign_key_is_refused(stored: Any) -> None:
    run, database, seen = stored
    cell_id = await park(run)
    database.write(cell_id, seal(b"x" * 32, ("cell", cell_id, 1), database.read(cell_id)[HEADER:]))

    result = await run.wait({"runId": cell_id})

    assert (result.reason, seen) == ("snapshot_restore_failed", [])


async def test_a_cell_that_is_put_back_after_its_end_is_an_unknown_run(stored: Any) -> None:
    run, database, seen = stored
    cell_id = await park(run)
    sealed = database.read(cell_id)
    await run.wait({"runId": cell_id})
    with closing(sqlite3.connect(database.path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO continuation VALUES (?, 1, ?)", (cell_id, sealed))

    result = await run.wait({"runId": cell_id})

    assert (result.reason, seen) == ("unknown_run", [1])
