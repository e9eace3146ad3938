"""The model's own calls, `exec` and `wait`: from its arguments to a result."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from toolcell.errors import RuntimeUnavailableError, StoreError
from toolcell.executor.protocol import CellSource, Limits
from toolcell.policy.hooks import Block, Hooks, ToolCall
from toolcell.policy.pipeline import VALUE_DEPTH
from toolcell.results import CellResult
from toolcell.runtime import failures
from toolcell.runtime.arguments import ExecArguments, read_exec, read_wait
from toolcell.runtime.cell import Cell
from toolcell.runtime.claim import claim
from toolcell.runtime.failures import Failure
from toolcell.telemetry import CellStarted, ModelCallFinished, ModelCallStarted

if TYPE_CHECKING:
    from toolcell.runtime.run import Run

QUEUED_CALLS = 1_024
"""Calls that may queue beyond ``maxPendingToolCalls``."""


class ModelCalls:
    """`exec` and `wait` of one run. Whatever the model did wrong is a result, never an exception."""

    def __init__(self, run: Run, hooks: Hooks) -> None:
        config = run.config
        self._run = run
        self._hooks = hooks
        self._limits = Limits(
            heap_bytes=config.memory_limit_bytes,
            output_bytes=config.max_output_bytes,
            truncate_output=config.output_overflow == "truncate",
            snapshot_bytes=config.max_snapshot_bytes,
            bridge_bytes=config.max_bridge_bytes,
            outstanding_calls=config.max_pending_tool_calls + QUEUED_CALLS,
            value_depth=VALUE_DEPTH,
            big_integers=config.big_integers,
        )
        self._typescript = "typescript" in config.languages
        self._restart_ordinal = 0

    async def exec(self, arguments: object, tool_call_id: str | None) -> CellResult:
        """Run a cell; see `Run.exec`."""
        self._run.telemetry.exec_count += 1
        call_id = tool_call_id or self._own_call_id()
        if self._run.subscribers:
            return await self._told(call_id, "exec", arguments, self._run_cell(arguments, call_id))
        return await self._run_cell(arguments, call_id)

    async def wait(self, arguments: object, tool_call_id: str | None) -> CellResult:
        """Go on with a cell; see `Run.wait`."""
        self._run.telemetry.wait_count += 1
        call_id = tool_call_id or self._own_call_id()
        if self._run.subscribers:
            return await self._told(call_id, "wait", arguments, self._continue_cell(arguments, call_id))
        return await self._continue_cell(arguments, call_id)

    async def _run_cell(self, arguments: object, call_id: str) -> CellResult:
        checked = failures.NOT_ENGAGED if not self._run.engaged else read_exec(arguments, self._run.config)
        if isinstance(checked, Failure):
            return self._refused(checked)
        await self._run.connect()
        cell_id = self._cell_id(checked)
        if self._hooks.before:
            checked = await self._review(checked, cast("Mapping[str, Any]", arguments), cell_id)
            if isinstance(checked, Failure):
                return self._refused(checked)
        deadline = time.monotonic() + self._run.config.timeout_ms / 1000
        try:
            guest = await self._run.lease()
        except RuntimeUnavailableError as error:
            return self._refused(failures.unavailable(error.message))
        cell = self._new_cell(checked, cell_id)
        cell.calls.parent_id = call_id
        return await self._guard(cell, cell.start(guest, deadline))

    async def _continue_cell(self, arguments: object, call_id: str) -> CellResult:
        run_id = failures.NOT_ENGAGED if not self._run.engaged else read_wait(arguments)
        if isinstance(run_id, Failure):
            return self._refused(run_id)
        await self._run.connect()
        deadline = time.monotonic() + self._run.config.timeout_ms / 1000
        cell = await claim(self._run, run_id)
        if isinstance(cell, Failure):
            return self._refused(cell)
        cell.calls.under(call_id)
        return await self._guard(cell, cell.wait(deadline))

    async def _told(
        self, call_id: str, tool: Literal["exec", "wait"], arguments: object, work: Awaitable[CellResult]
    ) -> CellResult:
        """Tell the subscribers of an `exec` or `wait`."""
        self._run.subscribers.tell(ModelCallStarted(call_id, tool, arguments))
        result: CellResult | None = None
        try:
            result = await work
            return result
        finally:
            self._run.subscribers.tell(ModelCallFinished(call_id, tool, result))

    def _own_call_id(self) -> str:
        """Id of an `exec` or `wait` for which the host gave none."""
        telemetry = self._run.telemetry
        return f"call_{telemetry.counter_scope}_{telemetry.exec_count + telemetry.wait_count}"

    def _cell_id(self, checked: ExecArguments) -> str:
        if not checked.restart_safe:
            return f"cell_{secrets.token_hex(12)}"
        self._restart_ordinal += 1
        code = checked.code.encode("utf-8", "surrogatepass")
        named = b"\0".join((self._run.scope.digest, str(self._restart_ordinal).encode(), code))
        return f"cell_{hashlib.sha256(named).hexdigest()[:24]}"

    def _new_cell(self, checked: ExecArguments, cell_id: str) -> Cell:
        seed = int(hashlib.sha256(cell_id.encode()).hexdigest()[:16], 16) if checked.restart_safe else secrets.randbits(64)
        source = CellSource(
            cell_id=cell_id,
            scope=self._run.scope.digest,
            code=checked.code,
            typescript=checked.language == "typescript",
            typescript_enabled=self._typescript,
            shell_tool=self._run.catalog.shell_tool,
            seed=seed,
        )
        cell = Cell(self._run, source, self._limits, title=checked.title, restart_safe=checked.restart_safe)
        self._run.code_mode.cells[cell_id] = cell
        if self._run.subscribers:
            self._run.subscribers.tell(CellStarted(cell_id, checked.language, checked.title, checked.code))
        return cell

    async def _review(self, checked: ExecArguments, arguments: Mapping[str, Any], cell_id: str) -> ExecArguments | Failure:
        """Let the hooks see the model's own `exec`; its code may come out changed."""
        shown = dict(arguments)
        shown.pop("command", None)
        shown["code"] = checked.code
        call = ToolCall("code_mode:exec", "exec", shown, "code_mode_exec", checked.language, cell_id, cell_id)
        reviewed = await self._run.pipeline.review_exec(call)
        if isinstance(reviewed, Block):
            return failures.BLOCKED
        return checked if reviewed is shown else read_exec(reviewed, self._run.config)

    async def _guard(self, cell: Cell, work: Any) -> CellResult:
        """Let an `exec` or `wait` that is cancelled, or that a fault of the host ends, leave nothing running."""
        try:
            return await work
        except StoreError:  # the cell is where it was, and goes on
            raise
        except (asyncio.CancelledError, Exception):
            await cell.interrupted()
            raise

    def _refused(self, failure: Failure) -> CellResult:
        return CellResult(
            status="failed",
            error=failure.error,
            code=failure.code,
            reason=failure.reason,
            phase=failure.phase,
            telemetry=self._run.telemetry.snapshot(0, 0),
        )
