"""Sentences of docs/contract.md that no other test is about."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

import toolcell
from support.runs import FOREVER, SHORT, a_run
from toolcell.executor.protocol import CellSource
from toolcell.surface import ModelTool
from toolcell.testing import FakeCall, FakeExecutor, FakeText, Guest, GuestError, all_of


@toolcell.tool
async def one() -> int:
    return 1


@toolcell.tool
async def two() -> int:
    return 2


def calls(*targets: str) -> Callable[[CellSource], Guest]:
    return all_of(*(FakeCall(number, "call_value", target) for number, target in enumerate(targets, 1)))


async def test_without_code_mode_the_list_of_tools_is_as_it_was_given() -> None:
    async with a_run(calls(), two, one, config={"enabled": False}) as run:
        assert run.model_tools == run.strict_model_tools == (ModelTool.of(two), ModelTool.of(one))


async def test_on_a_run_that_is_not_engaged_no_payload_is_wrong() -> None:
    async with a_run(calls(), config={"enabled": False}) as run:
        run.assert_surface({"tools": [{"name": "anything"}]})


@pytest.mark.parametrize("name", ["exec", "wait"])
def test_a_direct_only_tool_can_not_be_called_exec_or_wait(name: str) -> None:
    with pytest.raises(toolcell.ToolDefinitionError, match=name):
        toolcell.tool(name=name, direct_only=True)(lambda: None)


async def test_null_in_the_strict_variant_means_absent() -> None:
    async with a_run(calls()) as run:
        result = await run.exec({"code": "x", "language": None, "restartSafe": None, "title": None})

    assert result.status == "completed"


async def test_of_several_reasons_to_wait_yield_comes_first_then_approval() -> None:
    gate = asyncio.Event()

    @toolcell.tool(requires_approval=True)
    async def ask() -> None: ...

    @toolcell.tool
    async def slow() -> None:
        await gate.wait()

    program = all_of(FakeCall(1, "call_value", "slow"), FakeCall(2, "call_value", "ask"), FakeCall(3, "yield"))
    reasons = list[Any]()
    async with a_run(program, slow, ask, config=SHORT) as run:
        result = await run.exec({"code": "x"})
        reasons.append(result.reason)
        result = await run.wait({"runId": result.run_id})
        reasons.append(result.reason)
        assert result.run_id is not None
        await run.decide(result.run_id, f"{result.run_id}/2", "approve")
        result = await run.wait({"runId": result.run_id})
        reasons.append(result.reason)
        gate.set()

    assert reasons == ["yield", "approval", "pending_tools"]


async def test_inputs_are_shown_only_of_calls_that_someone_outside_must_answer() -> None:
    @toolcell.tool(raw_input=True, input_schema={})
    async def slow(given: Any) -> None:
        await asyncio.Event().wait()

    @toolcell.tool(raw_input=True, input_schema={}, requires_approval=True)
    async def ask(given: Any) -> None: ...

    names = ("slow", "ask", "pick")
    program = all_of(*(FakeCall(number, "call_value", name, b'"input"') for number, name in enumerate(names, 1)))
    async with a_run(program, slow, ask, client_tools=[toolcell.ClientTool(name="pick")]) as run:
        result = await run.exec({"code": "x"})

    assert {call.tool: call.input for call in result.pending_tool_calls or ()} == {"slow": None, "ask": "input", "pick": "input"}


async def test_a_failed_result_lists_what_had_been_sent_and_how_it_ended() -> None:
    @toolcell.tool
    async def boom() -> None:
        raise RuntimeError("no")

    def program(source: CellSource) -> Guest:
        yield [FakeText("before"), *(FakeCall(n, "call_value", name) for n, name in enumerate(("one", "boom", "pay"), 1))]
        raise GuestError("Error: late")

    @toolcell.tool
    async def pay() -> None: ...

    class Deny(toolcell.Policy):
        def decide(self, call: toolcell.ToolCall) -> toolcell.Decision:
            return "deny" if call.tool_name == "pay" else "allow"

    async with a_run(program, one, boom, pay, policy=Deny()) as run:
        result = await run.exec({"code": "x"})

    assert [(call.id.rpartition("/")[2], call.tool, call.outcome) for call in result.calls or ()] == [
        ("1", "one", "ok"),
        ("2", "boom", "error"),
        ("3", "pay", "denied"),
    ]


async def test_a_cell_of_another_scope_is_refused_also_while_it_runs() -> None:
    started, gate = asyncio.Event(), asyncio.Event()

    @toolcell.tool
    async def slow() -> None:
        started.set()
        await gate.wait()

    ids = list[str]()

    def program(source: CellSource) -> Guest:
        ids.append(source.cell_id)
        yield [FakeCall(1, "call_value", "slow")]
        return b"1"

    async with (
        toolcell.CodeMode(FOREVER, executor=FakeExecutor(program)) as code_mode,
        code_mode.run(tools=[slow]) as run,
        code_mode.run(tools=[slow], scope=run.scope) as twin,
        code_mode.run(tools=[slow]) as stranger,
    ):
        running = asyncio.create_task(run.exec({"code": "x"}))
        await started.wait()
        refused = [await other.wait({"runId": ids[0]}) for other in (stranger, twin)]
        gate.set()
        await running

    assert [result.reason for result in refused] == ["wrong_scope", "already_resuming"]


async def test_a_policy_is_asked_again_at_each_call() -> None:
    class Closing(toolcell.Policy):
        closed = False

        def visible(self, tool: Any) -> bool:
            return not self.closed

    policy = Closing()
    async with a_run(calls("one"), one, policy=policy) as run:
        before = await run.exec({"code": "x"})
        policy.closed = True
        after = await run.exec({"code": "x"})

    assert (before.value, after.value["1"]["error"]) == ({"1": 1}, "unknown_tool")


async def test_a_policy_that_changed_its_mind_stops_an_approved_call() -> None:
    ran = list[int]()

    @toolcell.tool
    async def pay() -> None:
        ran.append(1)

    class Changing(toolcell.Policy):
        word: toolcell.Decision = "ask"

        def decide(self, call: toolcell.ToolCall) -> toolcell.Decision:
            return self.word

    policy = Changing()
    async with a_run(calls("pay"), pay, policy=policy) as run:
        cell = await run.exec({"code": "x"})
        assert cell.run_id is not None
        policy.word = "deny"
        await run.decide(cell.run_id, f"{cell.run_id}/1", "approve")
        result = await run.wait({"runId": cell.run_id})

    assert (result.value["1"]["error"], ran) == ("denied", [])


async def test_sync_hooks_run_in_threads() -> None:
    threads = set[str]()

    class Hook:
        def before_tool_call(self, call: toolcell.ToolCall) -> None:
            threads.add(threading.current_thread().name)

        def after_tool_call(self, call: toolcell.ToolCall, result: toolcell.ToolResult) -> None:
            threads.add(threading.current_thread().name)

    async with a_run(calls("one"), one, hooks=[Hook()]) as run:
        await run.exec({"code": "x"})

    assert threads == {"toolcell-tool"}


@pytest.mark.parametrize("name", ["exec", "wait", "tool_search", "host:core:exec"])
async def test_a_cell_can_not_call_code_modes_own_tools(name: str) -> None:
    async with a_run(calls(name)) as run:
        result = await run.exec({"code": "x"})

    assert result.value["1"]["error"] == "unknown_tool"


async def test_calls_have_ids_of_their_cell_and_place() -> None:
    seen = list[str]()

    @toolcell.tool
    async def who(context: toolcell.CallContext) -> None:
        seen.append(context.call_id)

    async with a_run(all_of(*(FakeCall(n, "call_value", "who") for n in (1, 2)), FakeCall(3, "yield")), who) as run:
        cell = await run.exec({"code": "x"})

    assert seen == [f"{cell.run_id}/1", f"{cell.run_id}/2"]


async def test_closing_a_run_does_not_wait_for_a_function_that_never_ends() -> None:
    started, never = threading.Event(), threading.Event()

    @toolcell.tool
    def stuck() -> None:
        started.set()
        never.wait()

    async with a_run(calls("stuck"), stuck, config=SHORT) as run:
        result = await run.exec({"code": "x"})
    never.set()

    assert (started.is_set(), result.status) == (True, "waiting")
