"""What runs cells: one leg at a time, without knowing of tools, policy or models.

An `Executor` gives a run a `Session`; the session leases one `Guest` per cell that is live in a worker. A guest runs a
leg, says how the leg ended, and is settled, parked or released.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from toolcell.guest_catalog import GuestCatalog
from toolcell.settlement import Settled

BigIntegers = Literal["bigint", "number", "string"]
Method = Literal[
    "call", "call_value", "mcp", "mcp_raw", "search", "search_handles", "describe", "describe_handle", "api", "yield", "timer"
]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one cell as its worker measures them. Units and ranges as in ``CodeModeConfig``."""

    heap_bytes: int
    output_bytes: int
    truncate_output: bool
    snapshot_bytes: int
    bridge_bytes: int
    outstanding_calls: int
    value_depth: int
    big_integers: BigIntegers


@dataclass(frozen=True, slots=True)
class CellSource:
    """A new cell. ``scope`` is a digest of 32 bytes; ``seed`` feeds the guest's ``Math.random``."""

    cell_id: str
    scope: bytes
    code: str
    typescript: bool
    typescript_enabled: bool
    shell_tool: str | None
    seed: int


class GuestCall(Protocol):
    """A call that a guest made. Numbers count from 1 in each cell, in the order of call sites reached."""

    @property
    def number(self) -> int: ...
    @property
    def method(self) -> Method: ...
    @property
    def target(self) -> str | None: ...
    @property
    def input(self) -> bytes | None: ...
    @property
    def limit(self) -> int | None: ...
    @property
    def delay_ms(self) -> int | None: ...


class GuestOutput(Protocol):
    """One item that a guest emitted: text as ``str``, or JSON as ``bytes``."""

    @property
    def kind(self) -> Literal["text", "json"]: ...
    @property
    def data(self) -> str | bytes: ...


class Waiting(NamedTuple):
    """The guest is quiescent: new calls of this leg, timers it cleared, and all calls not settled yet."""

    calls: Sequence[GuestCall]
    cancelled: Sequence[int]
    outstanding: int


class Completed(NamedTuple):
    """The cell returned ``value`` (JSON)."""

    value: bytes
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """The cell failed. ``reason`` is one of the native module's ``Failed.reason``."""

    reason: str
    message: str
    stack: Sequence[tuple[str, int, int | None]] = ()
    location: tuple[int, int | None] | None = None
    code_frame: str | None = None
    hints: Sequence[str] = ()
    missing: Sequence[str] = ()
    preview: str | None = None


class Parked(NamedTuple):
    """The cell as bytes; its worker is free."""

    image: bytes


@dataclass(frozen=True, slots=True)
class Refused:
    """Bytes given to `Guest.restore` were not accepted."""

    reason: str


@dataclass(frozen=True, slots=True)
class Gone:
    """The worker ended: by a kill of ours, by itself, at the hard deadline, or because the executor closed."""

    reason: Literal["killed", "crashed", "deadline", "closed"]
    detail: str = ""


LegEnd = Waiting | Completed | Failed | Parked | Refused | Gone


class Leg(NamedTuple):
    """One stretch of guest execution: what was emitted and not streamed, and how it ended."""

    output: Sequence[GuestOutput]
    end: LegEnd
    foreign_words: bool = False
    """Whether the guest has seen, without a call, words that an MCP server wrote."""


class Guest(Protocol):
    """One cell live in a worker. After any end but `Waiting` it must not be used again."""

    def stream(self, take: Callable[[Sequence[GuestOutput]], None]) -> None:
        """Give output to ``take`` as it arrives, from the next leg on: a guest may emit more than fits in memory."""
        ...

    async def start(self, source: CellSource, limits: Limits, *, timeout_ms: float) -> Leg:
        """Run the first leg."""
        ...

    async def resume(
        self, source: CellSource, image: bytes, limits: Limits, settled: Sequence[Settled], *, timeout_ms: float
    ) -> Leg:
        """Load a parked cell, settle calls in the given order and run a leg. ``source.code`` is not used."""
        ...

    async def settle(self, settled: Sequence[Settled], *, timeout_ms: float) -> Leg:
        """Settle calls of a waiting cell in the given order and run a leg."""
        ...

    async def park(self, *, timeout_ms: float) -> Leg:
        """Serialize a waiting cell."""
        ...

    def kill(self) -> None:
        """End the worker now; a leg that is running ends with ``Gone("killed")``."""
        ...

    def release(self) -> None:
        """Give up a cell that is not running a leg."""
        ...


class Session(Protocol):
    """An executor as one run sees it: one scope, one catalog."""

    async def lease(self) -> Guest:
        """Provide for one cell.

        Raises:
            RuntimeUnavailableError: no worker can be started.
        """
        ...

    def replace(self, catalog: GuestCatalog) -> None:
        """Give another catalog to cells that start or resume from now on."""
        ...

    def close(self) -> None:
        """End the session's idle workers. Live guests are the caller's to end."""
        ...


class Executor(Protocol):
    """Starts and ends with a `CodeMode`."""

    serializable: bool
    """Whether a waiting cell can be parked to bytes."""
    build: str
    """Identifies the build; a parked cell is resumed by the same build only."""

    async def open(self) -> None:
        """Get ready; calling it again does nothing.

        Raises:
            RuntimeUnavailableError: with the reason and what to do.
        """
        ...

    def session(self, catalog: GuestCatalog, *, reuse_workers: bool) -> Session:
        """Make a session. Its workers serve no other one."""
        ...

    async def close(self) -> None:
        """End every worker; idempotent."""
        ...
