"""Run one cell from ordinary, blocking Python."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from toolcell.results import CellResult
from toolcell.runtime.code_mode import CodeMode

T = TypeVar("T")


def run_cell(
    code: str, *, tools: Sequence[Any] = (), language: str | None = None, config: object = None, **run_options: Any
) -> CellResult:
    """Run ``code`` and return its result; for scripts and notebooks.

    Code mode is always engaged. Worker and run end with the call, so a result that says ``waiting`` can't be
    continued; give the tools enough time with ``config={"timeoutMs": …}``.

    Args:
        code: The cell.
        tools: Functions decorated with `toolcell.tool`.
        language: ``javascript`` or ``typescript``; the first configured one by default.
        config: Options, as `CodeMode` takes them.
        run_options: Anything else that `CodeMode.run` takes, such as ``policy`` or ``approve``.
    """

    async def run() -> CellResult:
        async with (
            CodeMode(config, warm_workers=1) as code_mode,
            code_mode.run(tools=tools, force=True, **run_options) as entered,
        ):
            return await entered.exec({"code": code, "language": language})

    return blocking(run())


def blocking(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, in a thread of its own where an event loop runs already (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    outcome: list[T | BaseException] = []

    def target() -> None:
        try:
            outcome.append(asyncio.run(work))
        except BaseException as error:  # crosses to the calling thread
            outcome.append(error)

    thread = threading.Thread(target=target, name="toolcell-run-cell", daemon=True)
    thread.start()
    thread.join()
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]
