"""What keeps suspended cells."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

NoteKind = Literal["dispatch", "held", "decision", "approved", "result", "released", "abort"]
"""A process took the call; it waits for someone; what was decided; a process took the approved call; how it ended; its
process gave it up; the whole cell shall end."""


@dataclass(frozen=True, slots=True)
class StoredCell:
    """A suspended cell: the guest's image and the host's record of its pending work."""

    cell_id: str
    generation: int
    """1 for the first park of a cell, one more for each later one."""
    scope: bytes
    """Digest of the scope, 32 bytes."""
    record: bytes
    """The host's record, opaque to the store; empty in a store that isn't durable."""
    image: bytes
    """The executor's bytes, opaque to the host."""
    ttl_seconds: float
    """How long its tombstone lasts."""
    expires_at: float | None
    """Wall-clock time (seconds since the epoch) of its expiry, ``None`` while it can't expire."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something that happened to one pending call while its cell was stored. One note of a kind for each call."""

    call: int
    """Its number; negative in what is said of the whole cell."""
    kind: NoteKind
    payload: bytes


class Absence(enum.Enum):
    """Why there is no cell to resume."""

    UNKNOWN = "unknown"
    EXPIRED = "expired"
    CLAIMED = "claimed"
    """A live process is resuming it."""


@runtime_checkable
class ContinuationStore(Protocol):
    """Keeps suspended cells; methods may be called from one event loop at a time.

    Every method raises `StoreError` if the store can't be used; then nothing has changed.
    """

    durable: bool
    """Whether cells outlive the process, so that records and notes are worth writing."""

    async def open(self) -> None:
        """Get ready; idempotent."""
        ...

    async def close(self) -> None:
        """Let go of files and threads; idempotent. Stored cells stay if the store is durable."""
        ...

    async def put(self, cell: StoredCell) -> None:
        """Store a cell that this process holds, in the place of its earlier generation."""
        ...

    async def peek(self, cell_id: str) -> StoredCell | Absence:
        """Look at a cell without claiming it.

        Raises:
            EnvelopeError: its bytes are not what was stored.
        """
        ...

    async def generation(self, cell_id: str) -> int | Absence:
        """Generation of a cell that can be claimed, without reading its bytes."""
        ...

    async def parked(self) -> Sequence[str]:
        """Ids of all cells that can be claimed, of every scope."""
        ...

    async def take(self, cell_id: str, generation: int) -> StoredCell | Absence:
        """Claim a cell for resuming: of all callers, in all processes, one gets it, once.

        Raises:
            EnvelopeError: its bytes are not what was stored; it stays unclaimed.
        """
        ...

    async def end(self, cell_id: str) -> None:
        """Forget a cell for good."""
        ...

    async def expire(self, cell_id: str, generation: int) -> bool:
        """Leave a tombstone in the place of a cell; false, and nothing happens, if it is not of this generation."""
        ...

    async def set_expiry(self, cell_id: str, generation: int, expires_at: float | None) -> None:
        """Change when a stored cell expires, if it is of this generation."""
        ...

    async def add_note(self, cell_id: str, note: Note) -> bool:
        """Write a note; false if the call has one of this kind already. Atomic across processes."""
        ...

    async def notes(self, cell_id: str) -> Sequence[Note]:
        """All notes of a cell."""
        ...


@runtime_checkable
class TypeStore(Protocol):
    """Keeps what was learned of the results of tools; a continuation store that can do it has these methods too.

    ``owner`` is a digest of whose they are, 32 bytes; nobody else's are read or changed. The types are bytes to the store.
    Both methods raise `StoreError` if the store can't be used; then nothing has changed.
    """

    async def read_types(self, owner: bytes) -> bytes | None:
        """What was last written; ``None`` if nothing was.

        Raises:
            EnvelopeError: it is not what was written.
        """
        ...

    async def update_types(self, owner: bytes, update: Callable[[bytes | None], bytes]) -> None:
        """Write what ``update`` makes of what is stored, atomically across processes; it may be called in any thread.

        Stored bytes that are not what was written count as ``None``.
        """
        ...
