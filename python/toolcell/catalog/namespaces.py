"""Namespaces of the host: ``namespaces.<name>.<function>`` in a cell calls a tool of the catalog."""

from __future__ import annotations

from collections.abc import Mapping

from toolcell.catalog.catalog import Catalog
from toolcell.catalog.names import LANGUAGE_MEMBERS
from toolcell.errors import ConfigError, UnknownToolError
from toolcell.guest_catalog import FunctionRow, NamespaceRow

Namespaces = Mapping[str, Mapping[str, str]]
"""Of each namespace its functions, and the id or name of the tool that each one calls."""


def namespace_rows(namespaces: Namespaces, visible: Catalog, every: Catalog) -> list[NamespaceRow]:
    """Return the namespaces as the worker takes them. A function whose tool the run may not see is left out.

    Args:
        namespaces: As the host gave them.
        visible: Tools that the run may see.
        every: Those and the others.

    Raises:
        ConfigError: a name that can't be one, or a tool that isn't there.
    """
    rows: list[NamespaceRow] = []
    for name, functions in namespaces.items():
        if not _is_free(name) or name == "MCP":
            allowed = "an identifier that neither MCP nor the language itself has"
            raise _wrong(name, f"namespace {name!r}: give {allowed}", allowed)
        found: list[FunctionRow] = []
        for function, target in functions.items():
            if not _is_free(function):
                allowed = "an identifier that the language itself does not look up"
                raise _wrong(name, f"namespace {name}: function {function!r}: give {allowed}", allowed)
            try:
                id = every.resolve(target).id
            except UnknownToolError as error:
                raise _wrong(name, f"namespace {name}.{function}: {error}", "the id or name of a tool of the run") from None
            if visible.entry(id) is not None:
                found.append((None, function, None, id))
        rows.append((False, name, name, True, found))
    return rows


def _is_free(name: str) -> bool:
    return name.isidentifier() and name not in LANGUAGE_MEMBERS


def _wrong(name: str, message: str, allowed: str) -> ConfigError:
    return ConfigError(message, field=f"namespaces.{name}", value=name, allowed=allowed)
