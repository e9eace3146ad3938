"""The tools of a run: the host's own, the client's, and what its MCP servers list, as far as policy lets them be seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from toolcell.catalog.catalog import Catalog
from toolcell.catalog.entry import CatalogEntry
from toolcell.catalog.namespaces import Namespaces, namespace_rows
from toolcell.catalog.search import Ranker
from toolcell.catalog.tool import Tool
from toolcell.executor.protocol import GuestCatalog
from toolcell.mcp.view import McpView
from toolcell.policy.policy import Policy, VisibleTool
from toolcell.runtime.learned_types import LearnedTypes

if TYPE_CHECKING:
    from toolcell.mcp import McpConnections, McpServer


class EffectiveTools:
    """What a run may see, as a catalog for the host and for the guest. Nothing is asked of servers before `connect`.

    Args:
        tools: Tools of the host and the client.
        mcp: Servers, connected for this run alone, or connections that it shares with others.
        namespaces: Of each namespace of the host, its functions and the tools that they call.
        policy: Says what may be seen.
        host_label: Source part of the ids of core and plugin tools.
        ranker: Ranks search hits.
        learned: Learns what tools of MCP servers return; ``None`` if nothing is to be learned.

    Raises:
        ConfigError: two servers have one name, or a namespace names a tool that isn't there.
        ToolDefinitionError: two tools have one id.
    """

    def __init__(
        self,
        tools: Iterable[Tool],
        mcp: Sequence[McpServer] | McpConnections,
        namespaces: Namespaces,
        policy: Policy,
        host_label: str,
        ranker: Ranker | None,
        learned: LearnedTypes | None,
    ) -> None:
        self._connections: McpConnections | None
        self._connections, self._owned = _connections(mcp)
        self._policy = policy
        self._label = host_label
        given = list(tools)
        self._own = self._visible(given)
        self.catalog = Catalog(self._own, host_label=host_label, ranker=ranker, unlisted=self.servers)
        """What calls and searches go by."""
        self.mcp = McpView(self.servers, unlisted=self.servers)
        """What cells see of the MCP servers."""
        every = Catalog(given, host_label=host_label) if namespaces else self.catalog
        self._host_namespaces = namespace_rows(namespaces, self.catalog, every)
        self._version: int = 0
        self._learned = learned

    @property
    def servers(self) -> list[str]:
        """Names of all configured servers."""
        return [] if self._connections is None else [server.name for server in self._connections.servers]

    @property
    def any(self) -> bool:
        """Whether there are tools, as far as can be said without asking the servers."""
        return bool(self._own or self.servers)

    @property
    def visible(self) -> list[Tool]:
        """The tools that are known now, direct-only ones included."""
        return [*self._own, *self._remote()]

    @property
    def direct(self) -> list[Tool]:
        """The direct-only tools."""
        return [tool for tool in self._own if tool.direct_only]

    async def connect(self) -> bool:
        """Ask the servers that were not asked yet; returns whether other tools or types are known than before.

        Raises:
            ConfigError: the ``mcp`` package is not installed.
        """
        if self._connections is None:
            return False
        learned = self._learned
        if learned is not None:
            await learned.load()
        await self._connections.ready()
        if self._connections.version == self._version and not (learned is not None and learned.is_new):
            return False
        unlisted = self._connections.unlisted
        if self._connections.version != self._version:
            self._version = self._connections.version
            self.catalog = self.catalog.changed_to(self.visible, unlisted=unlisted)
        observed = None
        if learned is not None:
            observed, learned.is_new = learned.observed, False
        self.mcp = McpView(self.servers, self.catalog.tools, unlisted=unlisted, observed=observed, before=self.mcp)
        return True

    def observe(self, entry: CatalogEntry, result: Any) -> None:
        """Learn from what an MCP tool returned; cells that start later see it in the declarations."""
        if self._learned is not None:
            self._learned.learn(entry.tool, result)

    def guest_catalog(self) -> GuestCatalog:
        """Return what workers are given."""
        return GuestCatalog(self.catalog.native_rows(), [*self.mcp.namespaces, *self._host_namespaces], self.mcp.files)

    async def close(self) -> None:
        """Close the connections that are this run's alone, and write what was learned."""
        if self._connections is not None and self._owned:
            await self._connections.close()
        if self._learned is not None:
            await self._learned.close()

    def _remote(self) -> list[Tool]:
        return [] if self._connections is None else self._visible(self._connections.tools)

    def _visible(self, tools: Iterable[Tool]) -> list[Tool]:
        return [tool for tool in tools if self._policy.visible(VisibleTool(tool.id(self._label), tool.name))]


def _connections(mcp: Sequence[McpServer] | McpConnections) -> tuple[McpConnections | None, bool]:
    from toolcell.mcp import McpConnections

    if isinstance(mcp, McpConnections):
        return mcp, False
    return (McpConnections(mcp), True) if mcp else (None, False)
