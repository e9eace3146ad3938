"""The way of a nested call through policy, hooks and contracts, with a fake guest."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

import toolcell
from support.runs import a_run, add, call, exec_all, recorder, upper
from toolcell.executor.protocol import CellSource
from toolcell.telemetry import Event
from toolcell.testing import Guest, all_of


@toolcell.tool
async def boom() -> None:
    raise RuntimeError("disk full")


async def test_a_tools_own_message_reaches_the_guest_and_its_type_does_not() -> None:
    assert await exec_all(call(1, "boom"), tools=[boom]) == {"1": {"error": "tool_failed", "message": "disk full"}}


async def test_an_unknown_tool_fails_that_call_with_a_suggestion() -> None:
    value = await exec_all(call(1, "ad", {}), call(2, "add", {"a": 1, "b": 1}), tools=[add])

    assert (value["1"]["error"], "add" in value["1"]["message"], value["2"]) == ("unknown_tool", True, 2)


async def test_input_that_does_not_fit_never_reaches_the_tool() -> None:
    value = await exec_all(call(1, "add", {"a": "x"}), tools=[add])

    assert value["1"]["error"] == "invalid_tool_input"


async def test_a_hidden_tool_looks_like_a_missing_one() -> None:
    record, seen = recorder()

    value = await exec_all(call(1, "record", 1), tools=[record, add], policy=toolcell.Policy(deny=["record"]))

    assert (value["1"]["error"], seen) == ("unknown_tool", [])


async def test_a_policy_that_denies_a_call_never_lets_it_reach_the_tool() -> None:
    class Deny(toolcell.Policy):
        async def decide(self, call: toolcell.ToolCall) -> Any:
            return "deny"

    record, seen = recorder()

    value = await exec_all(call(1, "record", 1), tools=[record], policy=Deny())

    assert (value["1"]["error"], seen) == ("denied", [])


async def test_a_policy_that_raises_denies_and_shows_nothing() -> None:
    class Broken(toolcell.Policy):
        def decide(self, call: toolcell.ToolCall) -> Any:
            raise LookupError("secret of the host")

    record, seen = recorder()

    value = await exec_all(call(1, "record", 1), tools=[record], policy=Broken())

    assert (value["1"]["error"], "secret" in json.dumps(value), seen) == ("denied", False, [])


@pytest.mark.parametrize("method", ["before_tool_call", "after_tool_call"])
async def test_the_text_of_a_hook_that_raises_stays_on_the_host(method: str) -> None:
    def fail(*arguments: object) -> None:
        if arguments[0].tool_kind == "core":  # type: ignore[attr-defined]
            raise LookupError("secret of the host")

    hook = type("Hook", (), {method: staticmethod(fail)})()

    value = await exec_all(call(1, "upper", {"text": "x"}), tools=[upper], hooks=[hook])

    assert (set(value["1"]), "secret" in json.dumps(value)) == ({"error", "message"}, False)


async def test_a_later_hook_sees_an_earlier_hooks_edit() -> None:
    class Double:
        async def before_tool_call(self, call: toolcell.ToolCall) -> Any:
            return toolcell.Edit(call.input * 2) if call.tool_kind == "core" else None  # type: ignore[operator]

    record, seen = recorder()

    await exec_all(call(1, "record", 5), tools=[record], hooks=[Double(), Double()])

    assert seen == [20]


async def test_an_edit_is_validated_again() -> None:
    class Spoil:
        def before_tool_call(self, call: toolcell.ToolCall) -> Any:
            return toolcell.Edit({"a": "x"}) if call.tool_name == "add" else None

    value = await exec_all(call(1, "add", {"a": 1, "b": 2}), tools=[add], hooks=[Spoil()])

    assert value["1"]["error"] == "invalid_tool_input"


async def test_a_block_denies_and_its_reason_stays_on_the_host() -> None:
    class Guard:
        def before_tool_call(self, call: toolcell.ToolCall) -> Any:
            return toolcell.Block("secret reason") if call.tool_name == "record" else None

    record, seen = recorder()

    value = await exec_all(call(1, "record", 1), tools=[record], hooks=[Guard()])

    assert (value["1"]["error"], "secret" in json.dumps(value), seen) == ("denied", False, [])


async def test_an_after_hook_may_replace_the_value() -> None:
    class Redact:
        async def after_tool_call(self, call: toolcell.ToolCall, result: toolcell.ToolResult) -> Any:
            return toolcell.Replace("***")

    assert await exec_all(call(1, "upper", {"text": "x"}), tools=[upper], hooks=[Redact()]) == {"1": "***"}


async def test_the_output_contract_is_checked_after_the_hooks() -> None:
    class Break:
        def after_tool_call(self, call: toolcell.ToolCall, result: toolcell.ToolResult) -> Any:
            return toolcell.Replace("not a number, secret")

    value = await exec_all(call(1, "add", {"a": 1, "b": 2}), tools=[add], hooks=[Break()])

    assert (value["1"]["error"], "secret" in value["1"]["message"]) == ("invalid_tool_output", False)


async def test_the_envelope_form_gives_tool_and_result() -> None:
    value = await exec_all(call(1, "add", {"a": 1, "b": 2}, "call"), tools=[add])

    assert (value["1"]["tool"]["id"], value["1"]["result"]) == (
        "host:core:add",
        {"content": [], "details": 3, "isError": False},
    )


async def test_an_error_result_throws_in_one_form_and_is_returned_in_the_other() -> None:
    @toolcell.tool
    async def fail() -> toolcell.ToolResult:
        return toolcell.ToolResult("no such row", {"row": 7}, is_error=True)

    value = await exec_all(call(1, "fail"), call(2, "fail", method="call"), tools=[fail])

    assert value["1"] == {"error": "tool_failed", "message": "no such row"}
    assert value["2"]["result"] == {
        "content": [{"type": "text", "text": "no such row"}],
        "details": {"row": 7},
        "isError": True,
    }


async def test_a_tool_that_takes_too_long_fails_and_may_be_tried_again() -> None:
    @toolcell.tool(timeout_ms=20)
    async def slow() -> None:
        await asyncio.Event().wait()

    value = await exec_all(call(1, "slow"), tools=[slow])

    assert value["1"]["error"] == "timeout"


async def test_a_tool_that_cancels_itself_fails_that_call_only() -> None:
    @toolcell.tool
    async def quits() -> None:
        raise asyncio.CancelledError

    value = await exec_all(call(1, "quits"), call(2, "add", {"a": 1, "b": 1}), tools=[quits, add])

    assert (value["1"]["error"], value["2"]) == ("cancelled", 2)


async def test_a_hook_sees_the_models_own_exec_and_may_rewrite_or_block_it() -> None:
    class Rewrite:
        def __init__(self) -> None:
            self.seen = list[tuple[Any, ...]]()

        def before_tool_call(self, call: toolcell.ToolCall) -> Any:
            self.seen.append((call.tool_name, call.tool_kind, call.tool_input_kind, call.input))
            if "bad" in str(call.input):
                return toolcell.Block()
            return toolcell.Edit({"code": "rewritten"})

    ran = list[str]()

    def program(source: CellSource) -> Guest:
        ran.append(source.code)
        return all_of()(source)

    hook = Rewrite()
    async with a_run(program, add, hooks=[hook]) as run:
        await run.exec({"command": "good"})
        blocked = await run.exec({"code": "bad", "language": "typescript"})

    assert ran == ["rewritten"]
    assert hook.seen == [
        ("exec", "code_mode_exec", "javascript", {"code": "good"}),
        ("exec", "code_mode_exec", "typescript", {"code": "bad", "language": "typescript"}),
    ]
    assert (blocked.status, blocked.code, blocked.phase) == ("failed", "invalid_input", "host")


async def test_a_tool_is_told_whose_call_it_serves_and_may_report_progress() -> None:
    told = list[toolcell.CallContext]()

    @toolcell.tool
    async def who(context: toolcell.CallContext) -> None:
        told.append(context)
        context.report_progress({"done": 1})

    events = list[Event]()
    scope = toolcell.Scope.unique()
    async with a_run(all_of(call(1, "who")), who, scope=scope, context={"sender": "ana"}) as run:
        run.subscribe(events.append)
        await run.exec({"code": "x"}, tool_call_id="call_7")
        await asyncio.sleep(0)

    (context,) = told
    assert (context.scope, context.values, context.parent_id, context.tool_id) == (
        scope,
        {"sender": "ana"},
        "call_7",
        "host:core:who",
    )
    assert "NestedCallProgress" in [type(event).__name__ for event in events]
