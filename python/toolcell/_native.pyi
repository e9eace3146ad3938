"""Typed surface of the compiled host: worker processes, frames, deadlines. No tools, no policy."""

from collections.abc import Sequence
from typing import Any, Final, Literal, final

from toolcell.settlement import Settled

__version__: Final[str]
SOURCE_FINGERPRINT: Final[str]
BUNDLED_WORKER_SHA256: Final[str | None]
"""SHA-256 of the worker built together with this module, lower-case hex; ``None`` in a build without one."""

class NativeError(Exception):
    """Base of the errors below. ``toolcell`` turns them into its own exceptions; users never see one."""

class WorkerStartError(NativeError):
    """No worker can be started: missing, not executable, of another build, unsupported, refused by itself."""

class WorkerGoneError(NativeError):
    """The worker of this handle has ended; its last event was `Gone`."""

@final
class Limits:
    """Limits of one cell; see ``toolcell.CodeModeConfig`` for units and ranges."""

    def __new__(
        cls,
        *,
        heap_bytes: int,
        output_bytes: int,
        truncate_output: bool,
        snapshot_bytes: int,
        bridge_bytes: int,
        outstanding_calls: int,
        value_depth: int,
        big_integers: Literal["bigint", "number", "string"],
    ) -> Limits: ...

@final
class Catalog:
    """An encoded catalog, made once for a run's tools and sent to each worker that serves it."""

    def __new__(
        cls,
        tools: Sequence[tuple[str, str | None, str | None, bytes]],
        *,
        namespaces: Sequence[tuple[bool, str, str, bool, Sequence[tuple[str | None, str, str | None, str]]]],
        files: Sequence[tuple[str, str, str]],
    ) -> Catalog:
        """Encode rows as in ``toolcell.guest_catalog.GuestCatalog``."""
    @property
    def hash(self) -> int: ...

# Events, in the order a worker sent them.

@final
class Output:
    """One output item. ``kind`` is ``"text"`` (``data`` is ``str``) or ``"json"`` (``data`` is JSON ``bytes``)."""

    kind: Literal["text", "json"]
    data: str | bytes

@final
class ForeignWords:
    """The guest sees words that an MCP server wrote; told at most once for a cell in a worker."""

@final
class Call:
    """A call of a leg that became quiescent. Delivered inside `Waiting`."""

    number: int
    method: Literal[
        "call", "call_value", "mcp", "mcp_raw", "search", "search_handles", "describe", "describe_handle", "api", "yield", "timer"
    ]
    target: str | None
    """Tool id or name for calls and describe, the query for search, the server's name for api, the reason for yield."""
    input: bytes | None
    """JSON, for calls and api (an array of arguments) only; ``None`` if the guest gave no input."""
    limit: int | None
    """For search only."""
    delay_ms: int | None
    """For timers only."""

@final
class Waiting:
    """The guest is quiescent."""

    calls: list[Call]
    """New calls of this leg, in call order."""
    cancelled: list[int]
    """Numbers of timers of earlier legs that were cleared; those set and cleared within the leg are in neither list."""
    outstanding: int
    """All calls not settled yet, those of earlier legs included."""

@final
class Completed:
    """The cell returned; the worker is idle."""

    value: bytes
    """JSON."""
    warnings: list[str]

@final
class Failed:
    """The cell failed; the worker is idle. After a timeout or a full heap, `Gone` follows at once, in the same list."""

    reason: str
    """A reason of the contract: ``syntax_error``, ``typescript_transform_failed``, ``module_access_denied``,
    ``shell_command``, ``too_many_pending_tool_calls``, ``timeout``, ``output_limit_exceeded``,
    ``snapshot_limit_exceeded``, ``memory_limit_exceeded``, ``stack_overflow``, ``guest_error``,
    ``unhandled_rejection``, ``never_settles``, ``nested_tool_failed``."""
    message: str
    stack: list[tuple[str, int, int | None]]
    """Guest frames ``(function, line, column)``, innermost first."""
    location: tuple[int, int | None] | None
    """``(line, column)``, both from 1."""
    code_frame: str | None
    hints: list[str]
    missing: list[str]
    preview: str | None

@final
class Parked:
    """The suspended cell; the worker is idle."""

    image: bytes

@final
class Refused:
    """A continuation was not accepted; the worker is idle."""

    reason: str

@final
class Gone:
    """The worker has ended. Last event of its handle."""

    reason: Literal["killed", "crashed", "deadline", "closed"]
    """``killed`` by `Pool.kill`, ``crashed`` by itself, ``deadline`` by the hard deadline."""
    detail: str
    """Exit status for the host's log, such as ``signal 11``."""

Event = Output | ForeignWords | Waiting | Completed | Failed | Parked | Refused | Gone

@final
class Pool:
    """Warm worker processes. Thread-safe; all I/O is non-blocking; a forked child gets workers and a descriptor of its own.

    An operation that doesn't fit the worker's state (a start while a cell runs) raises `NativeError`.
    """

    def __new__(
        cls,
        worker: str,
        *,
        expected_sha256: str | None,
        warm: int,
        grace_ms: int,
    ) -> Pool:
        """Start the supervisor thread and the first ``warm`` workers.

        Raises:
            WorkerStartError: with a reason and what to do.
        """
    def fileno(self) -> int:
        """Descriptor that is readable while a leased worker has something to drain (an epoll instance)."""
    def lease(self) -> int:
        """Take a warm worker, or start one. Returns its handle, never reused. Blocks at most 5 s.

        Raises:
            WorkerStartError: none can be started.
        """
    def release(self, worker: int) -> None:
        """End a leased worker for good, without a last event. Never given to another scope; a warm one takes its place."""
    def kill(self, worker: int) -> None:
        """SIGKILL a leased worker now; its last event is `Gone("killed")`."""
    def send_catalog(self, worker: int, catalog: Catalog) -> None: ...
    def start(
        self,
        worker: int,
        *,
        cell: str,
        scope: bytes,
        code: str,
        typescript: bool,
        typescript_enabled: bool,
        shell_tool: str | None,
        limits: Limits,
        timeout_ms: float,
        seed: int,
    ) -> list[Event]:
        """Start a cell. The worker is killed ``grace_ms`` after the deadline unless it became quiescent.

        Sends, then spins for a short while for the answer. Returns the events that came meanwhile (often the
        whole answer, often none): the rest is for `drain`.

        Raises:
            WorkerGoneError: the worker had ended before; its `Gone` is delivered by `drain`.
        """
    def resume(
        self,
        worker: int,
        *,
        settled: Sequence[Settled],
        timeout_ms: float,
    ) -> list[Event]:
        """Settle calls in the given order and run the leg; otherwise like `start`."""
    def restore(self, worker: int, *, cell: str, scope: bytes, image: bytes, limits: Limits) -> None:
        """Load a continuation; `resume` then runs it. A refusal comes as the `Refused` event after that."""
    def park(self, worker: int, *, timeout_ms: float) -> list[Event]:
        """Serialize a waiting cell; the answer is `Parked`, `Failed` or `Gone`."""
    def drain(self) -> list[tuple[int, list[Event]]]:
        """Everything that leased workers sent since, without blocking."""
    def stats(self) -> dict[str, int]:
        """Counters: ``warm``, ``leased``, ``spawned``, ``killed_deadline``, ``crashed``."""
    def pid(self, worker: int) -> int:
        """Process id of a leased worker, for diagnostics and tests."""
    def close(self) -> None:
        """End all workers, wait for them and the supervisor thread; idempotent. `drain` still gives each worker's `Gone`."""

def encode_json(value: Any, *, max_depth: int, max_bytes: int) -> bytes:
    """Encode a Python value by the rules of docs/values.md, without the GIL where possible.

    Raises:
        ValueError: too deep, too large, or a value without a JSON form; the message names the path.
    """

def decode_json(data: bytes) -> Any:
    """Decode JSON from a worker into Python objects; integers stay exact, any depth up to 1,000.

    Raises:
        ValueError: malformed.
    """
