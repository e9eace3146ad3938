"""A run, with a fake guest: exec, wait, decisions, client results, scopes, limits."""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

import toolcell
from toolcell.executor.protocol import CellSource
from toolcell.telemetry import Event
from toolcell.testing import FakeCall, FakeExecutor, FakeText, Guest, GuestError, all_of

FOREVER = {"enabled": True, "timeoutMs": 60_000}
SHORT = {"enabled": True, "timeoutMs": 100}


@toolcell.tool
async def add(a: int, b: int) -> int:
    return a + b


@toolcell.tool
def upper(text: str) -> str:
    return text.upper()


@toolcell.tool
async def boom() -> None:
    raise RuntimeError("disk full")


def recorder(**options: Any) -> tuple[toolcell.Tool, list[Any]]:
    seen: list[Any] = []

    @toolcell.tool(name="record", input_schema={}, raw_input=True, **options)
    async def record(given: Any) -> Any:
        seen.append(given)
        return given

    return record, seen


def call(number: int, target: str, given: Any = None, method: Any = "call_value") -> FakeCall:
    return FakeCall(number, method, target, None if given is None else json.dumps(given).encode())


@asynccontextmanager
async def a_run(
    program: Callable[[CellSource], Guest], *tools: Any, config: Any = FOREVER, **options: Any
) -> AsyncGenerator[toolcell.Run]:
    async with (
        toolcell.CodeMode(executor=FakeExecutor(program)) as code_mode,
        code_mode.run(tools=tools or [add], config=config, **options) as run,
    ):
        yield run


async def exec_all(*calls: FakeCall, tools: Any, **options: Any) -> Any:
    async with a_run(all_of(*calls), *tools, **options) as run:
        result = await run.exec({"code": "x"})
        assert result.status == "completed", result
        return result.value


async def test_calls_of_one_leg_come_back_together() -> None:
    value = await exec_all(call(1, "add", {"a": 1, "b": 2}), call(2, "host:core:upper", {"text": "x"}), tools=[add, upper])

    assert value == {"1": 3, "2": "X"}


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


async def test_no_more_calls_run_at_once_than_configured_and_they_start_in_call_order() -> None:
    running, most, order = 0, 0, list[int]()

    @toolcell.tool(name="work", input_schema={}, raw_input=True)
    async def work(number: Any) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        order.append(number)
        await asyncio.sleep(0)
        running -= 1

    await exec_all(*(call(n, "work", n) for n in range(1, 41)), tools=[work], config=FOREVER | {"maxPendingToolCalls": 4})

    assert (most, order) == (4, list(range(1, 41)))


@pytest.mark.parametrize(("options", "allowed"), [({"sequential": True}, 1), ({"max_concurrency": 3}, 3)])
async def test_a_tools_own_limit_of_calls_at_once_holds(options: dict[str, Any], allowed: int) -> None:
    running, most = 0, 0

    @toolcell.tool(**options)
    async def work() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1

    await exec_all(*(call(n, "work") for n in range(1, 11)), tools=[work])

    assert most == allowed


async def test_a_thousand_calls_that_settle_at_once_do_not_nest() -> None:
    value = await exec_all(*(call(n, "add", {"a": n, "b": 0}) for n in range(1, 1001)), tools=[add])

    assert value == {str(n): n for n in range(1, 1001)}


async def test_a_cell_whose_calls_never_wait_leaves_the_loop_to_others() -> None:
    def endless(_: CellSource) -> Guest:
        for number in itertools.count(1):
            yield [call(number, "add", {"a": 1, "b": 2})]
        return b"null"

    async with a_run(endless) as run:
        running = asyncio.create_task(run.exec("endless"))
        await asyncio.sleep(0.01)
        await run.abort()
        result = await running

    assert (result.status, result.code, result.reason) == ("failed", "aborted", "aborted")


async def test_sync_tools_run_at_the_same_time() -> None:
    barrier = threading.Barrier(3, timeout=20)

    @toolcell.tool
    def meet() -> int:
        return barrier.wait()

    value = await exec_all(*(call(n, "meet") for n in (1, 2, 3)), tools=[meet])

    assert sorted(value.values()) == [0, 1, 2]


async def test_search_and_describe_are_answered_from_the_catalog() -> None:
    searched = FakeCall(1, "search", "add numbers", limit=1)
    value = await exec_all(searched, FakeCall(2, "describe", "add"), FakeCall(3, "describe", "nope"), tools=[add, upper])

    assert ([hit["name"] for hit in value["1"]], "parameters" in value["2"], value["3"]["error"]) == (
        ["add"],
        True,
        "unknown_tool",
    )


async def test_timers_that_are_due_together_fire_by_due_time_then_number() -> None:
    fired = list[int]()

    def program(source: CellSource) -> Guest:
        settled = yield [FakeCall(1, "timer", delay_ms=30), FakeCall(2, "timer", delay_ms=0), FakeCall(3, "timer", delay_ms=10)]
        fired.extend(settled)
        while len(fired) < 3:
            fired.extend((yield ()))
        return b"null"

    async with a_run(program) as run:
        await run.exec({"code": "x"})

    assert fired == [2, 3, 1]


async def test_output_is_delivered_once() -> None:
    def program(source: CellSource) -> Guest:
        yield [FakeText("one"), FakeCall(1, "yield")]
        yield [FakeText("two"), FakeCall(2, "yield")]
        return b"3"

    async with a_run(program) as run:
        results = [await run.exec({"code": "x"})]
        while results[-1].status == "waiting":
            results.append(await run.wait({"runId": results[-1].run_id}))

    texts = [[item.text for item in result.output or () if isinstance(item, toolcell.TextOutput)] for result in results]
    assert texts == [["one"], ["two"], []]


async def test_output_before_a_failure_is_kept_and_the_run_stays_usable() -> None:
    def program(source: CellSource) -> Guest:
        if source.code == "bad":
            yield [FakeText("before"), call(1, "add", {"a": 1, "b": 1})]
            raise GuestError("Error: boom")
        return b"1"

    async with a_run(program, add) as run:
        failed = await run.exec({"code": "bad"})
        good = await run.exec({"code": "good"})

    assert (failed.status, failed.reason, failed.output, good.status) == (
        "failed",
        "guest_error",
        [toolcell.TextOutput(text="before")],
        "completed",
    )
    assert [(c.tool, c.outcome) for c in failed.calls or ()] == [("add", "ok")]


async def test_a_cell_that_returns_and_emits_nothing_gets_a_warning_that_names_its_calls() -> None:
    def program(source: CellSource) -> Guest:
        yield [call(1, "add", {"a": 1, "b": 1})]
        return b"null"

    async with a_run(program, add) as run:
        result = await run.exec({"code": "x"})

    assert (result.value, [("add" in text, "return" in text) for text in result.warnings or ()]) == (None, [(True, True)])


async def test_a_call_that_does_not_answer_in_time_leaves_the_cell_waiting_and_goes_on() -> None:
    release = asyncio.Event()
    calls = 0

    @toolcell.tool
    async def slow() -> str:
        nonlocal calls
        calls += 1
        await release.wait()
        return "done"

    async with a_run(all_of(call(1, "slow")), slow, config=SHORT) as run:
        first = await run.exec({"code": "x"})
        second = await run.wait({"runId": first.run_id})
        release.set()
        third = await run.wait({"runId": first.run_id})

    assert (first.status, first.reason, second.status, second.run_id) == ("waiting", "pending_tools", "waiting", first.run_id)
    assert (third.value, calls, third.telemetry.cell.restored) == ({"1": "done"}, 1, 1)


async def test_without_auto_drain_every_call_costs_a_wait() -> None:
    def program(source: CellSource) -> Guest:
        for number in (1, 2, 3):
            yield [call(number, "add", {"a": 1, "b": 1})]
        return b"3"

    async with a_run(program, add, config=FOREVER | {"autoDrain": False}) as run:
        results = [await run.exec({"code": "x"})]
        while results[-1].status == "waiting":
            results.append(await run.wait({"runId": results[-1].run_id}))

    assert [result.status for result in results] == ["waiting"] * 3 + ["completed"]
    assert (results[-1].telemetry.cell.legs, results[-1].telemetry.cell.restored) == (4, 3)


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


async def test_calls_that_wait_for_a_person_hold_no_slot() -> None:
    seen, all_others = list[Any](), asyncio.Event()

    @toolcell.tool(name="record", input_schema={}, raw_input=True)
    async def record(given: Any) -> None:
        seen.append(given)
        if len(seen) == 17:
            all_others.set()

    calls = [call(n, "record", n) for n in range(1, 21)]

    class Ask(toolcell.Policy):
        def decide(self, call: toolcell.ToolCall) -> Any:
            return "ask" if call.input in (1, 2, 3) else "allow"

    async with a_run(all_of(*calls), record, policy=Ask(), config=FOREVER | {"maxPendingToolCalls": 1}) as run:
        asked = await run.exec({"code": "x"})
        assert asked.run_id is not None
        await all_others.wait()
        before = sorted(seen)
        for number in (1, 2, 3):
            await run.decide(asked.run_id, f"{asked.run_id}/{number}", "approve")
        result = asked
        while result.status == "waiting":
            result = await run.wait({"runId": asked.run_id})

    assert (before, sorted(seen), result.status) == (list(range(4, 21)), list(range(1, 21)), "completed")


PICK = toolcell.ClientTool(name="pick", input_schema={"type": "object"})


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


async def test_a_cell_belongs_to_one_scope() -> None:
    executor = FakeExecutor(all_of(FakeCall(1, "yield")))
    async with toolcell.CodeMode(executor=executor, config=FOREVER) as code_mode:
        mine = toolcell.Scope("a", "s", "k", "r")
        partial = toolcell.Scope("a", "s", "k")
        async with (
            code_mode.run(tools=[add], scope=mine) as run,
            code_mode.run(tools=[add]) as other,
            code_mode.run(tools=[add], scope=partial) as vague,
            code_mode.run(tools=[add], scope=mine) as twin,
        ):
            cell, unclear = await run.exec({"code": "x"}), await vague.exec({"code": "x"})
            refused = [await other.wait({"runId": cell.run_id}), await vague.wait({"runId": unclear.run_id})]
            resumed = await twin.wait({"runId": cell.run_id})

    assert [(r.code, r.reason, r.error) for r in refused] == [
        ("invalid_input", "wrong_scope", "code mode run belongs to a different session.")
    ] * 2
    assert resumed.status == "completed"


async def test_a_finished_cell_is_an_unknown_run() -> None:
    async with a_run(all_of(FakeCall(1, "yield"))) as run:
        cell = await run.exec({"code": "x"})
        await run.wait({"runId": cell.run_id})
        again = await run.wait({"runId": cell.run_id})

    assert (again.reason, again.error) == ("unknown_run", "code mode run is unavailable or expired.")


async def test_an_idle_cell_expires_and_leaves_a_tombstone() -> None:
    async with a_run(all_of(FakeCall(1, "yield")), config=FOREVER | {"snapshotTtlSeconds": 1}) as run:
        cell = await run.exec({"code": "x"})
        await asyncio.sleep(1.1)
        expired = await run.wait({"runId": cell.run_id})

    assert (expired.reason, run.telemetry.continuations.expired) == ("snapshot_expired", 1)


async def test_the_clock_of_a_cell_does_not_run_while_an_approval_is_pending() -> None:
    record, _ = recorder(requires_approval=True)

    async with a_run(all_of(call(1, "record", 5)), record, config=SHORT | {"snapshotTtlSeconds": 1}) as run:
        cell = await run.exec({"code": "x"})
        await asyncio.sleep(1.2)
        still = await run.wait({"runId": cell.run_id})

    assert still.status == "waiting"


async def test_no_more_cells_are_suspended_than_configured_and_nothing_of_the_next_runs() -> None:
    record, seen = recorder()

    def program(source: CellSource) -> Guest:
        return all_of(FakeCall(1, "yield") if source.code == "park" else call(1, "record", 1))(source)

    executor = FakeExecutor(program)
    config = {"enabled": True, "maxSuspended": 2}
    async with toolcell.CodeMode(config, executor=executor) as code_mode, code_mode.run(tools=[record]) as run:
        first = await run.exec({"code": "park"})
        await run.exec({"code": "park"})
        refused = await run.exec({"code": "call"})
        before = list(seen)
        await run.wait({"runId": first.run_id})
        accepted = await run.exec({"code": "call"})

    assert (refused.reason, refused.error, before) == ("too_many_suspended", "too many suspended code mode runs.", [])
    assert (accepted.status, seen) == ("completed", [1])


async def test_abort_ends_a_running_cell_and_cancels_its_calls() -> None:
    started, cancelled = asyncio.Event(), asyncio.Event()

    @toolcell.tool
    async def hang() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async with a_run(all_of(call(1, "hang")), hang) as run:
        running = asyncio.create_task(run.exec({"code": "x"}))
        await started.wait()
        await run.abort()
        result = await running
        await cancelled.wait()

    assert (result.code, result.reason) == ("aborted", "aborted")
    assert [(c.tool, c.outcome) for c in result.calls or ()] == [("hang", "unknown")]


async def test_abort_ends_a_parked_cell() -> None:
    async with a_run(all_of(FakeCall(1, "yield"))) as run:
        cell = await run.exec({"code": "x"})
        await run.abort(cell.run_id)
        gone = await run.wait({"runId": cell.run_id})

    assert (gone.reason, run.telemetry.continuations.dropped) == ("unknown_run", 1)


async def test_a_cancelled_exec_cancels_its_calls() -> None:
    started, cancelled = asyncio.Event(), asyncio.Event()

    @toolcell.tool
    async def hang() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async with a_run(all_of(call(1, "hang")), hang) as run:
        running = asyncio.create_task(run.exec({"code": "x"}))
        await started.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await cancelled.wait()

    assert run.code_mode.cells == {}


async def test_a_cancelled_wait_leaves_the_cell_where_it_was() -> None:
    record, _ = recorder(requires_approval=True)

    async with a_run(all_of(call(1, "record", 5)), record) as run:
        cell = await run.exec({"code": "x"})
        assert cell.run_id is not None
        waiting = asyncio.create_task(run.wait({"runId": cell.run_id}))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await run.decide(cell.run_id, f"{cell.run_id}/1", "approve")
        result = await run.wait({"runId": cell.run_id})

    assert result.value == {"1": 5}


async def test_closing_the_run_drops_its_cells() -> None:
    executor = FakeExecutor(all_of(FakeCall(1, "yield")))
    scope = toolcell.Scope.unique()
    async with toolcell.CodeMode(FOREVER, executor=executor) as code_mode:
        async with code_mode.run(tools=[add], scope=scope) as run:
            cell = await run.exec({"code": "x"})
        async with code_mode.run(tools=[add], scope=scope) as later:
            gone = await later.wait({"runId": cell.run_id})

    assert gone.reason == "unknown_run"


async def test_a_run_that_is_not_engaged_refuses_cells_and_shows_its_tools() -> None:
    async with a_run(all_of(), add, config={"enabled": False}) as run:
        result = await run.exec({"code": "x"})

    assert (run.engaged, run.engagement_reason, [t.name for t in run.model_tools]) == (False, "disabled", ["add"])
    assert (result.status, result.code) == ("failed", "invalid_input")


async def test_an_engaged_run_without_an_executor_can_not_be_entered() -> None:
    async with toolcell.CodeMode(FOREVER, executor=FakeExecutor(all_of(), available=False)) as code_mode:
        with pytest.raises(toolcell.RuntimeUnavailableError):
            async with code_mode.run(tools=[add]):
                pass


async def test_an_executor_that_is_lost_later_gives_failed_results() -> None:
    executor = FakeExecutor(all_of(FakeCall(1, "yield")))
    async with toolcell.CodeMode(FOREVER, executor=executor) as code_mode, code_mode.run(tools=[add]) as run:
        cell = await run.exec({"code": "x"})
        executor.available = False
        failed = [await run.exec({"code": "x"}), await run.wait({"runId": cell.run_id})]
        executor.available = True
        resumed = await run.wait({"runId": cell.run_id})

    assert [(r.code, r.reason) for r in failed] == [("runtime_unavailable", "start_failed")] * 2
    assert resumed.status == "completed"


async def test_a_closed_run_can_not_be_used() -> None:
    async with a_run(all_of(), add) as run:
        pass

    with pytest.raises(toolcell.RunClosedError):
        await run.exec({"code": "x"})


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


async def test_a_restart_safe_cell_parks_at_each_call_and_its_id_follows_from_scope_code_and_ordinal() -> None:
    record, _ = recorder(replay_safe=True)
    scope = toolcell.Scope.unique()
    attempts = list[list[toolcell.CellResult]]()
    for _attempt in range(2):
        async with a_run(all_of(call(1, "record", 1)), record, scope=scope) as run:
            attempts.append([await run.exec({"code": "x", "restartSafe": True}) for _ in range(2)])

    ids = [[result.run_id for result in results] for results in attempts]
    assert (ids[0] == ids[1], len(set(ids[0]))) == (True, 2)
    assert {(result.status, result.replay_safe) for results in attempts for result in results} == {("waiting", True)}


async def test_a_side_effect_in_a_restart_safe_cell_is_refused_before_anything_of_its_leg_runs() -> None:
    record, seen = recorder(replay_safe=True)

    async with a_run(all_of(call(1, "record", 1), call(2, "add", {"a": 1, "b": 1})), record, add) as run:
        result = await run.exec({"code": "x", "restartSafe": True})

    assert (result.code, result.reason, seen) == ("invalid_input", "side_effect_in_restart_safe", [])


async def test_counters_and_events_tell_what_happened() -> None:
    events = list[Event]()
    async with a_run(all_of(call(1, "add", {"a": 1, "b": 1}), FakeCall(2, "search", "add")), add) as run:
        run.subscribe(events.append)
        result = await run.exec({"code": "x"})

    telemetry = result.telemetry
    assert (telemetry.exec_count, telemetry.call_count, telemetry.search_count, telemetry.visible_tools) == (
        1,
        1,
        1,
        ("exec", "wait"),
    )
    assert [type(event).__name__ for event in events] == [
        "ModelCallStarted",
        "CellStarted",
        "NestedCallStarted",
        "NestedCallFinished",
        "CellFinished",
        "ModelCallFinished",
    ]


async def test_a_listener_that_raises_changes_nothing() -> None:
    def listener(event: Event) -> None:
        raise RuntimeError("broken listener")

    async with a_run(all_of(), add) as run:
        run.subscribe(listener)
        result = await run.exec({"code": "x"})

    assert result.status == "completed"


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


async def test_an_adapter_passes_what_the_model_gave_and_only_objects_are_arguments() -> None:
    async with a_run(all_of(), add) as run:
        result = await run.call_model_tool("exec", {"code": "x"})
        refused = [await run.call_model_tool(name, "x") for name in ("exec", "wait")]
        with pytest.raises(toolcell.ToolcellError, match="not a tool of code mode"):
            await run.call_model_tool("add", {})

    assert (result.status, [r.code for r in refused]) == ("completed", ["invalid_input"] * 2)


async def test_code_alone_may_be_a_string() -> None:
    async with a_run(all_of(FakeCall(1, "yield")), add) as run:
        waiting = await run.exec("x")
        assert waiting.run_id is not None
        result = await run.wait(waiting.run_id)

    assert result.status == "completed"


async def test_what_settles_too_late_for_another_leg_is_kept_for_the_next_wait() -> None:
    @toolcell.tool
    def late() -> str:
        time.sleep(0.15)
        return "late"

    async with a_run(all_of(call(1, "late")), late, config=SHORT) as run:
        first = await run.exec({"code": "x"})
        second = await run.wait({"runId": first.run_id})

    assert (first.status, second.value) == ("waiting", {"1": "late"})
