"""Decisions and results that come from outside, with a fake guest."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

import toolcell
from support.runs import SHORT, a_run, call, exec_all, recorder
from toolcell.testing import all_of

PICK = toolcell.ClientTool(name="pick", input_schema={"type": "object"})


async def test_a_policy_that_asks_parks_at_once_and_the_decision_lets_the_call_run_once() -> None:
    record, seen = recorder()

    async with a_run(all_of(call(1, "record", {"amount": 5})), record, policy=toolcell.Policy(ask=["record"])) as run:
        asked = await run.exec({"code": "x"})
        before = list(seen)
        assert asked.run_id is not None
        await run.decide(asked.run_id, f"{asked.run_id}/1", "approve")
        result = await run.wait({"runId": asked.run_id})

    assert (asked.reason, [p.input for p in asked.pending_tool_calls or ()], before) == ("approval", [{"amount": 5}], [])
    assert (result.value, seen) == ({"1": {"amount": 5}}, [{"amount": 5}])


async def test_an_edit_of_a_person_is_what_the_tool_sees() -> None:
    record, seen = recorder(requires_approval=True)

    async with a_run(all_of(call(1, "record", 5)), record) as run:
        asked = await run.exec({"code": "x"})
        assert asked.run_id is not None
        await run.decide(asked.run_id, f"{asked.run_id}/1", "edit", input=3)
        await run.wait({"runId": asked.run_id})

    assert seen == [3]


async def test_a_denied_call_never_reaches_the_tool() -> None:
    record, seen = recorder(requires_approval=True)

    async with a_run(all_of(call(1, "record", 5)), record) as run:
        asked = await run.exec({"code": "x"})
        assert asked.run_id is not None
        await run.decide(asked.run_id, f"{asked.run_id}/1", "deny")
        result = await run.wait({"runId": asked.run_id})

    assert (result.value["1"]["error"], seen) == ("denied", [])


async def test_a_wrong_decision_raises_and_leaves_the_call_as_it_was() -> None:
    @toolcell.tool(requires_approval=True)
    async def pay(amount: int) -> int:
        return amount

    async with a_run(all_of(call(1, "pay", {"amount": 5})), pay) as run:
        asked = await run.exec({"code": "x"})
        assert asked.run_id is not None
        id = f"{asked.run_id}/1"
        for decision in ("yes", "edit"):
            with pytest.raises(toolcell.InvalidDecisionError):
                await run.decide(asked.run_id, id, decision, input={"amount": "x"})
        for run_id, call_id in ((asked.run_id, f"{asked.run_id}/2"), ("cell_x", id), (asked.run_id, "1")):
            with pytest.raises(toolcell.CallNotPendingError):
                await run.decide(run_id, call_id, "approve")
        await run.decide(asked.run_id, id, "approve")
        with pytest.raises(toolcell.CallNotPendingError):
            await run.decide(asked.run_id, id, "approve")
        result = await run.wait({"runId": asked.run_id})

    assert result.value == {"1": 5}


@pytest.mark.parametrize(
    ("answer", "seen_by_tool"), [("approve", [5]), (toolcell.Edit(6), [6]), ("deny", []), ("yes", []), (None, [])]
)
async def test_a_callback_decides_while_the_cell_runs_and_anything_else_is_a_deny(answer: Any, seen_by_tool: list[int]) -> None:
    record, seen = recorder(requires_approval=True)

    async def approve(call: toolcell.ToolCall) -> Any:
        return answer

    await exec_all(call(1, "record", 5), tools=[record], approve=approve)

    assert seen == seen_by_tool


async def test_a_callback_that_raises_denies_and_its_text_stays_on_the_host() -> None:
    record, seen = recorder(requires_approval=True)

    def approve(call: toolcell.ToolCall) -> Any:
        raise RuntimeError("secret")

    value = await exec_all(call(1, "record", 5), tools=[record], approve=approve)

    assert (value["1"]["error"], "secret" in json.dumps(value), seen) == ("denied", False, [])


async def test_a_callback_that_takes_too_long_leaves_the_cell_waiting_for_approval() -> None:
    record, seen = recorder(requires_approval=True)
    answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def approve(call: toolcell.ToolCall) -> str:
        return await answer

    async with a_run(all_of(call(1, "record", 5)), record, config=SHORT, approve=approve) as run:
        asked = await run.exec({"code": "x"})
        answer.set_result("approve")
        result = await run.wait({"runId": asked.run_id})

    assert (asked.status, asked.reason, result.value, seen) == ("waiting", "approval", {"1": 5}, [5])


async def test_a_client_tool_parks_at_once_and_delivery_settles_it() -> None:
    async with a_run(all_of(call(1, "pick", {"from": [1]})), client_tools=[PICK]) as run:
        asked = await run.exec({"code": "x"})
        assert asked.run_id is not None
        await run.deliver(asked.run_id, f"{asked.run_id}/1", value={"picked": 1})
        with pytest.raises(toolcell.CallNotPendingError):
            await run.deliver(asked.run_id, f"{asked.run_id}/1", value=2)
        result = await run.wait({"runId": asked.run_id})

    assert (asked.reason, [(p.tool, p.input) for p in asked.pending_tool_calls or ()]) == (
        "pending_tools",
        [("pick", {"from": [1]})],
    )
    assert result.value == {"1": {"picked": 1}}
    assert result.for_model().startswith("[untrusted tool data")


async def test_a_clients_error_is_a_tool_error() -> None:
    async with a_run(all_of(call(1, "pick", {})), client_tools=[PICK]) as run:
        asked = await run.exec({"code": "x"})
        assert asked.run_id is not None
        await run.deliver(asked.run_id, f"{asked.run_id}/1", error="cancelled by the user")
        result = await run.wait({"runId": asked.run_id})

    assert result.value == {"1": {"error": "client_error", "message": "cancelled by the user"}}


async def test_a_decision_wakes_a_wait_that_is_blocked() -> None:
    record, _ = recorder(requires_approval=True)

    async with a_run(all_of(call(1, "record", 5)), record) as run:
        asked = await run.exec({"code": "x"})
        assert asked.run_id is not None
        waiting = asyncio.create_task(run.wait({"runId": asked.run_id}))
        await asyncio.sleep(0)
        second = await run.wait({"runId": asked.run_id})
        await run.decide(asked.run_id, f"{asked.run_id}/1", "approve")
        result = await waiting

    assert (second.reason, result.value) == ("already_resuming", {"1": 5})
