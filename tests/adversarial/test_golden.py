"""Continuations that earlier builds stored are refused cleanly. See tests/golden/README.md."""

from __future__ import annotations

import base64
import json
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import toolcell
from toolcell import _native
from toolcell.executor.quickjs import QuickJsExecutor
from toolcell.runtime.record import decode_record, encode_record
from toolcell.store import SqliteStore
from toolcell.store.envelope import seal_cell, unseal_cell

FILES = sorted((Path(__file__).parents[1] / "golden").glob("*.json"))
SCOPE = toolcell.Scope("agent", "session", "key", "run")


@dataclass(frozen=True)
class Golden:
    cell_id: str
    key: bytes
    sealed: bytes

    @classmethod
    def read(cls, path: Path) -> Golden:
        wire = json.loads(path.read_text(encoding="utf-8"))
        return cls(wire["cell_id"], wire["key"].encode(), base64.b64decode(wire["sealed"]))

    def of_build(self, build: str) -> Golden:
        """The same, with a record that names another build."""
        cell = unseal_cell(self.key, self.cell_id, 1, None, self.sealed)
        record = encode_record(replace(decode_record(self.cell_id, cell.record), build=build))
        return replace(self, sealed=seal_cell(self.key, replace(cell, record=record)))


async def resume(golden: Golden, path: Path) -> tuple[toolcell.CellResult, toolcell.CellResult, list[int]]:
    """Put a continuation into a database and wait for its cell; also returns the next cell, and calls of the tool."""
    seen = list[int]()

    @toolcell.tool
    async def record(n: int) -> None:
        seen.append(n)

    store = SqliteStore(path, key=golden.key)
    async with toolcell.CodeMode(store=store) as code_mode, code_mode.run(tools=[record], force=True, scope=SCOPE) as run:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            ledger = (golden.cell_id, 1, "parked", None, 900.0, time.time() + 900)
            database.execute("INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?)", ledger)
            database.execute("INSERT INTO continuation VALUES (?, 1, ?)", (golden.cell_id, golden.sealed))
        result = await run.wait({"runId": golden.cell_id})
        after = await run.exec({"code": "return 1"})
        executor = code_mode.executor
        assert isinstance(executor, QuickJsExecutor)
        assert executor.pool.stats()["crashed"] == 0
    return result, after, seen


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_a_continuation_of_an_earlier_build_is_refused(path: Path, tmp_path: Path) -> None:
    result, after, seen = await resume(Golden.read(path).of_build("another build"), tmp_path / "cells.db")

    assert (result.code, result.reason, after.value, seen) == ("internal_error", "snapshot_restore_failed", 1, [])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_the_worker_refuses_it_even_if_the_host_takes_it_for_its_own(path: Path, tmp_path: Path) -> None:
    result, after, seen = await resume(Golden.read(path).of_build(_native.SOURCE_FINGERPRINT), tmp_path / "cells.db")

    assert (result.code, result.reason, after.value, seen) == ("internal_error", "snapshot_restore_failed", 1, [])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_as_it_was_written_it_is_refused_too(path: Path, tmp_path: Path) -> None:
    result, after, seen = await resume(Golden.read(path), tmp_path / "cells.db")

    assert (result.reason, after.value, seen) == ("snapshot_restore_failed", 1, [])
