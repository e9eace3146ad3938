"""A durable store in one SQLite file, for many processes on one machine.

Three tables: ``ledger`` says of each cell what state it is in, ``continuation`` holds its sealed bytes, ``note`` what
happened to its calls since. A continuation without a ledger row that says ``parked`` with the same generation can't be
resumed, so bytes that were copied and put back are of no use.

Limits: a database that is rolled back as a whole, ledger and all, looks like the older one; only an outside counter
could tell. WAL mode needs a local file system.
"""

from __future__ import annotations

import asyncio
import os
import queue
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

from toolcell.errors import EnvelopeError, StoreError
from toolcell.store import envelope
from toolcell.store.owner import is_alive, this_process
from toolcell.store.protocol import Absence, Note, NoteKind, StoredCell

T = TypeVar("T")

SCHEMA_VERSION = 1
BUSY_TIMEOUT_MS = 5_000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS ledger (
    cell_id TEXT PRIMARY KEY, generation INTEGER NOT NULL, state TEXT NOT NULL, owner TEXT, ttl REAL NOT NULL, until REAL
) STRICT;
CREATE INDEX IF NOT EXISTS ledger_until ON ledger (until);
CREATE TABLE IF NOT EXISTS continuation (
    cell_id TEXT PRIMARY KEY, generation INTEGER NOT NULL, sealed BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS note (
    cell_id TEXT NOT NULL, call INTEGER NOT NULL, kind TEXT NOT NULL, sealed BLOB NOT NULL,
    PRIMARY KEY (cell_id, call, kind)
) STRICT;
"""
_TYPES = "CREATE TABLE IF NOT EXISTS types (owner BLOB PRIMARY KEY, sealed BLOB NOT NULL) STRICT"
"""Made when it is first used: most hosts keep no types, and older versions read a database that has it."""

_ANY = "TRUE"
_PARKED = "state = 'parked' AND generation = ?"


class SqliteStore:
    """Keeps suspended cells in ``path`` until their TTL; any process with the same file and key may resume them.

    Args:
        path: The database; made with mode 0600 if absent. Its folder must exist.
        key: At least 16 bytes, the host's secret. Cells written with another key are refused.

    Raises:
        StoreError: on first use, if the file can't be used; the message says what to do.
    """

    durable = True

    def __init__(self, path: str | os.PathLike[str], *, key: bytes | str) -> None:
        self._path = os.fspath(path)
        self._key = key.encode() if isinstance(key, str) else bytes(key)
        if len(self._key) < envelope.MIN_KEY_BYTES:
            raise StoreError(f"the store's key has {len(self._key)} bytes; at least {envelope.MIN_KEY_BYTES} are needed")
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] | None = None
        self._connection: sqlite3.Connection | None = None

    async def open(self) -> None:
        if self._jobs is None:
            self._jobs = queue.SimpleQueue()
            threading.Thread(target=_work, args=(self._jobs,), name="toolcell-store", daemon=True).start()
            try:
                await self._run(self._connect)
            except BaseException:
                self._stop()
                raise

    async def close(self) -> None:
        if self._jobs is not None:
            await self._run(self._disconnect)
            self._stop()

    async def put(self, cell: StoredCell) -> None:
        sealed = envelope.seal_cell(self._key, cell)
        await self._run(lambda: self._put(cell, sealed))

    async def peek(self, cell_id: str) -> StoredCell | Absence:
        return await self._run(lambda: self._look(cell_id))

    async def generation(self, cell_id: str) -> int | Absence:
        return await self._run(lambda: self._state(cell_id)[0])

    async def parked(self) -> Sequence[str]:
        return await self._run(self._parked)

    async def take(self, cell_id: str, generation: int) -> StoredCell | Absence:
        return await self._run(lambda: self._take(cell_id, generation))

    async def end(self, cell_id: str) -> None:
        await self._run(lambda: self._end(cell_id, "ended", _ANY, ()))

    async def expire(self, cell_id: str, generation: int) -> bool:
        return await self._run(lambda: self._end(cell_id, "expired", _PARKED, (generation,)))

    async def set_expiry(self, cell_id: str, generation: int, expires_at: float | None) -> None:
        update = f"UPDATE ledger SET until = ? WHERE cell_id = ? AND {_PARKED}"
        await self._run(lambda: self._execute(update, (expires_at, cell_id, generation)))

    async def add_note(self, cell_id: str, note: Note) -> bool:
        sealed = envelope.seal_note(self._key, cell_id, note)
        insert = (
            "INSERT OR IGNORE INTO note SELECT ?, ?, ?, ? "
            "WHERE EXISTS (SELECT 1 FROM ledger WHERE cell_id = ? AND state IN ('parked', 'claimed'))"
        )
        row = (cell_id, note.call, note.kind, sealed, cell_id)
        return await self._run(lambda: self._execute(insert, row)) == 1

    async def notes(self, cell_id: str) -> Sequence[Note]:
        return await self._run(lambda: self._notes(cell_id))

    async def read_types(self, owner: bytes) -> bytes | None:
        return await self._run(lambda: self._read_types(owner))

    async def update_types(self, owner: bytes, update: Callable[[bytes | None], bytes]) -> None:
        await self._run(lambda: self._update_types(owner, update))

    async def _run(self, job: Callable[[], T]) -> T:
        """Run a blocking job in the store's own thread."""
        if self._jobs is None:
            raise StoreError("the store is not open")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def work() -> None:
            try:
                settle = partial(_resolve, future, job())
            except Exception as error:  # crosses to the awaiting side
                settle = partial(_reject, future, _store_error(error, self._path))
            with suppress(RuntimeError):  # a closed loop has nobody left who waits
                loop.call_soon_threadsafe(settle)

        self._jobs.put(work)
        return await future

    def _stop(self) -> None:
        if self._jobs is not None:
            self._jobs.put(None)
            self._jobs = None

    def _connect(self) -> None:
        if not Path(self._path).exists():
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        try:
            connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version == 0:
                connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
            elif version != SCHEMA_VERSION:
                raise StoreError(f"{self._path} has schema version {version}; this toolcell reads {SCHEMA_VERSION}")
        except BaseException:
            connection.close()
            raise
        self._connection = connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def _database(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreError("the store is not open")
        return self._connection

    def _execute(self, statement: str, values: Sequence[object]) -> int:
        return self._database.execute(statement, values).rowcount

    def _transaction(self, body: Callable[[], T]) -> T:
        """Run ``body`` in one writing transaction; any failure leaves everything as it was."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            outcome = body()
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise
        return outcome

    def _put(self, cell: StoredCell, sealed: bytes) -> None:
        def body() -> None:
            self._execute(
                "INSERT OR REPLACE INTO ledger VALUES (?, ?, 'parked', NULL, ?, ?)",
                (cell.cell_id, cell.generation, cell.ttl_seconds, cell.expires_at),
            )
            self._execute("INSERT OR REPLACE INTO continuation VALUES (?, ?, ?)", (cell.cell_id, cell.generation, sealed))
            if cell.generation == 1:
                self._execute("DELETE FROM note WHERE cell_id = ?", (cell.cell_id,))

        self._transaction(body)

    def _state(self, cell_id: str) -> tuple[int | Absence, float | None]:
        """Generation of a parked cell and when it expires, or why there is none."""
        self._purge()
        row = self._database.execute(
            "SELECT generation, state, owner, until FROM ledger WHERE cell_id = ?", (cell_id,)
        ).fetchone()
        if row is None:
            return Absence.UNKNOWN, None
        generation, state, owner, until = cast("tuple[int, str, str | None, float | None]", row)
        if state == "parked":
            return generation, until
        if state == "claimed" and owner is not None and is_alive(owner):
            return Absence.CLAIMED, None
        return Absence.EXPIRED if state == "expired" else Absence.UNKNOWN, None

    def _parked(self) -> list[str]:
        self._purge()
        rows = self._database.execute("SELECT cell_id FROM ledger WHERE state = 'parked' ORDER BY cell_id").fetchall()
        return [cell_id for (cell_id,) in cast("list[tuple[str]]", rows)]

    def _look(self, cell_id: str) -> StoredCell | Absence:
        generation, until = self._state(cell_id)
        if isinstance(generation, Absence):
            return generation
        row = self._database.execute(
            "SELECT sealed FROM continuation WHERE cell_id = ? AND generation = ?", (cell_id, generation)
        ).fetchone()
        if row is None:  # it went away just now
            return Absence.UNKNOWN
        return envelope.unseal_cell(self._key, cell_id, generation, until, row[0])

    def _take(self, cell_id: str, generation: int) -> StoredCell | Absence:
        def body() -> StoredCell | Absence:
            found = self._look(cell_id)
            if isinstance(found, Absence):
                return found
            if found.generation != generation:
                return Absence.CLAIMED
            self._execute(
                "UPDATE ledger SET state = 'claimed', owner = ?, until = NULL WHERE cell_id = ?",
                (this_process(), cell_id),
            )
            self._execute("DELETE FROM continuation WHERE cell_id = ?", (cell_id,))
            return found

        return self._transaction(body)

    def _end(self, cell_id: str, state: str, condition: str, values: tuple[object, ...]) -> bool:
        def body() -> bool:
            update = f"UPDATE ledger SET state = ?, owner = NULL, until = ? + ttl WHERE cell_id = ? AND {condition}"
            if self._execute(update, (state, time.time(), cell_id, *values)) == 0:
                return False
            self._execute("DELETE FROM continuation WHERE cell_id = ?", (cell_id,))
            self._execute("DELETE FROM note WHERE cell_id = ?", (cell_id,))
            return True

        return self._transaction(body)

    def _purge(self) -> None:
        """Turn expired cells into tombstones and drop old tombstones. Writes only if there is something to do."""
        now = time.time()
        due = self._database.execute("SELECT cell_id, state FROM ledger WHERE until < ? LIMIT 100", (now,)).fetchall()
        for cell_id, state in cast("list[tuple[str, str]]", due):
            if state == "parked":
                self._execute(
                    "UPDATE ledger SET state = 'expired', until = until + ttl WHERE cell_id = ? AND state = 'parked'",
                    (cell_id,),
                )
                self._execute("DELETE FROM continuation WHERE cell_id = ?", (cell_id,))
                self._execute("DELETE FROM note WHERE cell_id = ?", (cell_id,))
            else:
                self._execute("DELETE FROM ledger WHERE cell_id = ? AND until < ?", (cell_id, now))

    def _notes(self, cell_id: str) -> list[Note]:
        rows = self._database.execute("SELECT call, kind, sealed FROM note WHERE cell_id = ?", (cell_id,)).fetchall()
        return [
            envelope.unseal_note(self._key, cell_id, call, kind, sealed)
            for call, kind, sealed in cast("list[tuple[int, NoteKind, bytes]]", rows)
        ]

    def _read_types(self, owner: bytes) -> bytes | None:
        self._execute(_TYPES, ())
        row = self._database.execute("SELECT sealed FROM types WHERE owner = ?", (owner,)).fetchone()
        return None if row is None else envelope.unseal_types(self._key, owner, row[0])

    def _update_types(self, owner: bytes, update: Callable[[bytes | None], bytes]) -> None:
        def body() -> None:
            known = None
            with suppress(EnvelopeError):  # what nobody with this key can read is of no use
                known = self._read_types(owner)
            updated = update(known)
            if updated != known:
                sealed = envelope.seal_types(self._key, owner, updated)
                self._execute("INSERT OR REPLACE INTO types VALUES (?, ?)", (owner, sealed))

        self._transaction(body)


def key_beside(path: str | os.PathLike[str]) -> bytes:
    """Return the key of a database from the file beside it, ``<path>.key``, made at first use with mode 0600.

    Raises:
        StoreError: the file can't be read or made, is too short, or others may read it.
    """
    file = Path(f"{os.fspath(path)}.key")
    if not file.exists():
        _make_key(file)
    try:
        if file.stat().st_mode & 0o077:
            raise StoreError(f"others may read the key file {file}; make it yours alone with: chmod 600 {file}")
        key = file.read_bytes().strip()
    except OSError as error:
        raise StoreError(f"can't read the key file {file}: {error.strerror}") from None
    if len(key) < envelope.MIN_KEY_BYTES:
        raise StoreError(f"the key file {file} holds less than {envelope.MIN_KEY_BYTES} bytes; restore it from a backup")
    return key


def _make_key(file: Path) -> None:
    """Make a key file that appears whole or not at all; another process's is kept if that one was first."""
    draft = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as new:
            new.write(secrets.token_hex(32).encode())
        with suppress(FileExistsError):
            os.link(draft, file)
        draft.unlink()
    except OSError as error:
        raise StoreError(f"can't make the key file {file}: {error.strerror}") from None


_ADVICE = {
    sqlite3.SQLITE_BUSY: "is locked by another process; try again when that one is done",
    sqlite3.SQLITE_LOCKED: "is locked by another process; try again when that one is done",
    sqlite3.SQLITE_READONLY: "can't be written; give this user the right to write the file and its folder",
    sqlite3.SQLITE_FULL: "can't grow; free space on its disk",
    sqlite3.SQLITE_CORRUPT: "is damaged; restore it from a backup or move it away to begin with an empty one",
    sqlite3.SQLITE_NOTADB: "is not a SQLite database; name another file",
    sqlite3.SQLITE_CANTOPEN: "can't be opened; check that its folder exists and may be read and written",
    sqlite3.SQLITE_IOERR: "can't be read or written; check its disk",
}


def _store_error(error: Exception, path: str) -> Exception:
    if isinstance(error, OSError):
        return StoreError(f"the store {path} can't be used: {error.strerror}")
    if not isinstance(error, sqlite3.Error):
        return error
    primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return StoreError(f"the store {path} {_ADVICE.get(primary, 'failed')} ({error})")


def _work(jobs: queue.SimpleQueue[Callable[[], None] | None]) -> None:
    while (job := jobs.get()) is not None:
        job()


def _resolve(future: asyncio.Future[T], outcome: T) -> None:
    if not future.done():
        future.set_result(outcome)


def _reject(future: asyncio.Future[Any], failure: Exception) -> None:
    if not future.done():
        future.set_exception(failure)
