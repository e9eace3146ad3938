"""One agent run: its effective tools, scope and policy, and the two calls a model makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from toolcell import activation, untrusted
from toolcell.catalog.catalog import Catalog
from toolcell.catalog.function_tool import as_tool
from toolcell.catalog.meaning import Embed, MeaningRanker
from toolcell.catalog.namespaces import Namespaces
from toolcell.catalog.search import Ranker
from toolcell.catalog.tool import Tool
from toolcell.config import CodeModeConfig
from toolcell.content import ContentStore
from toolcell.errors import ConfigError, RunClosedError, ToolcellError
from toolcell.executor.protocol import Guest, Session
from toolcell.policy.hooks import Hooks
from toolcell.policy.pipeline import Approve, Pipeline
from toolcell.policy.policy import Policy
from toolcell.results import CellResult
from toolcell.runtime import outside
from toolcell.runtime.cell import State
from toolcell.runtime.effective_tools import EffectiveTools
from toolcell.runtime.learned_types import learned_types
from toolcell.runtime.model_calls import ModelCalls
from toolcell.scope import Scope
from toolcell.store.protocol import ContinuationStore
from toolcell.surface import ModelTool, Surface
from toolcell.telemetry import (
    Event,
    NestedCallProgress,
    RunTelemetry,
    Subscribers,
    Usage,
)
from toolcell.values import Json

if TYPE_CHECKING:
    from toolcell.mcp import McpConnections, McpServer
    from toolcell.mcp.view import McpView
    from toolcell.runtime.code_mode import CodeMode


class _Unset:
    """Tells "not given" from ``None``."""


_UNSET = _Unset()


class Run:
    """Made by `CodeMode.run`; use it as an async context manager.

    Attributes:
        engaged: Whether the model gets code mode.
        engagement_reason: The rule that decided.
        scope: Whose run it is.
        telemetry: Cumulative counters.
        config: The options that hold for this run.
    """

    def __init__(
        self,
        code_mode: CodeMode,
        *,
        tools: Sequence[Any],
        mcp: Sequence[McpServer] | McpConnections,
        namespaces: Namespaces,
        client_tools: Sequence[Tool],
        policy: Policy | None,
        hooks: Sequence[object],
        approve: Approve | None,
        scope: Scope | None,
        model: str | None,
        config: CodeModeConfig,
        context: Mapping[str, Any] | None,
        ranker: Ranker | None,
        embed: Embed | None,
        force: bool,
    ) -> None:
        self.code_mode = code_mode
        self.config = config
        self.scope = scope or Scope.unique()
        self.telemetry = RunTelemetry()
        self.subscribers = Subscribers(code_mode.listeners)
        self.engaged = False
        self.engagement_reason: activation.EngagementReason = "disabled"
        self.contents = ContentStore()
        """Images, sound and files that tools returned."""
        self.envelope = untrusted.choose(config.untrusted_envelope)
        self._policy = policy or Policy()
        self._tools = EffectiveTools(
            [*map(as_tool, tools), *client_tools],
            mcp,
            namespaces,
            self._policy,
            config.host_label,
            _ranker(ranker, embed),
            learned_types(config, code_mode.store, scope),
        )
        self._hooks = Hooks.of(hooks)
        self._model_calls = ModelCalls(self, self._hooks)
        self._approve = approve
        self._model = model
        self._values = context or {}
        self._force = force
        self._session: Session | None = None
        self._pipeline: Pipeline | None = None
        self._surface: Surface | None = None
        self._closed = False
        debug = code_mode.debug
        if debug is not None and (listener := debug.listener()) is not None:
            self.subscribers.add(listener)

    async def __aenter__(self) -> Run:
        """Decide on activation. MCP servers are connected by the first cell, or here if the run isn't engaged: then the
        model sees their tools.

        Raises:
            RuntimeUnavailableError: engaged, and no worker can be started.
            ConfigError: not engaged, there are MCP servers, and the ``mcp`` package is not installed.
        """
        self.code_mode.check_loop()
        try:
            await self._enter()
        except BaseException:
            await self._tools.close()
            raise
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End the run: its work is cancelled; cells in a durable store stay there."""
        self._closed = True
        for cell in [cell for cell in self.code_mode.cells.values() if cell.run is self]:
            if self.store.durable and cell.state is State.PARKED and cell.unstored is None:
                await cell.detach()
            else:
                await cell.abort("the run was closed")
        await self.code_mode.end_superseded(self)
        if self._session is not None:
            self._session.close()
        self.contents.clear()
        await self._tools.close()

    @property
    def store(self) -> ContinuationStore:
        """Where this run's suspended cells are kept."""
        return self.code_mode.store

    @property
    def build(self) -> str:
        """Build of the executor."""
        return self.code_mode.executor.build

    @property
    def pipeline(self) -> Pipeline:
        """The way of nested calls."""
        return _entered(self._pipeline)

    @property
    def catalog(self) -> Catalog:
        """The run's hidden list of tools; those of MCP servers since they were connected."""
        return self._tools.catalog

    @property
    def mcp(self) -> McpView:
        """What cells see of the run's MCP servers."""
        return self._tools.mcp

    @property
    def model_tools(self) -> tuple[ModelTool, ...]:
        """What the model sees: `exec`, `wait` and direct-only tools; the tools as given if the run isn't engaged."""
        return _entered(self._surface).model_tools if self.engaged else self._direct_list()

    @property
    def strict_model_tools(self) -> tuple[ModelTool, ...]:
        """`model_tools` with every property required and ``null`` for what is absent."""
        return _entered(self._surface).strict_model_tools if self.engaged else self._direct_list()

    def assert_surface(self, payload: object) -> None:
        """Check that a provider payload shows exactly `exec`, `wait` and the direct-only tools.

        Raises:
            SurfaceError: it doesn't. Nothing is checked on a run that isn't engaged.
        """
        if self.code_mode.debug is not None:
            self.code_mode.debug.request(payload)
        if self.engaged:
            _entered(self._surface).assert_payload(payload)

    async def exec(self, arguments: object, *, tool_call_id: str | None = None) -> CellResult:
        """Run a cell. ``arguments`` are what the model gave: ``code``, ``language``, ``restartSafe``, ``title``; a string
        is the code alone.

        ``tool_call_id`` is the provider's id of the model's call; nested calls carry it as their parent.

        Returns:
            Whatever the model did wrong, a result; never an exception.

        Raises:
            RunClosedError: the run is not entered, or closed.
            StoreError: the cell was parked and the store can't be used; ``run_id`` names it, and `wait` on it works
                in this process.
        """
        self._check_open()
        return await self._model_calls.exec({"code": arguments} if isinstance(arguments, str) else arguments, tool_call_id)

    async def wait(self, arguments: object, *, tool_call_id: str | None = None) -> CellResult:
        """Go on with a waiting cell. ``arguments`` is ``{"runId": …}`` or the id itself; ``tool_call_id`` as in `exec`.

        Blocks until something has settled, the deadline passed or the cell was aborted.

        Raises:
            RunClosedError: the run is not entered, or closed.
            StoreError: the store can't be used; the continuation is neither lost nor used.
        """
        self._check_open()
        return await self._model_calls.wait({"runId": arguments} if isinstance(arguments, str) else arguments, tool_call_id)

    async def deliver(self, run_id: str, call_id: str, *, value: Any = _UNSET, error: str | None = None) -> None:
        """Give the result of a client tool's call, or the error text it failed with.

        Raises:
            CallNotPendingError: the cell or call does not wait for a client (any more).
            TypeError: neither or both of ``value`` and ``error``.
        """
        self._check_open()
        if isinstance(value, _Unset) == (error is None):
            raise TypeError("deliver takes either value= or error=")
        await outside.deliver(self, run_id, call_id, value=value, error=error)

    async def decide(self, run_id: str, call_id: str | Sequence[str], decision: str, *, input: Json = None) -> None:
        """Decide on a call that waits for approval: ``approve``, ``deny``, or ``edit`` with another ``input``.

        Several calls of a cell may be approved or denied at once; all are checked before the first is decided.

        Raises:
            CallNotPendingError: the cell or call does not wait for a decision (any more).
            InvalidDecisionError: another word, or an input that the tool refuses. The call stays as it was.
        """
        self._check_open()
        call_ids = [call_id] if isinstance(call_id, str) else list(call_id)
        await outside.decide(self, run_id, call_ids, decision, input)

    async def abort(self, run_id: str | None = None) -> None:
        """End one cell, or all of this run's, those among them that only the store has; what has ended is left alone.

        Raises:
            StoreError: the store can't be used; cells of this process have ended nevertheless.
        """
        await outside.abort(self, run_id)

    async def call_model_tool(self, name: str, arguments: object, *, tool_call_id: str | None = None) -> CellResult:
        """Run `exec` or `wait` by name, for adapters.

        Raises:
            ToolcellError: another name; direct-only tools are the adapter's to run.
        """
        self._check_open()
        if name == "exec":
            return await self._model_calls.exec(arguments, tool_call_id)
        if name == "wait":
            return await self._model_calls.wait(arguments, tool_call_id)
        raise ToolcellError(f"{name!r} is not a tool of code mode; exec and wait are")

    async def search(self, query: str, limit: int | None = None) -> list[dict[str, Any]]:
        """Search the catalog as ``tools.search`` does; entries as in ``ALL_TOOLS``, without MCP tools."""
        wanted = self.config.search_default_limit if limit is None else limit
        return self.catalog.search(query, max(1, min(wanted, self.config.max_search_limit)))

    async def connect(self) -> None:
        """Connect the MCP servers now, which the first cell does otherwise; servers that fail are left for later.

        Raises:
            ConfigError: the ``mcp`` package is not installed.
        """
        self._check_open()
        if await self._tools.connect():
            self.pipeline.catalog = self.catalog
            self._describe()
            if self._session is not None:
                self._session.replace(self._tools.guest_catalog())

    def suggest(self, name: str) -> list[str]:
        """Return up to three names that a cell may have meant by ``name``, which is not there."""
        return self.mcp.suggest(name) if name.startswith("MCP.") else self.catalog.suggest(name)

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call ``listener`` with every event of this run; returns a function that ends it."""
        return self.subscribers.add(listener)

    def record_turn(self, usage: Usage | None = None) -> None:
        """Count a turn of the model, and what it cost if ``usage`` is given and the model's row has prices."""
        prices = None if self._model is None else self.code_mode.model_catalog.prices(self._model)
        self.telemetry.record_turn(usage, prices)

    async def lease(self) -> Guest:
        """Provide a worker for one cell.

        Raises:
            RuntimeUnavailableError: none can be started.
        """
        return await _entered(self._session).lease()

    def _check_open(self) -> None:
        if self._closed or self._pipeline is None:
            raise RunClosedError("the run is not open; use it inside `async with code_mode.run(...) as run:`")
        self.code_mode.check_loop()

    async def _enter(self) -> None:
        tools, config = self._tools, self.config
        decision = activation.decide(config, self._model, self.code_mode.model_catalog, has_tools=tools.any, force=self._force)
        self.engaged, self.engagement_reason = decision.engaged, decision.reason
        if not self.engaged:
            await tools.connect()
        self._surface = Surface(tools.catalog, config, tools.direct, mcp_members=tools.mcp.members)
        self._pipeline = Pipeline(
            tools.catalog,
            self._policy,
            self._hooks,
            self.code_mode.threads,
            scope=self.scope,
            values=self._values,
            max_bridge_bytes=config.max_bridge_bytes,
            approve=self._approve,
            progress=self._progress,
            contents=self.contents,
            observe=tools.observe,
        )
        self._describe()
        if self.code_mode.debug is not None:
            self.code_mode.debug.surface(self.model_tools)
        if self.engaged:
            await self.code_mode.executor.open()
            reuse = config.worker_reuse == "scope"
            self._session = self.code_mode.executor.session(tools.guest_catalog(), reuse_workers=reuse)

    def _describe(self) -> None:
        telemetry, catalog = self.telemetry, self.catalog
        telemetry.code_mode_engaged = self.engaged
        telemetry.catalog_size = len(catalog)
        telemetry.sources = catalog.sources
        telemetry.visible_tools = tuple(tool.name for tool in self.model_tools)

    def _direct_list(self) -> tuple[ModelTool, ...]:
        return tuple(ModelTool.of(tool) for tool in self._tools.visible if tool.discoverable)

    def _progress(self, call_id: str, value: Any) -> None:
        if self.subscribers:
            self.code_mode.call_soon(self.subscribers.tell, NestedCallProgress(call_id, value))


def _ranker(ranker: Ranker | None, embed: Embed | None) -> Ranker | None:
    if ranker is not None and embed is not None:
        raise ConfigError("embed: give ranker or embed, not both", field="embed", value=embed, allowed="nothing beside ranker")
    return ranker if embed is None else MeaningRanker(embed)


def _entered(value: Any) -> Any:
    if value is None:
        raise RunClosedError("the run is not open; use it inside `async with code_mode.run(...) as run:`")
    return value
