"""Mistakes of a host. Each line that says so must be flagged by the type checker, and no other."""

from __future__ import annotations

import toolcell


@toolcell.tool
async def add(a: int, b: int) -> int:
    return a + b


@toolcell.tool(max_concurency=2)  # wrong: misspelled option
def misspelled() -> None: ...


@toolcell.tool(timeout_ms="5s")  # wrong: text for a number
def slow() -> None: ...


class Policy(toolcell.Policy):
    def decide(self, call: toolcell.ToolCall) -> toolcell.Decision:
        return "maybe"  # wrong: no decision


async def main() -> None:
    total: str = await add(1, 2)  # wrong: the tool returns int
    await add("1", 2)  # wrong: the tool takes int
    async with (
        toolcell.CodeMode(stor=None) as code_mode,  # wrong: misspelled argument
        code_mode.run(tools=[add], scope="me") as run,  # wrong: text for a scope
    ):
        result = await run.exec({"code": "x"})
        print(result.valeu)  # wrong: misspelled field
        if result.status == "done":  # wrong: no such status
            print(total)
        await run.deliver(result.run_id, "c/1", value=1)  # wrong: run_id may be None
        await run.decide("c", "c/1", decision=True)  # wrong: a decision is a word
        run.subscribe(print_nothing)  # wrong: a listener takes an event
    toolcell.Scope(agent="a")  # wrong: no such part
    toolcell.run_cell(b"return 1")  # wrong: bytes for code


def print_nothing() -> None: ...
