"""What the cells of one run see of its MCP servers: objects of functions, declaration files, and what ``$api`` answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from toolcell.catalog.entry import CatalogEntry
from toolcell.catalog.suggest import nearest
from toolcell.errors import UnknownToolError, UnlistedServerError
from toolcell.guest_catalog import FileRow, FunctionRow, NamespaceRow
from toolcell.mcp.declarations import INDEX_PATH, DeclaredServer, DeclaredTool, index_declaration, server_declaration
from toolcell.mcp.members import is_reserved, members
from toolcell.mcp.observed import ObservedTypes
from toolcell.values import Json, object_or_empty

MAX_SUGGESTIONS = 3


@dataclass(frozen=True, slots=True)
class _Server:
    name: str
    member: str
    listed: bool
    tools: Mapping[str, CatalogEntry] = field(default_factory=dict[str, CatalogEntry])
    """By member, in catalog order."""
    methods: Sequence[CatalogEntry] = ()
    """Requests of the protocol, such as ``resources/read``."""


class McpView:
    """The servers of one run, with the tools that its policy lets be seen.

    Args:
        servers: Names of all configured servers, in their order.
        entries: MCP tools and requests of the protocol, in catalog order.
        unlisted: Servers whose tools are not known.
        observed: What results of tools without an output schema looked like so far.
        before: The view that this one takes the place of; declarations that have not changed are taken over.
    """

    def __init__(
        self,
        servers: Sequence[str],
        entries: Iterable[CatalogEntry] = (),
        *,
        unlisted: Collection[str] = (),
        observed: ObservedTypes | None = None,
        before: McpView | None = None,
    ) -> None:
        found = [entry for entry in entries if entry.tool.kind == "mcp"]
        self._servers = tuple(
            _server(name, member, [entry for entry in found if entry.tool.owner == name], name not in unlisted)
            for name, member in zip(servers, members(servers), strict=True)
        )
        self._by_name = {server.name: server for server in self._servers}
        self._observed = observed
        self._declared: dict[str, tuple[CatalogEntry, DeclaredTool]] = {} if before is None else before._declared.copy()

    @property
    def members(self) -> list[str]:
        """Properties of ``MCP``, in the servers' order."""
        return [server.member for server in self._servers]

    @cached_property
    def namespaces(self) -> list[NamespaceRow]:
        """The servers as the worker takes them."""
        return [(True, server.member, server.name, server.listed, _functions(server)) for server in self._servers]

    @cached_property
    def files(self) -> list[FileRow]:
        """The declaration files, the index first; none without servers."""
        declared = [self._declare(server) for server in self._servers if server.listed]
        if not self._servers:
            return []
        rows = [(INDEX_PATH, "Types that all MCP servers share, and their files", index_declaration(declared))]
        for server in sorted(declared, key=lambda server: server.path):
            rows.append((server.path, f"Tools of MCP.{server.member}: {len(server.tools)}", server_declaration(server)))
        return rows

    def describe(self, entry: CatalogEntry) -> dict[str, Any]:
        """Return what a handle's ``describe()`` gives: the entry, its declaration, its schemas.

        Raises:
            UnknownToolError: it is a request of the protocol, of which there are no handles.
        """
        server = self._by_name[entry.tool.owner]
        member = next((member for member, tool in server.tools.items() if tool is entry), None)
        if member is None:
            raise UnknownToolError(f"{entry.id} is no tool", target=entry.id)
        described = entry.compact() | {"declaration": self._tool(member, entry).text, "parameters": entry.tool.input_schema}
        if entry.tool.output_schema is not None:
            described["outputSchema"] = entry.tool.output_schema
        return described

    def api(self, server_name: str | None, arguments: Sequence[Json]) -> dict[str, Any]:
        """Answer ``MCP.$api()``, or ``MCP.<server>.$api(name?, {schema?})``.

        Raises:
            UnknownToolError: no such server, or no such tool of it, by either of its names.
            UnlistedServerError: nothing is known of the server's tools.
        """
        if server_name is None:
            rows = [{"server": server.member, "serverName": server.name, "tools": len(server.tools)} for server in self._servers]
            return {"header": self.files[0][2] if self.files else "", "servers": rows}
        server = self._by_name.get(server_name)
        if server is None:
            raise UnknownToolError(f"there is no MCP server {server_name[:100]}", target=server_name)
        if not server.listed:
            raise UnlistedServerError(f"MCP server {server_name} can't be reached", target=server_name)
        name, options = (*arguments, None, None)[:2]
        tools = dict(server.tools) if name is None else self._one(server, name)
        whole = server_declaration(self._declare(server)) if name is None else ""
        answer: dict[str, Any] = {
            "header": whole or "\n".join(self._tool(member, entry).text for member, entry in tools.items()),
            "tools": [
                {"method": member, "mcpTool": entry.name, "description": entry.description} for member, entry in tools.items()
            ],
        }
        if object_or_empty(options).get("schema") is True:
            answer["schemas"] = {entry.name: _schemas(entry) for entry in tools.values()}
        return answer

    def suggest(self, path: str) -> list[str]:
        """Return up to three properties that ``MCP.<server>`` or ``MCP.<server>.<tool>`` may have meant."""
        root, *rest = path.split(".", 2)
        if root != "MCP" or not rest:
            return []
        server = next((server for server in self._servers if server.member == rest[0]), None)
        if server is None or len(rest) == 1:
            return [f"MCP.{member}" for member in nearest(rest[0], self.members, MAX_SUGGESTIONS)]
        return [f"MCP.{server.member}.{member}" for member in nearest(rest[1], list(server.tools), MAX_SUGGESTIONS)]

    def _one(self, server: _Server, name: Json) -> dict[str, CatalogEntry]:
        for member, entry in server.tools.items():
            if name in (entry.name, member):
                return {member: entry}
        shown = name[:100] if isinstance(name, str) else "a value that isn't a string"
        near = nearest(shown, list(server.tools), MAX_SUGGESTIONS)
        advice = f"; did you mean {', '.join(near)}?" if near else ""
        raise UnknownToolError(f"MCP.{server.member} has no tool {shown}{advice}", target=shown, suggestions=near)

    def _declare(self, server: _Server) -> DeclaredServer:
        methods = [entry.name for entry in server.methods]
        tools = [self._tool(member, entry) for member, entry in server.tools.items()]
        return DeclaredServer(server.name, server.member, tools, methods)

    def _tool(self, member: str, entry: CatalogEntry) -> DeclaredTool:
        observed = None if self._observed is None else self._observed.shape(entry.tool.owner, entry.name)
        known = self._declared.get(entry.id)
        if known is not None and known[0].tool is entry.tool and (known[1].member, known[1].observed) == (member, observed):
            return known[1]
        tool = entry.tool
        declared = DeclaredTool(tool.name, member, entry.description, tool.input_schema, tool.output_schema, observed)
        self._declared[entry.id] = (entry, declared)
        return declared


def _server(name: str, member: str, entries: Sequence[CatalogEntry], listed: bool) -> _Server:
    tools = [entry for entry in entries if entry.tool.discoverable]
    named = dict(zip(members([entry.name for entry in tools]), tools, strict=True))
    return _Server(name, member, listed, named, [entry for entry in entries if not entry.tool.discoverable])


def _functions(server: _Server) -> list[FunctionRow]:
    rows: list[FunctionRow] = []
    for member, entry in server.tools.items():
        alias = entry.name if entry.name != member and not is_reserved(entry.name) else None
        rows.append((None, member, alias, entry.id))
    for entry in server.methods:
        group, _, name = entry.name.partition("/")
        rows.append((group, name, None, entry.id))
    return rows


def _schemas(entry: CatalogEntry) -> dict[str, Any]:
    tool = entry.tool
    return {"inputSchema": tool.input_schema} | ({} if tool.output_schema is None else {"outputSchema": tool.output_schema})
