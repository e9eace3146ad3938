"""Real workers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

import toolcell


class Hosts:
    """Opens `CodeMode`s and runs of them, and closes all at the end of the test."""

    def __init__(self, stack: AsyncExitStack) -> None:
        self._stack = stack

    async def run(self, *tools: Any, config: Any = None, store: Any = None, **options: Any) -> toolcell.Run:
        """A run of a `CodeMode` of its own; engaged whatever the configuration says."""
        code_mode = await self._stack.enter_async_context(toolcell.CodeMode(config, store=store))
        return await self._stack.enter_async_context(code_mode.run(tools=tools, force=True, **options))


@pytest.fixture
async def hosts() -> AsyncIterator[Hosts]:
    async with AsyncExitStack() as stack:
        yield Hosts(stack)
