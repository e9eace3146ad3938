"""What a run learns of the results of MCP tools, and, if the host wants it, what earlier runs of its agent learned."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, cast

from toolcell.catalog.tool import Tool
from toolcell.config import CodeModeConfig
from toolcell.errors import ConfigError, StoreError
from toolcell.mcp.observed import ObservedTypes
from toolcell.scope import Scope
from toolcell.store.protocol import ContinuationStore, TypeStore

WRITE_AFTER_S = 2.0
"""What was learned is written this much later, together with what is learned meanwhile, or when the run closes."""

_log = logging.getLogger("toolcell")


class LearnedTypes:
    """Types of one run.

    Args:
        store: Keeps them for later runs; without it they go with the run. When it fails, that is logged and nothing more:
            they can be learned again.
        owner: Whose types these are in the store.
    """

    def __init__(self, store: TypeStore | None = None, owner: bytes = b"") -> None:
        self.observed = ObservedTypes()
        self.is_new = False
        """Something was added since this was last set to false."""
        self._store = store
        self._owner = owner
        self._is_loaded = False
        self._is_written = True
        self._writing: asyncio.Task[None] | None = None

    async def load(self) -> None:
        """Add what earlier runs learned; only the first call does something."""
        if self._store is None or self._is_loaded:
            return
        self._is_loaded = True
        try:
            stored = await self._store.read_types(self._owner)
        except StoreError as error:
            _log.warning("stored types were not read: %s", error)
            return
        self.is_new = _add(self.observed, stored) or self.is_new

    def learn(self, tool: Tool, result: Any) -> None:
        """Learn from what a listed MCP tool returned, if it declares no output."""
        if not tool.discoverable or tool.output_schema is not None or not isinstance(result, dict):
            return
        if self.observed.learn(tool.owner, tool.name, cast("dict[str, Any]", result)):
            self.is_new, self._is_written = True, False
            if self._store is not None and self._writing is None:
                self._writing = asyncio.get_running_loop().create_task(self._write_later())

    async def close(self) -> None:
        """Write what is not written yet."""
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.wait({self._writing})
        await self._write()

    async def _write_later(self) -> None:
        try:
            while not self._is_written:
                await asyncio.sleep(WRITE_AFTER_S)
                if not await self._write():
                    break
        finally:
            self._writing = None

    async def _write(self) -> bool:
        """Write what is not written yet; false if the store failed."""
        if self._store is None or self._is_written:
            return True
        self._is_written = True
        learned = self.observed.dump()

        def merged(stored: bytes | None) -> bytes:
            types = ObservedTypes()
            _add(types, stored)
            types.load(learned)
            return types.dump()

        try:
            await self._store.update_types(self._owner, merged)
        except BaseException as error:
            self._is_written = False
            if not isinstance(error, StoreError):
                raise
            _log.warning("learned types were not written: %s", error)
            return False
        return True


def learned_types(config: CodeModeConfig, store: ContinuationStore, scope: Scope | None) -> LearnedTypes | None:
    """Make what ``observedTypes`` asks for; ``None`` if nothing is to be learned.

    Raises:
        ConfigError: types can't be kept: the store has no place for them, or the run has no agent whose they are.
    """
    if config.observed_types != "store":
        return None if config.observed_types == "off" else LearnedTypes()
    if not isinstance(store, TypeStore):
        raise _unusable("a store with the methods of toolcell.store.TypeStore, such as SqliteStore")
    if scope is None or not scope.agent_id:
        raise _unusable("a run with a scope, whose agent_id says whose types they are")
    return LearnedTypes(store, Scope(agent_id=scope.agent_id).digest)


def _add(types: ObservedTypes, stored: bytes | None) -> bool:
    if stored is None:
        return False
    try:
        types.load(stored)
    except ValueError as error:
        _log.warning("stored types are not used: %s", error)
        return False
    return True


def _unusable(needed: str) -> ConfigError:
    return ConfigError(f'observedTypes: "store" needs {needed}', field="observedTypes", value="store", allowed=needed)
