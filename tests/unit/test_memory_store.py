"""The store in memory."""

from __future__ import annotations

import time
from dataclasses import replace

from toolcell.store import Absence, MemoryStore, StoredCell

CELL = StoredCell("cell_1", 1, b"s" * 32, b"", b"image", 900.0, None)


async def test_a_cell_is_taken_once() -> None:
    store = MemoryStore()
    await store.put(CELL)

    assert await store.take("cell_1", 1) == CELL
    assert await store.take("cell_1", 1) is Absence.UNKNOWN


async def test_a_look_does_not_take() -> None:
    store = MemoryStore()
    await store.put(CELL)

    assert (await store.peek("cell_1"), await store.peek("cell_1")) == (CELL, CELL)


async def test_another_generation_is_not_taken() -> None:
    store = MemoryStore()
    await store.put(replace(CELL, generation=2))

    assert await store.take("cell_1", 1) is Absence.UNKNOWN


async def test_an_expired_cell_leaves_a_tombstone_for_one_ttl() -> None:
    store = MemoryStore()
    await store.put(replace(CELL, ttl_seconds=1000.0))
    await store.put(replace(CELL, cell_id="cell_2", ttl_seconds=-1.0))
    await store.expire("cell_1", 1)
    await store.expire("cell_2", 1)

    assert (await store.peek("cell_1"), await store.peek("cell_2")) == (Absence.EXPIRED, Absence.UNKNOWN)


async def test_an_ended_cell_leaves_nothing() -> None:
    store = MemoryStore()
    await store.put(replace(CELL, expires_at=time.time()))
    await store.end("cell_1")

    assert await store.peek("cell_1") is Absence.UNKNOWN
