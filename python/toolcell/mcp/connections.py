"""The MCP servers of a host or a run."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal

from toolcell.errors import ConfigError
from toolcell.mcp import sdk
from toolcell.mcp.connection import McpConnection
from toolcell.mcp.method import McpMethod
from toolcell.mcp.sdk.protocol import Answer, ListKind
from toolcell.mcp.server import McpServer
from toolcell.mcp.state import ServerState
from toolcell.mcp.tool import McpTool

MAX_UNANSWERED = 16
"""Questions of one kind that a server may have open; more are declined."""

_log = logging.getLogger("toolcell.mcp")


@dataclass(frozen=True, slots=True)
class ServerRequest:
    """A question of a server to a person (``elicitation``), or to a model (``sampling``). Its words are a stranger's."""

    server: str
    kind: Literal["elicitation", "sampling"]
    params: Mapping[str, Any]
    """As the protocol has them: ``message`` and ``requestedSchema`` or ``url``; ``messages``, ``maxTokens`` and more."""


ServerAnswer = Mapping[str, Any] | None
AnswerRequest = Callable[[ServerRequest], "ServerAnswer | Awaitable[ServerAnswer]"]


class McpConnections:
    """Connections to servers, for one run or shared by many. Nothing is started before `ready` or the first call.

    Args:
        servers: Which servers, in the order in which their tools are listed.
        on_elicitation: Answers a server that wants to know something of a person: gives the protocol's result, such as
            ``{"action": "accept", "content": {…}}``, or ``None`` to decline; sync or async. Without it servers are told
            that nobody can be asked.
        on_sampling: Answers a server that wants text of a model: gives ``{"role": …, "content": {…}, "model": …}``, or
            ``None`` to decline. Without it servers are told that there is no model.
        on_list_changed: Told the server's name and ``tools``, ``resources`` or ``prompts`` when that list has changed.
            Tools are listed anew by themselves; the other lists are asked for at each call.

    Raises:
        ConfigError: two servers have one name, or the ``mcp`` package is not installed.
    """

    def __init__(
        self,
        servers: Iterable[McpServer],
        *,
        on_elicitation: AnswerRequest | None = None,
        on_sampling: AnswerRequest | None = None,
        on_list_changed: Callable[[str, ListKind], None] | None = None,
    ) -> None:
        self.servers = tuple(servers)
        """All configured servers."""
        self.version = 0
        """Grows whenever the known tools have changed."""
        _refuse_doubles(self.servers)
        if self.servers:
            sdk.require()
        self._on_list_changed = on_list_changed
        self.connections = tuple(
            McpConnection(
                server,
                self._changed,
                self._list_changed(server.name),
                _answer(server.name, "elicitation", on_elicitation),
                _answer(server.name, "sampling", on_sampling),
            )
            for server in self.servers
        )

    @classmethod
    async def open(cls, servers: Iterable[McpServer]) -> McpConnections:
        """Make connections and wait until each server is connected or has failed.

        Raises:
            ConfigError: two servers have one name, or the ``mcp`` package is not installed.
        """
        connections = cls(servers)
        try:
            await connections.ready()
        except BaseException:
            await connections.close()
            raise
        return connections

    async def __aenter__(self) -> McpConnections:
        """Nothing is connected yet."""
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close all connections."""
        await self.close()

    @property
    def tools(self) -> list[McpTool | McpMethod]:
        """The tools that are known: of a server that died, those that it last listed."""
        return [tool for connection in self.connections for tool in connection.tools]

    @property
    def unlisted(self) -> list[str]:
        """Servers of which nothing is known yet: never connected, or not since they failed."""
        return [state.name for state in self.states() if state.status != "connected" and not state.tools]

    @property
    def failures(self) -> dict[str, str]:
        """Why a server is not connected, by its name, for the host."""
        found = ((connection.server.name, connection.failure) for connection in self.connections)
        return {name: failure for name, failure in found if failure is not None}

    def states(self) -> list[ServerState]:
        """What is known of each server's connection."""
        return [connection.state() for connection in self.connections]

    async def ready(self) -> None:
        """Connect all servers that were not tried yet, at once, and wait for them; each has its own time to connect.

        Servers that failed are tried again in the background when their back-off is over. A list of tools that is just
        being made anew is waited for shortly.
        """
        pending = [connection.ready() for connection in self.connections if not connection.is_ready]
        if pending:  # every cell comes by here
            await asyncio.gather(*pending)

    async def close(self) -> None:
        """Close all connections and end all servers; idempotent."""
        await asyncio.gather(*(connection.close() for connection in self.connections))

    def _changed(self) -> None:
        self.version += 1

    def _list_changed(self, server: str) -> Callable[[ListKind], None]:
        def list_changed(kind: ListKind) -> None:
            if self._on_list_changed is not None:
                try:
                    self._on_list_changed(server, kind)
                except Exception:
                    _log.exception("on_list_changed failed for MCP server %s", server)

        return list_changed


def _answer(server: str, kind: Literal["elicitation", "sampling"], callback: AnswerRequest | None) -> Answer | None:
    if callback is None:
        return None

    unanswered = 0

    async def answer(params: Mapping[str, Any]) -> ServerAnswer:
        nonlocal unanswered
        if unanswered == MAX_UNANSWERED:
            return None
        unanswered += 1
        try:
            given = callback(ServerRequest(server, kind, params))
            return await given if inspect.isawaitable(given) else given
        except Exception:  # its text stays on the host
            _log.exception("the host's answer to %s of MCP server %s failed; it was declined", kind, server)
            return None
        finally:
            unanswered -= 1

    return answer


def _refuse_doubles(servers: Iterable[McpServer]) -> None:
    names = [server.name for server in servers]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"mcp: two servers are called {name}", field="mcp", value=name, allowed="one server a name")
