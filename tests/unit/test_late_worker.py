"""A worker that comes only after the deadline."""

from __future__ import annotations

import asyncio
from typing import Any

import toolcell
from toolcell.executor.protocol import CellSource
from toolcell.guest_catalog import GuestCatalog
from toolcell.testing import FakeCall, FakeExecutor, Guest

TIMEOUT_MS = 100


@toolcell.tool
async def noop() -> None:
    return None


def yielding(source: CellSource) -> Guest:
    yield [FakeCall(1, method="yield")]
    return b"7"


class BusyExecutor(FakeExecutor):
    """An executor that has no worker before the deadline while it is ``busy``."""

    busy = False

    def session(self, catalog: GuestCatalog, *, reuse_workers: bool) -> Any:
        session = super().session(catalog, reuse_workers=reuse_workers)
        lease = session.lease

        async def late() -> Any:
            if self.busy:
                await asyncio.sleep(2 * TIMEOUT_MS / 1000)
            return await lease()

        session.lease = late  # pyright: ignore[reportAttributeAccessIssue]
        return session


async def test_a_cell_whose_worker_comes_too_late_is_a_timeout_and_does_not_run() -> None:
    executor = BusyExecutor(yielding)
    async with (
        toolcell.CodeMode({"timeoutMs": TIMEOUT_MS}, executor=executor) as code_mode,
        code_mode.run(tools=[noop], force=True) as run,
    ):
        executor.busy = True
        result = await run.exec({"code": "code"})
        executor.busy = False
        after = await run.exec({"code": "code"})

    assert (result.code, result.reason, result.telemetry.cell.legs, after.status) == ("timeout", None, 0, "waiting")


async def test_a_suspended_cell_whose_worker_comes_too_late_stays_suspended() -> None:
    executor = BusyExecutor(yielding)
    async with (
        toolcell.CodeMode({"timeoutMs": TIMEOUT_MS}, executor=executor) as code_mode,
        code_mode.run(tools=[noop], force=True) as run,
    ):
        cell = await run.exec({"code": "code"})
        executor.busy = True
        late = await run.wait({"runId": cell.run_id})
        executor.busy = False
        result = await run.wait({"runId": cell.run_id})

    assert ((late.status, late.run_id), executor.restores, result.value) == (("waiting", cell.run_id), 1, 7)
