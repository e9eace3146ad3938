"""Several hosts of one machine that share a store."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import toolcell
from support.runs import FOREVER
from toolcell.store import SqliteStore
from toolcell.testing import FakeExecutor, all_of

KEY = b"k" * 32
SCOPE = toolcell.Scope("agent", "session", "key", "run")


class Machine:
    """One database and one place of parked guests, for as many hosts as a test needs."""

    def __init__(self, path: Path, stack: AsyncExitStack) -> None:
        self.path = path
        self.executor = FakeExecutor(all_of())
        self._stack = stack

    async def host(self, *tools: Any, config: Any = FOREVER, scope: toolcell.Scope = SCOPE, **options: Any) -> toolcell.Run:
        """Another `CodeMode`, as another process would have it, and a run of it."""
        code_mode = toolcell.CodeMode(config, executor=self.executor, store=SqliteStore(self.path, key=KEY))
        await self._stack.enter_async_context(code_mode)
        return await self._stack.enter_async_context(code_mode.run(tools=tools, scope=scope, **options))
