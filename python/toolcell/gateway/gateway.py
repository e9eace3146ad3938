"""The gateway: which run a request belongs to, and what is done for it.

The `mcp` package does the protocol's work. Of its two eras, one has sessions (revisions up to 2025-11-25) and one has
none (2026-07-28); over standard input and output there is one session either way.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    Tool,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolcell._native import __version__
from toolcell.errors import ToolDefinitionError, TooManySessionsError
from toolcell.gateway.answer import answer, declare
from toolcell.gateway.identity import Identity
from toolcell.gateway.request import Outcome, Request
from toolcell.gateway.sessions import MAX_REQUESTS, Sessions
from toolcell.mcp import McpConnections
from toolcell.policy.pipeline import Approve
from toolcell.policy.policy import Policy
from toolcell.results import CellResult
from toolcell.runtime.code_mode import CodeMode
from toolcell.runtime.run import Run
from toolcell.scope import Scope

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from toolcell.mcp import McpServer

NAME = "toolcell"
INSTRUCTIONS = (
    "toolcell runs small JavaScript or TypeScript programs that call many tools and return only what matters. "
    "Call exec with a program; its description says how to find and call tools. "
    'Continue a result with status "waiting" by calling wait with its runId.'
)
MAX_SESSIONS = 1_000
IDLE_SECONDS = 3_600.0

log = logging.getLogger("toolcell.gateway")


class Gateway:
    """One MCP server over the tools of many; use it as an async context manager.

    Each client's session has a run of its own, so that no session can touch another one's cells.

    Args:
        code_mode: The open `CodeMode` that runs cells. Its ``maxSuspended`` is shared by all sessions.
        tools: Python functions and tools.
        mcp: MCP servers whose tools cells may call, or connections that the host has already.
        own_servers: Whether each session connects to the servers for itself; by default all share one connection to each.
        policy: What may be seen and called; everything by default.
        hooks: Hooks of every run.
        approve: Asked for approvals. Without it the person behind the client is asked, where the client can do that.
        elicit: False: never ask the person behind the client, so that approvals wait for `decide`.
        config: Options of every run.
        context: The host's own data for tools.
        session: Name of the one session over standard input and output; by default one that nobody else has.
        scope_of: The scope of a session, by its name.
        max_sessions: Sessions that may be open at once.
        idle_seconds: How long a session may go without a request before it is ended.
    """

    def __init__(
        self,
        code_mode: CodeMode,
        *,
        tools: Sequence[Any] = (),
        mcp: Sequence[McpServer] | McpConnections = (),
        own_servers: bool = False,
        policy: Policy | None = None,
        hooks: Sequence[object] = (),
        approve: Approve | None = None,
        elicit: bool = True,
        config: object = None,
        context: Mapping[str, Any] | None = None,
        session: str | None = None,
        scope_of: Callable[[str], Scope] | None = None,
        max_sessions: int = MAX_SESSIONS,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self.code_mode = code_mode
        self.max_sessions = max_sessions
        self.idle_seconds = idle_seconds
        self.elicit = elicit and approve is None
        self.sessions = Sessions(self._make_run, limit=max_sessions, idle_seconds=idle_seconds)
        self.server: Server[Any] = Server(
            NAME, version=__version__, instructions=INSTRUCTIONS, on_list_tools=self._list_tools, on_call_tool=self._call_tool
        )
        security = RequestStateSecurity.ephemeral(ttl=idle_seconds)
        self.server.middleware.append(RequestStateBoundary(security, default_audience=NAME))
        self._scope_of = scope_of or _scope_of
        self._session = session or f"only-{secrets.token_hex(16)}"
        self._mcp = mcp
        self._shared: McpConnections | None = None
        if not own_servers and not isinstance(mcp, McpConnections):
            self._mcp = self._shared = McpConnections(mcp)
        self._options: dict[str, Any] = {
            "tools": tools,
            "policy": policy,
            "hooks": hooks,
            "approve": approve,
            "config": config,
            "context": context,
        }
        self._tools: list[Tool] = []

    async def __aenter__(self) -> Gateway:
        """Make sure that a run can be entered, and learn what its model sees.

        Raises:
            RuntimeUnavailableError: no worker can be started.
            ToolDefinitionError: two tools have one id, or one is direct-only.
        """
        async with self._make_run(self._session) as run:
            for tool in run.model_tools[2:]:
                raise ToolDefinitionError(f"{tool.name}: a gateway offers no direct-only tools", tool=tool.name)
            self._tools = declare(run.model_tools)
        self.sessions.open()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End all sessions, and the connections to servers."""
        await self.sessions.close()
        if self._shared is not None:
            await self._shared.close()

    async def decide(self, session: str, run_id: str, call_id: str, decision: str) -> None:
        """Approve or deny a call of a session's cell; see `Run.decide`. The log names all three.

        Raises:
            CallNotPendingError: no such call waits for a decision.
            TooManySessionsError: the session is not open, and would be one too many.
        """
        async with self.sessions.use(session) as found:
            await found.run.decide(run_id, call_id, decision)

    async def end_session(self, session: str) -> None:
        """End a session as its client does: its cells are dropped, those in a durable store too."""
        await self.sessions.end(session, drop=True)

    async def _list_tools(self, context: ServerRequestContext[Any], params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=self._tools)

    async def _call_tool(
        self, context: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        if params.name not in ("exec", "wait"):
            raise MCPError(INVALID_PARAMS, f"{params.name[:100]!r} is not a tool of this server; exec and wait are")
        arguments = dict(params.arguments or {})
        if "run_id" in arguments:
            arguments.setdefault("runId", arguments.pop("run_id"))
        given = params.request_state or (arguments.get("runId") if params.name == "wait" else None)
        identity = self._identify(context, given if isinstance(given, str) else None)
        try:
            async with self.sessions.use(identity.session) as session:
                if session.requests > MAX_REQUESTS:
                    message = f"{MAX_REQUESTS} requests of this session are under way, the most there may be; try again later"
                    raise MCPError(INTERNAL_ERROR, message, {"code": "too_many_requests"})
                request = Request(session, context, elicit=self.elicit)
                if params.request_state is not None:
                    outcome = await request.go_on(identity.inward(params.request_state), params.input_responses or {})
                else:
                    if isinstance(given, str):
                        arguments["runId"] = identity.inward(given)
                    outcome = await request.serve(params.name, arguments)
        except TooManySessionsError as error:
            raise MCPError(INTERNAL_ERROR, error.message, {"code": error.code}) from None
        except MCPError:
            raise
        except Exception:
            log.exception("%s of session %s failed", params.name, identity.session)
            raise MCPError(INTERNAL_ERROR, "the request failed on the host, whose log says why") from None
        finally:
            if identity.key is not None:  # the session of one cell, which may have ended
                self.code_mode.background(self.sessions.end_unused(identity.session))
        return self._answer(identity, outcome)

    def _identify(self, context: ServerRequestContext[Any], run_id: str | None) -> Identity:
        request = context.request
        if request is None:
            return Identity(self._session)
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return Identity.of_cell(run_id)
        return Identity(http_session(request.headers["mcp-session-id"]))

    def _answer(self, identity: Identity, outcome: Outcome) -> CallToolResult | InputRequiredResult:
        result = outcome.result
        if result.run_id is not None:
            if not outcome.questions:
                _log_approvals(identity, result)
            result = result.model_copy(update={"run_id": identity.outward(result.run_id)})
        if outcome.questions:
            return InputRequiredResult(input_requests=dict(outcome.questions), request_state=result.run_id)
        return answer(result)

    def _make_run(self, name: str) -> Run:
        return self.code_mode.run(mcp=self._mcp, scope=self._scope_of(name), force=True, **self._options)


def http_session(session_id: str) -> str:
    """The name of a session that the protocol knows by this id."""
    return f"http-{session_id}"


def _scope_of(session: str) -> Scope:
    return Scope("gateway", session, session, session)


def _log_approvals(identity: Identity, result: CellResult) -> None:
    """Say to the host what it takes to decide on a call."""
    if result.reason == "approval":
        for call in result.pending_tool_calls or ():
            log.warning("session %s: %s waits for a decision on %s", identity.session, call.id, call.tool)
