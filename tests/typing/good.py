"""Typical code of a host. A type checker in its strictest mode finds nothing in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field

import toolcell
from toolcell.store import MemoryStore, SqliteStore
from toolcell.telemetry import CellFinished, Event, SpanListener, Trajectory, Usage


class Shipment(BaseModel):
    id: str
    total: float


@dataclass
class Note:
    text: str


@toolcell.tool
async def shipping_list(unpaid: bool = False, limit: Annotated[int, Field(ge=1, le=50)] = 10) -> list[Shipment]:
    """List shipments."""
    return [Shipment(id="s1", total=9.5)][:limit]


@toolcell.tool(requires_approval=True, timeout_ms=5_000, max_concurrency=2)
def pay(amount: float, context: toolcell.CallContext) -> Note:
    """Pay."""
    context.report_progress({"done": 0.5})
    return Note(f"paid {amount} for {context.scope.agent_id}")


async def plain(city: str) -> str:
    """A function without a decorator."""
    return city


async def a_tool_is_still_the_function_it_was() -> float:
    shipments: list[Shipment] = await shipping_list(unpaid=True)
    note: Note = pay(1.5, toolcell.CallContext(call_id="c/1", tool_id="host:core:pay"))
    return shipments[0].total + len(note.text)


class OwnPolicy(toolcell.Policy):
    async def decide(self, call: toolcell.ToolCall) -> toolcell.Decision:
        return "ask" if call.tool_name == "pay" else "allow"


class Audit:
    def before_tool_call(self, call: toolcell.ToolCall) -> toolcell.Block | toolcell.Edit | None:
        return toolcell.Block("no") if call.tool_kind == "mcp" else None

    async def after_tool_call(self, call: toolcell.ToolCall, result: toolcell.ToolResult) -> toolcell.Replace | None:
        return toolcell.Replace("***") if result.is_error else None


async def approve(call: toolcell.ToolCall) -> str | toolcell.Edit:
    return toolcell.Edit({"amount": 1}) if call.input else "deny"


def embed(texts: Sequence[str]) -> list[list[float]]:
    return [[float(len(text))] for text in texts]


def listen(event: Event) -> None:
    match event:
        case CellFinished(run_id=run_id, status="failed", code=code):
            print(run_id, code)
        case _:
            pass


async def main() -> None:
    config = toolcell.CodeModeConfig(enabled=True, timeout_ms=5_000, languages=("typescript",))
    pick = toolcell.ClientTool(name="pick", input_schema={"type": "object"})
    store = SqliteStore("cells.db", key="k" * 32) if config.enabled else MemoryStore()
    async with toolcell.CodeMode(config, store=store) as code_mode:
        code_mode.subscribe(Trajectory("run.jsonl"))
        async with code_mode.run(
            tools=[shipping_list, pay, plain],
            client_tools=[pick],
            mcp=[toolcell.McpServer.stdio("git", ["mcp-server-git"])],
            policy=OwnPolicy(allow=["host:*"]),
            hooks=[Audit()],
            approve=approve,
            scope=toolcell.Scope("agent", "session", "key", "run"),
            model="anthropic/claude-opus-5",
            config={"maxPendingToolCalls": 4},
            context={"sender": "ana"},
            embed=embed,
        ) as run:
            stop = run.subscribe(listen)
            run.subscribe(SpanListener())
            names: list[str] = [tool.name for tool in run.model_tools]
            run.assert_surface({"tools": [{"name": name} for name in names]})
            result = await run.exec({"code": "return await shipping_list({unpaid: true})"}, tool_call_id="t1")
            while result.status == "waiting" and result.run_id is not None:
                for call in result.pending_tool_calls or ():
                    if call.tool == "pick":
                        await run.deliver(result.run_id, call.id, value={"path": "a.txt"})
                    elif call.tool == "pay":
                        await run.decide(result.run_id, call.id, "edit", input={"amount": 2})
                result = await run.wait({"runId": result.run_id})
            text: str = result.for_model()
            print(text, result.model_dump(by_alias=True, exclude_none=True), [item.type for item in result.output or ()])
            run.record_turn(Usage(input_tokens=10, output_tokens=5))
            cost: float | None = run.telemetry.cost_usd
            print(cost, (await run.search("pay", limit=3))[0]["name"])
            await run.abort()
            stop()


def script() -> str:
    try:
        result: toolcell.CellResult = toolcell.run_cell("return 1", tools=[shipping_list], config={"timeoutMs": 1_000})
    except toolcell.RuntimeUnavailableError as error:
        return error.reason
    return result.for_model()
