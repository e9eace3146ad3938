"""The loop of an agent whose model gets code mode. Put your provider's client where `ScriptedModel` stands."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import toolcell


@dataclass
class Reply:
    """What a model answered: text, or calls of tools."""

    text: str = ""
    calls: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list[tuple[str, str, dict[str, Any]]])
    """Id, name and arguments of each call."""


class ScriptedModel:
    """Answers what it was told to, one reply a turn, so that the example runs offline."""

    def __init__(self, *replies: Reply) -> None:
        self._replies: Iterator[Reply] = iter(replies)

    async def complete(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> Reply:
        """Answer a conversation; a provider would send ``messages`` and ``tools``."""
        return next(self._replies)


async def converse(model: ScriptedModel, run: toolcell.Run, question: str) -> str:
    """Ask the model and run what it calls until it answers in text."""
    tools = [{"name": t.name, "description": t.description, "parameters": t.input_schema} for t in run.model_tools]
    run.assert_surface(tools)
    messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
    while True:
        reply = await model.complete(messages, tools)
        if not reply.calls:
            return reply.text
        messages.append({"role": "assistant", "calls": reply.calls})
        for call_id, name, arguments in reply.calls:
            result = await run.call_model_tool(name, arguments, tool_call_id=call_id)
            messages.append({"role": "tool", "call_id": call_id, "content": result.for_model()})
            print(f"{name}: {result.for_model()}")


@toolcell.tool(read_only=True)
async def temperature(city: str) -> float:
    """Get the temperature of a city in degrees Celsius."""
    return {"Oslo": 4.0, "Rome": 19.5}[city]


CODE = "const [a, b] = await Promise.all(['Oslo', 'Rome'].map(city => temperature({city}))); return b - a;"


async def main() -> None:
    """Let the model compare two cities."""
    model = ScriptedModel(Reply(calls=[("call_1", "exec", {"code": CODE})]), Reply(text="Rome is 15.5 degrees warmer."))
    async with toolcell.CodeMode(True) as code_mode, code_mode.run(tools=[temperature]) as run:
        print(await converse(model, run, "How much warmer is Rome than Oslo?"))


if __name__ == "__main__":
    asyncio.run(main())
