"""A run's hidden list of tools."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from toolcell.catalog.entry import CatalogEntry
from toolcell.catalog.names import bare_names, safe_names
from toolcell.catalog.search import Ranker, WordRanker
from toolcell.catalog.suggest import nearest
from toolcell.catalog.tool import Tool
from toolcell.errors import ToolDefinitionError, UnknownToolError, UnlistedServerError
from toolcell.guest_catalog import CatalogRow

NEVER_CATALOGUED = frozenset({"tool_search_code", "tool_search", "tool_describe", "tool_call"})
"""Controls of other ways to hide tools; code mode replaces them."""

MAX_SUGGESTIONS = 3

MAX_QUERY_CHARS = 1_000
"""What is read of a query, which a cell may make as long as it likes."""

_ORDER = ("core", "bundled_plugin", "plugin", "mcp", "client")
_SHELL_NAMES = (
    "exec",
    "bash",
    "shell",
    "sh",
    "run_shell",
    "run_shell_command",
    "run_command",
    "execute_command",
    "terminal",
    "powershell",
)
_COMPARED = 100
"""Names that a wrong one is compared with letter by letter: a cell may ask for many wrong ones."""


class Catalog:
    """The tools that a run's cells may call, in a fixed order, with an id and names for each.

    Args:
        tools: The run's effective tools, after policy; direct-only ones and other search controls are left out.
        host_label: Source part of the ids of core and plugin tools.
        ranker: Ranks search hits; `WordRanker` by default. It must be empty and not be shared.
        unlisted: MCP servers whose tools are not known.

    Raises:
        ToolDefinitionError: two tools have one id.
    """

    def __init__(
        self,
        tools: Iterable[Tool],
        *,
        host_label: str = "host",
        ranker: Ranker | None = None,
        unlisted: Iterable[str] = (),
    ) -> None:
        catalogued = [tool for tool in tools if not tool.direct_only and tool.name not in NEVER_CATALOGUED]
        ranked = sorted((_ORDER.index(tool.kind), tool.name, tool.id(host_label), index) for index, tool in enumerate(catalogued))
        ordered = [(id, catalogued[index]) for _, _, id, index in ranked]
        _refuse_doubles(ordered)
        named = [(id, tool) for id, tool in ordered if tool.kind != "mcp"]
        safe = dict(zip((id for id, _ in named), safe_names([tool.name for _, tool in named]), strict=True))
        bare = dict(zip((id for id, _ in named), bare_names([(id, tool.name) for id, tool in named]), strict=True))
        self.tools = tuple(CatalogEntry(tool, id, safe.get(id), bare.get(id)) for id, tool in ordered)
        self.native = tuple(entry for entry in self.tools if entry.bare_name is not None)
        """The entries that cells call by id, name and bare function: all but those of MCP servers."""
        self._by_id = {entry.id: entry for entry in self.tools}
        self._by_key = _lookup_keys(self.native)
        self._host_label = host_label
        self._unlisted = tuple(unlisted)
        self._ranker = ranker or WordRanker()

    def __len__(self) -> int:
        return len(self.discoverable)

    @cached_property
    def discoverable(self) -> tuple[CatalogEntry, ...]:
        """All tools; requests of the MCP protocol, which have ids for policy alone, are none."""
        return tuple(entry for entry in self.tools if entry.tool.discoverable)

    @cached_property
    def sources(self) -> dict[str, int]:
        """How many tools come from the host, from MCP servers and from the client."""
        kinds = Counter(entry.tool.kind if entry.remote else "host" for entry in self.discoverable)
        return {source: kinds[source] for source in ("host", "mcp", "client")}

    @cached_property
    def shell_tool(self) -> str | None:
        """Global function of the catalogued shell tool, if there is one."""
        found = (self._by_key.get(name) for name in _SHELL_NAMES)
        return next((entry.bare_name for entry in found if entry is not None), None)

    def native_rows(self) -> list[CatalogRow]:
        """Return the tools that cells call by name, in catalog order."""
        return [entry.native_row() for entry in self.native]

    def entry(self, id: str) -> CatalogEntry | None:
        """Return the entry with exactly this id, MCP tools included; for the host's own use."""
        return self._by_id.get(id)

    def resolve(self, target: str) -> CatalogEntry:
        """Find what a cell means: an exact id, else a name that is exact and unique.

        Raises:
            UnknownToolError: with up to three suggestions.
        """
        entry = self._by_key.get(target)
        if entry is None:
            suggestions = self.suggest(target)
            advice = f"; did you mean {', '.join(suggestions)}?" if suggestions else "; find tools with tools.search(query)"
            raise UnknownToolError(f"unknown tool {target[:100]!r}{advice}", target=target, suggestions=suggestions)
        return entry

    def resolve_mcp(self, id: str) -> CatalogEntry:
        """Find the MCP tool, or request of the protocol, with exactly this id.

        Raises:
            UnknownToolError: the server has no such tool, or none that this run may see.
            UnlistedServerError: nothing is known of the server's tools.
        """
        entry = self._by_id.get(id)
        if entry is not None and entry.tool.kind == "mcp":
            return entry
        server = next((name for name in self._unlisted if id.startswith(f"mcp:{name}:")), None)
        if server is not None:
            raise UnlistedServerError(f"MCP server {server} can't be reached", target=id)
        raise UnknownToolError(f"unknown MCP tool {id[:100]!r}; its server does not offer it any more", target=id)

    def search(self, query: str, limit: int, *, with_mcp: bool = False) -> list[dict[str, Any]]:
        """Return up to ``limit`` compact entries, best first; of MCP tools only ``with_mcp``.

        An exact name or id comes first; an empty query lists the catalog in its order.
        """
        return [entry.compact() for entry in self.find(query, limit, with_mcp=with_mcp)]

    def find(self, query: str, limit: int, *, with_mcp: bool = False) -> list[CatalogEntry]:
        """Like `search`, but returns the entries themselves."""
        query = query[:MAX_QUERY_CHARS].strip()
        if not query:
            return list((self.discoverable if with_mcp else self.native)[:limit])
        exact = [entry for entry in self._by_folded_name.get(query.casefold(), ()) if with_mcp or entry.tool.kind != "mcp"]
        exact.sort(key=lambda entry: (query not in (entry.name, entry.id), entry.id))
        return list(dict.fromkeys([*exact, *self._ranked(query, limit, with_mcp)]))[:limit]

    def describe(self, entry: CatalogEntry) -> dict[str, Any]:
        """Return the compact entry with its schemas."""
        return entry.describe()

    def suggest(self, name: str) -> list[str]:
        """Return up to three lookup keys that ``name`` may have meant: like spellings, then search hits."""
        if not name.strip() or len(name) > MAX_QUERY_CHARS:
            return []
        found = [_key(entry, self._by_key) for entry in self.find(name, _COMPARED)]
        alike = self._keys_by_initial.get(name[:1].casefold(), ())
        near = heapq.nsmallest(_COMPARED, alike, key=lambda key: abs(len(key) - len(name)))
        spelled = nearest(name, [*found, *near], MAX_SUGGESTIONS)
        return list(dict.fromkeys([*spelled, *found]))[:MAX_SUGGESTIONS]

    def changed_to(self, tools: Iterable[Tool], *, unlisted: Iterable[str] = ()) -> Catalog:
        """Return a catalog of other tools that takes over this one's search index; only what differs is indexed anew.

        This catalog must not be searched any more.
        """
        changed = Catalog(tools, host_label=self._host_label, ranker=self._ranker, unlisted=unlisted)
        if "_indexed_ranker" in self.__dict__:
            before, after = ({entry.id: entry.document() for entry in catalog.discoverable} for catalog in (self, changed))
            self._ranker.remove(before.keys() - after.keys())
            self._ranker.add([document for id, document in after.items() if before.get(id) != document])
            changed.__dict__["_indexed_ranker"] = self._ranker
        return changed

    def _ranked(self, query: str, limit: int, with_mcp: bool) -> list[CatalogEntry]:
        """The best hits; what must not be among them makes the search go deeper."""
        depth = limit
        while True:
            ids = self._indexed_ranker.rank(query, depth)
            hits = [self._by_id[id] for id in ids]
            wanted = [entry for entry in hits if with_mcp or entry.tool.kind != "mcp"]
            if len(wanted) >= limit or len(ids) < depth:
                return wanted[:limit]
            depth *= 4

    @cached_property
    def _indexed_ranker(self) -> Ranker:
        self._ranker.add([entry.document() for entry in self.discoverable])
        return self._ranker

    @cached_property
    def _keys_by_initial(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for entry in self.native:
            found.setdefault(entry.name[:1].casefold(), []).append(_key(entry, self._by_key))
        return found

    @cached_property
    def _by_folded_name(self) -> dict[str, list[CatalogEntry]]:
        found: dict[str, list[CatalogEntry]] = {}
        for entry in self.discoverable:
            for key in {entry.name.casefold(), entry.id.casefold()}:
                found.setdefault(key, []).append(entry)
        return found


def _refuse_doubles(ordered: Sequence[tuple[str, Tool]]) -> None:
    doubles = sorted(id for id, count in Counter(id for id, _ in ordered).items() if count > 1)
    if doubles:
        raise ToolDefinitionError(
            f"two tools have the id {', '.join(doubles)}; rename one, or give it another plugin", tool=doubles[0]
        )


def _lookup_keys(entries: Sequence[CatalogEntry]) -> dict[str, CatalogEntry]:
    """Map ids, unique names and function names to entries; an id beats a name, a name beats a function name."""
    count = Counter(entry.name for entry in entries)
    keys = {entry.id: entry for entry in entries}
    for entry in entries:
        if count[entry.name] == 1:
            keys.setdefault(entry.name, entry)
    for entry in entries:
        for name in (entry.bare_name, entry.safe_name):
            if name is not None and name not in count:
                keys.setdefault(name, entry)
    return keys


def _key(entry: CatalogEntry, keys: dict[str, CatalogEntry]) -> str:
    return entry.name if keys.get(entry.name) is entry else entry.id
