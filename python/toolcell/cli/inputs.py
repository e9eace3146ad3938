"""Files and names on the command line, turned into objects."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from toolcell.config_file import read_config_file
from toolcell.mcp import McpServer, settings
from toolcell.scope import Scope
from toolcell.store.memory import MemoryStore
from toolcell.store.protocol import ContinuationStore
from toolcell.store.sqlite import SqliteStore, key_beside


class UsageError(Exception):
    """The command line names something that isn't there or can't be used."""


def read_code(file: str | None, code: str | None) -> str:
    """The cell's text, from ``-e``, a file, or standard input.

    Raises:
        UsageError: the file can't be read.
    """
    if code is not None:
        return code
    if file == "-":
        return sys.stdin.read()
    return _read(str(file))


def language_of(file: str | None, language: str | None) -> str | None:
    """The cell's language: as said, else TypeScript for a file that is named so."""
    if language is None and file is not None and file.endswith((".ts", ".mts")):
        return "typescript"
    return language


def read_config(file: str | None) -> Any:
    """The configuration file's content; ``None`` without one.

    Raises:
        ConfigError: it can't be read, or is not JSON5.
    """
    return None if file is None else read_config_file(file, "config")


def load_servers(file: str | None) -> list[McpServer]:
    """MCP servers from a ``{"mcpServers": …}`` file, in any of the forms that `toolcell.mcp.settings` reads."""
    return [] if file is None else settings.load_servers(file)


def open_store(file: str | None) -> ContinuationStore:
    """The store of ``--store``, with its key; this process's memory without one."""
    if file is None:
        return MemoryStore()
    return SqliteStore(file, key=os.environ.get("TOOLCELL_STORE_KEY") or key_beside(file))


def scope_of(session: str) -> Scope:
    """The scope that the command line's cells belong to."""
    return Scope(agent_id="cli", session_id=session, session_key=session, agent_run_id=session)


def read_delivery(text: str) -> tuple[str, Any]:
    """Split ``CALL_ID=JSON``.

    Raises:
        UsageError: it is something else.
    """
    call_id, separator, value = text.partition("=")
    try:
        if separator:
            return call_id, json.loads(value)
    except ValueError:
        pass
    raise UsageError(f"--deliver {text}: give CALL_ID=JSON")


def _read(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"can't read {file}: {getattr(error, 'strerror', None) or error}") from None
