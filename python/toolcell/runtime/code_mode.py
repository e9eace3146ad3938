"""The one object a process makes: worker pool, continuation store, model catalog."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from toolcell.catalog.meaning import Embed
from toolcell.catalog.namespaces import Namespaces
from toolcell.catalog.search import Ranker
from toolcell.catalog.tool import Tool
from toolcell.errors import RunClosedError
from toolcell.executor.protocol import Executor
from toolcell.executor.quickjs import QuickJsExecutor
from toolcell.host_config import HostConfig
from toolcell.model_catalog import ModelCatalog
from toolcell.policy.pipeline import Approve
from toolcell.policy.policy import Policy
from toolcell.runtime.cell import Cell
from toolcell.runtime.run import Run
from toolcell.scope import Scope
from toolcell.store.memory import MemoryStore
from toolcell.store.protocol import ContinuationStore
from toolcell.telemetry.debug import Debug
from toolcell.telemetry.subscribers import Listener
from toolcell.threads import DaemonThreads

if TYPE_CHECKING:
    from toolcell.mcp import McpConnections, McpServer

log = logging.getLogger("toolcell")


class CodeMode:
    """Code mode for one process and event loop; use it as an async context manager.

    Args:
        config: A `HostConfig`, a `CodeModeConfig`, a dict of either, or ``True``, ``False``, ``"auto"``.
        store: Where suspended cells are kept; this process's memory by default.
        model_catalog: Tiers of models; the shipped table by default.
        worker: Path of the worker executable; by default ``TOOLCELL_WORKER``, else the one beside the package.
        warm_workers: Workers kept ready for runs to come.
        executor: What runs cells, for tests and other executors.

    Raises:
        ConfigError: an invalid configuration.
    """

    def __init__(
        self,
        config: object = None,
        *,
        store: ContinuationStore | None = None,
        model_catalog: ModelCatalog | None = None,
        worker: str | os.PathLike[str] | None = None,
        warm_workers: int = 2,
        executor: Executor | None = None,
    ) -> None:
        self.config = HostConfig.of(config)
        self.store: ContinuationStore = MemoryStore() if store is None else store
        self.model_catalog = ModelCatalog.default() if model_catalog is None else model_catalog
        self.executor: Executor = QuickJsExecutor(worker=worker, warm=warm_workers) if executor is None else executor
        self.threads = DaemonThreads("toolcell-tool")
        self.debug = Debug.from_environment()
        self.listeners: list[Listener] = []
        """Told of the events of every run made from now on."""
        self.cells: dict[str, Cell] = {}
        """Cells of this process, by id."""
        self._suspended: set[Cell] = set()
        self._superseded: set[Cell] = set()
        self._background: set[asyncio.Task[Any]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __aenter__(self) -> CodeMode:
        """Open the store.

        Raises:
            StoreError: it can't be used.
        """
        self._loop = asyncio.get_running_loop()
        await self.store.open()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End all cells and workers. A function that runs in a thread holds up nothing."""
        for cell in list(self.cells.values()):
            await cell.abort("code mode was closed")
        await self.flush()
        await self.executor.close()
        await self.store.close()
        self._loop = None

    def run(
        self,
        *,
        tools: Sequence[Any] = (),
        mcp: Sequence[McpServer] | McpConnections = (),
        namespaces: Namespaces | None = None,
        client_tools: Sequence[Tool] = (),
        policy: Policy | None = None,
        hooks: Sequence[object] = (),
        approve: Approve | None = None,
        scope: Scope | None = None,
        model: str | None = None,
        config: object = None,
        context: Mapping[str, Any] | None = None,
        ranker: Ranker | None = None,
        embed: Embed | None = None,
        force: bool = False,
    ) -> Run:
        """Make a run; enter it with ``async with``.

        Args:
            tools: Functions, decorated with `toolcell.tool` or plain, or tools.
            mcp: MCP servers whose tools the run gets, connected for it alone when its first cell starts; or connections that
                it shares with other runs.
            namespaces: Functions that cells find under ``namespaces.<name>``, and the id or name of the tool that each calls.
            client_tools: Tools that the client executes.
            policy: What may be seen and called; everything by default.
            hooks: Objects with ``before_tool_call`` and/or ``after_tool_call``.
            approve: Asked for approvals while the cell runs; without it they wait for `Run.decide`.
            scope: Whose run it is; by default a scope that no other run has, so that nobody else resumes its cells.
            model: ``provider/model`` that receives the request.
            config: This run's own options.
            context: The host's own data for tools; never seen by a cell.
            ranker: Ranks search hits; an empty one for this run alone. Words by default.
            embed: The host's embedding model, ``embed(texts) -> vectors``: search fuses the order by words with the order
                by meaning. Not beside ``ranker``.
            force: Engage whatever the configuration says, for callers that exist only to run cells.

        Raises:
            ConfigError: invalid options, ``maxSuspended`` among them, or both ``ranker`` and ``embed``; ``observedTypes`` is
                ``store`` and the store keeps no types, or ``scope`` has no agent.
            ToolDefinitionError: a tool or hook can't be used.
        """
        if self._loop is None:
            raise RunClosedError("code mode is not open; use it inside `async with toolcell.CodeMode() as cm:`")
        agent_id = None if scope is None else scope.agent_id
        return Run(
            self,
            tools=tools,
            mcp=mcp,
            namespaces=namespaces or {},
            client_tools=client_tools,
            policy=policy,
            hooks=hooks,
            approve=approve,
            scope=scope,
            model=model,
            config=self.config.resolve(agent_id, model, config),
            context=context,
            ranker=ranker,
            embed=embed,
            force=force,
        )

    def subscribe(self, listener: Listener) -> None:
        """Call ``listener`` with every event of the runs that are made from now on."""
        self.listeners.append(listener)

    def check_loop(self) -> None:
        """Check that the caller is in the event loop that this object was opened in, which a forked child is not.

        Raises:
            RunClosedError: it is in another one.
        """
        if asyncio.get_running_loop() is not self._loop:
            raise RunClosedError(
                "code mode belongs to the process and event loop that opened it; open another CodeMode here, "
                "with the same durable store if it shall go on with the same cells"
            )

    async def flush(self) -> None:
        """Wait until everything is written that results and expiries left to the background."""
        while self._background:
            await asyncio.wait(tuple(self._background))

    def reserve(self, cell: Cell) -> bool:
        """Count a cell for ``maxSuspended``; false if there are too many."""
        if len(self._suspended) >= self.config.code_mode.max_suspended:
            return False
        self._suspended.add(cell)
        cell.reserved = True
        return True

    def forget(self, cell: Cell) -> None:
        """A cell has ended here."""
        if cell.reserved:
            self._suspended.discard(cell)
            cell.reserved = False
        if self.cells.get(cell.cell_id) is cell:
            del self.cells[cell.cell_id]

    def supersede(self, cell: Cell) -> None:
        """Another process took a cell further: of this view of it only calls in flight go on, and are written down."""
        self.forget(cell)
        self._superseded = {older for older in self._superseded if older.calls.host_work}
        self._superseded.add(cell)

    async def end_superseded(self, run: Run) -> None:
        """Give up the calls in flight of a run's superseded cells."""
        for cell in [cell for cell in self._superseded if cell.run is run]:
            self._superseded.discard(cell)
            await cell.detach()

    def background(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run something whose result nobody waits for; a failure is logged."""
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._finished)

    def call_soon(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function in the loop, from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *arguments)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a background step failed: %s", error)
