"""What cells may look at without a call, as workers take it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

CatalogRow = tuple[str, str | None, str | None, bytes]
"""``(id, safe name, bare name, compact entry as JSON)``."""
FunctionRow = tuple[str | None, str, str | None, str]
"""``(group, name, alias, id of the tool)`` of a namespace's function; the alias is the server's own spelling."""
NamespaceRow = tuple[bool, str, str, bool, Sequence[FunctionRow]]
"""``(is an MCP server, member, name, whether its functions are known, functions)``."""
FileRow = tuple[str, str, str]
"""``(path, description, text)`` of a file that ``API.read`` shows."""


@dataclass(frozen=True, slots=True)
class GuestCatalog:
    """The catalog of one run as its cells see it."""

    tools: Sequence[CatalogRow] = ()
    """In catalog order."""
    namespaces: Sequence[NamespaceRow] = ()
    files: Sequence[FileRow] = ()
