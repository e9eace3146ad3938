"""Live connections to MCP servers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from toolcell.catalog.context import CallContext
from toolcell.errors import ConfigError
from toolcell.mcp.server import McpServer
from toolcell.mcp.tool import McpTool

if TYPE_CHECKING:
    from mcp import Client

_log = logging.getLogger("toolcell.mcp")

MAX_PAGES = 1_000
"""Pages of a server's list of tools; a list without end must not hold up a run."""


class McpConnection:
    """One connected server. It lives in a task of its own, so any task may open, use and close it."""

    def __init__(self, server: McpServer) -> None:
        self.server = server
        self.tools: tuple[McpTool, ...] = ()
        self._client: Client | None = None
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Start the server, shake hands and list its tools.

        Raises:
            ConfigError: the ``mcp`` package is not installed.
            Exception: whatever kept the server from answering.
        """
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._live(ready), name=f"toolcell mcp {self.server.name}")
        try:
            await ready
        except asyncio.CancelledError:
            await self.close()
            raise

    async def close(self) -> None:
        """End the connection and the server; idempotent."""
        self._closing.set()
        if self._task is not None:
            await asyncio.wait([self._task])

    async def call(self, name: str, arguments: dict[str, Any], context: CallContext, /) -> dict[str, Any]:
        """Call a tool and return the MCP result object, keys as the server spelled them.

        Raises:
            ConnectionError: the connection is gone.
            Exception: the server's own error.
        """
        if self._client is None:
            raise ConnectionError(f"MCP server {self.server.name} is not connected")

        async def report(progress: float, total: float | None, message: str | None) -> None:
            context.report_progress({"progress": progress, "total": total, "message": message})

        result = await self._client.call_tool(name, arguments, progress_callback=report)
        sent = result.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude={"result_type"})
        empty: dict[str, Any] = {"content": [], "isError": False}
        return empty | sent

    async def _live(self, ready: asyncio.Future[None]) -> None:
        try:
            client = _client(self.server)
            async with client:
                self.tools = await self._list_tools(client)
                self._client = client
                if not ready.done():
                    ready.set_result(None)
                await self._closing.wait()
        except Exception as error:
            if ready.done():
                _log.warning("MCP server %s: connection lost: %s", self.server.name, _reason(error))
            else:
                ready.set_exception(error)
        finally:
            self._client = None

    async def _list_tools(self, client: Client) -> tuple[McpTool, ...]:
        tools: dict[str, McpTool] = {}
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await client.list_tools(cursor=cursor)
            for listed in page.tools:
                if McpTool.accepts_name(listed.name):
                    tools[listed.name] = McpTool(
                        server=self.server.name,
                        name=listed.name,
                        description=listed.description or "",
                        label=listed.title,
                        input_schema=listed.input_schema,
                        output_schema=listed.output_schema,
                        call=self.call,
                    )
            cursor = page.next_cursor
            if cursor is None:
                break
        return tuple(tools.values())


class McpConnections:
    """The connected servers of a run. A server that fails is left out; the others stay."""

    def __init__(self, connections: Sequence[McpConnection], failures: dict[str, str]) -> None:
        self.connections = connections
        self.failures = failures
        """Why a server is missing, by its name."""

    @classmethod
    async def open(cls, servers: Iterable[McpServer]) -> McpConnections:
        """Connect all servers at once.

        Raises:
            ConfigError: two servers have one name, or the ``mcp`` package is not installed.
        """
        connections = [McpConnection(server) for server in servers]
        _refuse_doubles(connections)
        outcomes = await asyncio.gather(*(connection.open() for connection in connections), return_exceptions=True)
        failures: dict[str, str] = {}
        for connection, outcome in zip(connections, outcomes, strict=True):
            if isinstance(outcome, ConfigError) or (outcome is not None and not isinstance(outcome, Exception)):
                await asyncio.gather(*(opened.close() for opened in connections))
                raise outcome
            if outcome is not None:
                failures[connection.server.name] = _reason(outcome)
                _log.warning("MCP server %s is left out: %s", connection.server.name, _reason(outcome))
        live = [connection for connection in connections if connection.server.name not in failures]
        return cls(live, failures)

    @property
    def tools(self) -> list[McpTool]:
        """All tools of the connected servers."""
        return [tool for connection in self.connections for tool in connection.tools]

    async def close(self) -> None:
        """Close all connections."""
        await asyncio.gather(*(connection.close() for connection in self.connections))


def _refuse_doubles(connections: Sequence[McpConnection]) -> None:
    names = [connection.server.name for connection in connections]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"mcp: two servers are called {name}", field="mcp", value=name, allowed="one server a name")


def _reason(error: BaseException) -> str:
    """Say what happened in one line; a group is as good as its first member."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return f"{type(error).__name__}: {error}"


def _client(server: McpServer) -> Client:
    try:
        from mcp import Client, StdioServerParameters
    except ImportError:
        raise ConfigError(
            "mcp: MCP servers need the mcp package, version 2 or later: pip install 'toolcell[mcp]'",
            field="mcp", value=server.name, allowed="no servers without the package",
        ) from None  # fmt: skip
    program, *arguments = server.command
    return Client(StdioServerParameters(command=program, args=arguments, env=dict(server.env), cwd=server.cwd))
