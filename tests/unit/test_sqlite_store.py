"""The store in a SQLite file."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from toolcell import EnvelopeError, StoreError
from toolcell.store import Absence, Note, SqliteStore, StoredCell
from toolcell.store import sqlite as module
from toolcell.store.sqlite import key_beside

KEY = b"k" * 32
CELL = StoredCell("cell_1", 1, b"s" * 32, b"record", b"image", 900.0, None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cells.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path, key=KEY)
    await store.open()
    yield store
    await store.close()


async def test_a_cell_outlives_the_store_object(path: Path, store: SqliteStore) -> None:
    await store.put(CELL)
    await store.close()
    other = SqliteStore(path, key=KEY)
    await other.open()

    assert await other.peek("cell_1") == CELL
    await other.close()


async def test_a_cell_is_taken_once(store: SqliteStore) -> None:
    await store.put(CELL)

    assert await store.take("cell_1", 1) == CELL
    assert await store.take("cell_1", 1) is Absence.CLAIMED


async def test_a_cell_that_was_resumed_meanwhile_is_not_taken_as_its_earlier_self(store: SqliteStore) -> None:
    await store.put(CELL)
    await store.take("cell_1", 1)
    await store.put(replace(CELL, generation=2))

    assert await store.take("cell_1", 1) is Absence.CLAIMED
    assert await store.take("cell_1", 2) == replace(CELL, generation=2)


async def test_a_cell_whose_claimer_died_is_gone(path: Path, store: SqliteStore) -> None:
    await store.put(CELL)
    program = (
        "import asyncio, sys\n"
        "from toolcell.store import SqliteStore\n"
        "async def main():\n"
        "    store = SqliteStore(sys.argv[1], key=b'k' * 32)\n"
        "    await store.open()\n"
        "    await store.take('cell_1', 1)\n"
        "asyncio.run(main())\n"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True, timeout=30)

    assert await store.peek("cell_1") is Absence.UNKNOWN


async def test_an_expired_cell_is_a_tombstone_for_one_ttl_and_then_unknown(store: SqliteStore) -> None:
    now = time.time()
    await store.put(replace(CELL, expires_at=now - 1, ttl_seconds=900.0))
    await store.put(replace(CELL, cell_id="cell_2", expires_at=now - 20, ttl_seconds=10.0))

    await store.peek("cell_1")

    assert (await store.peek("cell_1"), await store.peek("cell_2")) == (Absence.EXPIRED, Absence.UNKNOWN)


async def test_the_expiry_can_be_moved(store: SqliteStore) -> None:
    await store.put(replace(CELL, expires_at=time.time() - 1))
    await store.set_expiry("cell_1", 1, None)

    assert await store.take("cell_1", 1) == CELL


async def test_an_ended_cell_is_unknown(store: SqliteStore) -> None:
    await store.put(CELL)
    await store.end("cell_1")

    assert await store.peek("cell_1") is Absence.UNKNOWN


async def test_bytes_that_are_put_back_after_their_use_are_unknown(path: Path, store: SqliteStore) -> None:
    await store.put(CELL)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        (row,) = database.execute("SELECT * FROM continuation").fetchall()
    await store.take("cell_1", 1)
    await store.end("cell_1")

    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("INSERT INTO continuation VALUES (?, ?, ?)", row)

    assert await store.peek("cell_1") is Absence.UNKNOWN
    assert await store.take("cell_1", 1) is Absence.UNKNOWN


async def test_changed_bytes_are_refused_and_stay_unclaimed(path: Path, store: SqliteStore) -> None:
    await store.put(CELL)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        (sealed,) = database.execute("SELECT sealed FROM continuation").fetchone()
        database.execute("UPDATE continuation SET sealed = ?", (sealed[:-1] + b"X",))

        for attempt in (store.peek("cell_1"), store.take("cell_1", 1)):
            with pytest.raises(EnvelopeError, match="was changed"):
                await attempt
        database.execute("UPDATE continuation SET sealed = ?", (sealed,))

    assert await store.take("cell_1", 1) == CELL


async def test_a_call_has_one_note_of_a_kind(store: SqliteStore) -> None:
    await store.put(CELL)

    written = [await store.add_note("cell_1", Note(1, "decision", text)) for text in (b"a", b"b")]
    written.append(await store.add_note("cell_1", Note(1, "result", b"c")))
    written.append(await store.add_note("cell_1", Note(2, "decision", b"d")))

    assert written == [True, False, True, True]
    assert sorted(await store.notes("cell_1"), key=lambda note: note.payload) == [
        Note(1, "decision", b"a"),
        Note(1, "result", b"c"),
        Note(2, "decision", b"d"),
    ]


async def test_a_cell_that_is_not_there_takes_no_note(store: SqliteStore) -> None:
    await store.put(CELL)
    await store.end("cell_1")

    assert not await store.add_note("cell_1", Note(1, "result", b""))
    assert list(await store.notes("cell_1")) == []


async def test_the_file_is_for_its_owner_alone(path: Path, store: SqliteStore) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_a_locked_database_is_an_error_and_loses_nothing(
    path: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUSY_TIMEOUT_MS", 50)
    await store.put(CELL)
    impatient = SqliteStore(path, key=KEY)
    await impatient.open()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    with pytest.raises(StoreError, match="locked by another process"):
        await impatient.take("cell_1", 1)
    other.execute("ROLLBACK")
    other.close()

    assert await impatient.take("cell_1", 1) == CELL
    await impatient.close()


async def test_a_file_that_is_no_database_is_an_error_and_stays_as_it_is(path: Path) -> None:
    path.write_bytes(b"no database" * 200)

    with pytest.raises(StoreError, match="not a SQLite database"):
        await SqliteStore(path, key=KEY).open()

    assert path.read_bytes() == b"no database" * 200


async def test_a_full_disk_is_an_error_and_the_earlier_cell_stays(tmp_path: Path) -> None:
    program = (
        "import asyncio, resource, signal, sys\n"
        "from toolcell import StoreError\n"
        "from toolcell.store import SqliteStore, StoredCell\n"
        "async def main():\n"
        "    store = SqliteStore(sys.argv[1], key=b'k' * 32)\n"
        "    await store.open()\n"
        "    await store.put(StoredCell('cell_1', 1, b's' * 32, b'record', b'image', 900.0, None))\n"
        "    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "    try:\n"
        "        await store.put(StoredCell('cell_1', 2, b's' * 32, b'', b'x' * 1_000_000, 900.0, None))\n"
        "    except StoreError as error:\n"
        "        print(error)\n"
        "asyncio.run(main())\n"
    )
    path = tmp_path / "cells.db"
    ended = subprocess.run([sys.executable, "-c", program, str(path)], check=True, timeout=30, capture_output=True, text=True)
    store = SqliteStore(path, key=KEY)
    await store.open()

    assert ("the store" in ended.stdout, await store.peek("cell_1")) == (True, CELL)
    await store.close()


async def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="can't be used"):
        await SqliteStore(tmp_path / "none" / "cells.db", key=KEY).open()


async def test_another_schema_version_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA user_version = 99")

    with pytest.raises(StoreError, match="schema version 99"):
        await SqliteStore(path, key=KEY).open()


def test_a_short_key_is_refused(path: Path) -> None:
    with pytest.raises(StoreError, match="at least 16"):
        SqliteStore(path, key="short")


def test_the_key_beside_a_database_is_made_once_and_private(path: Path) -> None:
    key = key_beside(path)

    file = path.with_name("cells.db.key")
    assert (key_beside(path), stat.S_IMODE(file.stat().st_mode), len(key)) == (key, 0o600, 64)


def test_a_key_that_others_may_read_is_refused(path: Path) -> None:
    key_beside(path)
    path.with_name("cells.db.key").chmod(0o644)

    with pytest.raises(StoreError, match="chmod 600"):
        key_beside(path)
