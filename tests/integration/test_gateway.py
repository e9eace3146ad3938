"""The gateway in its host's process, met by the official client of both eras of the protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, Literal

import jsonschema_rs
import mcp_types as types
import pytest
from mcp import Client, MCPError

import toolcell
from toolcell.gateway import Gateway
from toolcell.gateway.answer import OUTPUT_SCHEMA
from toolcell.gateway.sessions import MAX_REQUESTS

ERAS = ["auto", "legacy"]
Era = Literal["auto", "legacy"]

paid: list[int] = []
added: list[int] = []


@toolcell.tool
async def add(a: int, b: int) -> int:
    added.append(a)
    return a + b


@toolcell.tool(requires_approval=True)
async def pay(amount: int) -> str:
    paid.append(amount)
    return f"paid {amount}"


@toolcell.tool(requires_approval=True)
async def send(to: str) -> None:
    pass


@toolcell.tool
async def slow(context: toolcell.CallContext) -> str:
    """Reports progress and waits until it is given up."""
    context.report_progress({"progress": 1, "total": 3, "message": "one of three"})
    await context.signal.wait()
    return "given up"


@toolcell.tool(direct_only=True)
async def show_picture() -> None:
    pass


@pytest.fixture
async def code_mode() -> AsyncIterator[toolcell.CodeMode]:
    paid.clear()
    added.clear()
    async with toolcell.CodeMode() as opened:
        yield opened


@pytest.fixture
async def gateway(code_mode: toolcell.CodeMode) -> AsyncIterator[Gateway]:
    async with Gateway(code_mode, tools=[add, pay, send, slow]) as opened:
        yield opened


async def data(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert jsonschema_rs.is_valid(OUTPUT_SCHEMA, result.structured_content)
    return result.structured_content


class Person:
    """Answers every question alike and remembers them."""

    def __init__(self, action: Literal["accept", "decline", "cancel"], **content: Any) -> None:
        self.answer = types.ElicitResult(action=action, content=content or None)
        self.asked: list[str] = []

    async def __call__(self, context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params.message)
        return self.answer


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_sees_exec_and_wait_with_what_can_be_said_of_them(gateway: Gateway, era: Era) -> None:
    async with Client(gateway.server, mode=era) as client:
        listed = (await client.list_tools()).tools

    assert [tool.name for tool in listed] == ["exec", "wait"]
    assert "- add(" in str(listed[0].description)
    for tool in listed:
        assert tool.annotations is not None
        assert tool.annotations.model_dump(exclude_none=True) == {
            "read_only_hint": False, "destructive_hint": True, "idempotent_hint": False, "open_world_hint": True,
        }  # fmt: skip
        assert tool.output_schema == OUTPUT_SCHEMA


@pytest.mark.parametrize("era", ERAS)
async def test_a_cell_runs_waits_and_is_resumed(gateway: Gateway, era: Era) -> None:
    async with Client(gateway.server, mode=era) as client:
        completed = await data(client, "exec", code="return await add({a: 1, b: 2})")
        waiting = await data(client, "exec", code="text('on its way'); await yield_control(); return null")
        resumed = await data(client, "wait", runId=waiting["runId"])

    assert completed == {"status": "completed", "value": 3}
    assert (waiting["reason"], waiting["output"]) == ("yield", [{"type": "text", "text": "on its way"}])
    assert resumed == {"status": "completed", "value": None}


async def test_text_and_data_say_the_same(gateway: Gateway) -> None:
    async with Client(gateway.server) as client:
        result = await client.call_tool("exec", {"code": "json({a: 1}); return [1n << 70n]"})

    [block] = result.content
    assert isinstance(block, types.TextContent)
    assert json.loads(block.text) == result.structured_content
    assert result.structured_content["value"] == [1 << 70]


@pytest.mark.parametrize("era", ERAS)
async def test_what_is_nested_too_deeply_for_clients_is_its_json(gateway: Gateway, era: Era) -> None:
    async with Client(gateway.server, mode=era) as client:
        result = await data(client, "exec", code="let v = 7; for (let i = 0; i < 400; i++) v = [v]; return v")

    assert json.dumps(result["value"]) == f'{"[" * 127}"{"[" * 273}7{"]" * 273}"{"]" * 127}'


async def test_what_the_model_did_wrong_is_an_error_of_the_tool(gateway: Gateway) -> None:
    async with Client(gateway.server) as client:
        result = await client.call_tool("exec", {"code": "throw new Error('no')"})
        without_code = await client.call_tool("exec", {})
        unknown_run = await client.call_tool("wait", {"runId": "cell_0"})

    reasons = [(one.is_error, one.structured_content["code"]) for one in (result, without_code, unknown_run)]
    assert reasons == [(True, "internal_error"), (True, "invalid_input"), (True, "invalid_input")]


async def test_another_tool_is_an_error_of_the_protocol(gateway: Gateway) -> None:
    async with Client(gateway.server) as client:
        with pytest.raises(MCPError, match="exec and wait are"):
            await client.call_tool("add", {"a": 1, "b": 2})


async def test_a_client_that_wants_to_is_told_of_progress(gateway: Gateway) -> None:
    told: list[str] = []
    heard = asyncio.Event()

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append(str(message))
        if told[-1] == "slow: one of three":
            heard.set()

    async with Client(gateway.server, mode="legacy") as client:
        running = asyncio.create_task(client.call_tool("exec", {"code": "await slow()"}, progress_callback=note))
        await heard.wait()
        running.cancel()

    assert told[-1] == "slow: one of three"


@pytest.mark.parametrize("era", ERAS)
async def test_a_cancelled_request_ends_its_cell_and_its_calls(code_mode: toolcell.CodeMode, era: Era) -> None:
    called, given_up = asyncio.Event(), asyncio.Event()

    @toolcell.tool
    async def wait_long(context: toolcell.CallContext) -> None:
        called.set()
        context.signal.on_abort(given_up.set)
        await asyncio.sleep(3_600)

    async with Gateway(code_mode, tools=[wait_long]) as gateway, Client(gateway.server, mode=era) as client:
        running = asyncio.create_task(client.call_tool("exec", {"code": "await wait_long()"}))
        await called.wait()
        running.cancel()
        await given_up.wait()
        await code_mode.flush()

        assert code_mode.cells == {}


@pytest.mark.parametrize("era", ERAS)
async def test_a_cancelled_wait_ends_its_cell(code_mode: toolcell.CodeMode, era: Era) -> None:
    given_up = asyncio.Event()

    @toolcell.tool
    async def wait_long(context: toolcell.CallContext) -> None:
        context.signal.on_abort(given_up.set)
        await asyncio.sleep(3_600)

    options = {"timeoutMs": 300}
    async with Gateway(code_mode, tools=[wait_long], config=options) as gateway, Client(gateway.server, mode=era) as client:
        parked = await data(client, "exec", code="await wait_long()")
        waiting = asyncio.create_task(client.call_tool("wait", {"runId": parked["runId"]}))
        await asyncio.sleep(0.05)
        waiting.cancel()
        await given_up.wait()
        await code_mode.flush()
        after = await data(client, "wait", runId=parked["runId"])

    assert after["reason"] == "unknown_run"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("person", "value", "charged"),
    [
        (Person("accept", decision="approve"), "paid 5", [5]),
        (Person("accept", decision="deny"), "ToolDeniedError", []),
        (Person("decline"), "ToolDeniedError", []),
    ],
)
async def test_the_person_behind_the_client_decides(
    gateway: Gateway, era: Era, person: Person, value: str, charged: list[int]
) -> None:
    person.asked.clear()
    async with Client(gateway.server, mode=era, elicitation_callback=person) as client:
        result = await data(
            client, "exec", code="text('before'); try { return await pay({amount: 5}) } catch (error) { return error.name }"
        )

    assert result == {"status": "completed", "value": value, "output": [{"type": "text", "text": "before"}]}
    assert (paid, len(person.asked)) == (charged, 1)
    assert 'host:core:pay with {"amount": 5}' in person.asked[0]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("person", [Person("cancel"), Person("accept"), Person("accept", decision="yes, all of them")])
async def test_without_a_decision_the_call_waits_and_never_reaches_the_tool(gateway: Gateway, era: Era, person: Person) -> None:
    async with Client(gateway.server, mode=era, elicitation_callback=person) as client:
        result = await data(client, "exec", code="text('before'); return await pay({amount: 5})")

    assert (result["status"], result["reason"], result["output"]) == ("waiting", "approval", [{"type": "text", "text": "before"}])
    assert paid == []


async def test_calls_that_come_up_one_after_the_other_are_asked_one_after_the_other(gateway: Gateway) -> None:
    person = Person("accept", decision="approve")
    async with Client(gateway.server, elicitation_callback=person) as client:
        result = await data(
            client, "exec", code="await Promise.all([pay({amount: 1}), pay({amount: 2})]); return pay({amount: 3})"
        )

    assert (result["value"], paid, len(person.asked)) == ("paid 3", [1, 2, 3], 3)


async def test_a_question_shows_what_can_not_be_seen(gateway: Gateway) -> None:
    person = Person("decline")
    code = r"await send({to: '\u202egpj.exe\n'}).catch(error => error.name)"
    async with Client(gateway.server, elicitation_callback=person) as client:
        await data(client, "exec", code=code)

    assert person.asked == [r'A program wants to call host:core:send with {"to": "\u202egpj.exe\n"}. Approve the call?']


@pytest.mark.parametrize("era", ERAS)
async def test_where_nobody_can_be_asked_the_host_decides(gateway: Gateway, era: Era, caplog: pytest.LogCaptureFixture) -> None:
    async with Client(gateway.server, mode=era) as client:
        waiting = await data(client, "exec", code="return await pay({amount: 5})")
        [said] = [record.args for record in caplog.records if record.name == "toolcell.gateway"]
        assert isinstance(said, tuple)
        session, call_id, tool = map(str, said)
        await gateway.decide(session, waiting["runId"], call_id, "approve")
        result = await data(client, "wait", runId=waiting["runId"])

    assert (tool, result["value"], paid) == ("pay", "paid 5", [5])


async def test_a_host_may_keep_approvals_to_itself(code_mode: toolcell.CodeMode) -> None:
    person = Person("accept", decision="approve")

    gateway = Gateway(code_mode, tools=[pay], elicit=False)
    async with gateway, Client(gateway.server, elicitation_callback=person) as client:
        result = await data(client, "exec", code="return await pay({amount: 5})")

    assert (result["reason"], person.asked, paid) == ("approval", [], [])


async def test_an_approval_callback_is_asked_in_place_of_the_person(code_mode: toolcell.CodeMode) -> None:
    person = Person("accept", decision="approve")

    gateway = Gateway(code_mode, tools=[pay], approve=lambda call: "deny")
    async with gateway, Client(gateway.server, elicitation_callback=person) as client:
        result = await data(client, "exec", code="return await pay({amount: 5})")

    assert (result["reason"], person.asked, paid) == ("nested_tool_failed", [], [])


async def test_a_direct_only_tool_is_refused_at_the_start(code_mode: toolcell.CodeMode) -> None:
    with pytest.raises(toolcell.ToolDefinitionError, match="direct-only"):
        async with Gateway(code_mode, tools=[show_picture]):
            pass


async def test_an_idle_session_ends_and_its_cells_with_it(code_mode: toolcell.CodeMode) -> None:
    async with Gateway(code_mode, tools=[add], idle_seconds=0.2) as gateway, Client(gateway.server) as client:
        waiting = await data(client, "exec", code="await yield_control()")
        while len(gateway.sessions):  # noqa: ASYNC110 - nobody is told of the end of a session
            await asyncio.sleep(0.05)
        after = await data(client, "wait", runId=waiting["runId"])

    assert after["reason"] == "unknown_run"


async def test_requests_beyond_those_that_a_session_may_have_are_refused_and_run_nothing(gateway: Gateway) -> None:
    async with Client(gateway.server) as client:
        many = [client.call_tool("exec", {"code": "return add({a: 1, b: 2})"}) for _ in range(MAX_REQUESTS + 3)]
        answers = await asyncio.gather(*many, return_exceptions=True)
        after = await data(client, "exec", code="return add({a: 1, b: 2})")

    refused = [answer for answer in answers if isinstance(answer, MCPError)]
    assert [error.data for error in refused] == [{"code": "too_many_requests"}] * 3
    assert (len(added), after) == (MAX_REQUESTS + 1, {"status": "completed", "value": 3})
