"""The default store: this process's memory."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

from toolcell.store.protocol import Absence, Note, StoredCell


class MemoryStore:
    """Keeps suspended cells until their run closes, and learned types until it is closed itself. Nothing survives the process."""

    durable = False

    def __init__(self) -> None:
        self._cells: dict[str, StoredCell] = {}
        self._tombstones: OrderedDict[str, float] = OrderedDict()
        self._types: dict[bytes, bytes] = {}

    async def open(self) -> None:
        pass

    async def close(self) -> None:
        self._cells.clear()
        self._tombstones.clear()
        self._types.clear()

    async def put(self, cell: StoredCell) -> None:
        self._cells[cell.cell_id] = cell

    async def peek(self, cell_id: str) -> StoredCell | Absence:
        return self._cells.get(cell_id) or self._absence(cell_id)

    async def generation(self, cell_id: str) -> int | Absence:
        cell = self._cells.get(cell_id)
        return self._absence(cell_id) if cell is None else cell.generation

    async def parked(self) -> Sequence[str]:
        return list(self._cells)

    async def take(self, cell_id: str, generation: int) -> StoredCell | Absence:
        cell = self._cells.get(cell_id)
        if cell is None or cell.generation != generation:
            return self._absence(cell_id)
        del self._cells[cell_id]
        return cell

    async def end(self, cell_id: str) -> None:
        self._cells.pop(cell_id, None)

    async def expire(self, cell_id: str, generation: int) -> bool:
        cell = self._cells.get(cell_id)
        if cell is None or cell.generation != generation:
            return False
        del self._cells[cell_id]
        self._tombstones[cell_id] = time.time() + cell.ttl_seconds
        return True

    async def set_expiry(self, cell_id: str, generation: int, expires_at: float | None) -> None:
        pass

    async def add_note(self, cell_id: str, note: Note) -> bool:
        return True

    async def notes(self, cell_id: str) -> Sequence[Note]:
        return ()

    async def read_types(self, owner: bytes) -> bytes | None:
        return self._types.get(owner)

    async def update_types(self, owner: bytes, update: Callable[[bytes | None], bytes]) -> None:
        self._types[owner] = update(self._types.get(owner))

    def _absence(self, cell_id: str) -> Absence:
        now = time.time()
        while self._tombstones and next(iter(self._tombstones.values())) <= now:
            self._tombstones.popitem(last=False)
        return Absence.EXPIRED if self._tombstones.get(cell_id, 0) > now else Absence.UNKNOWN
