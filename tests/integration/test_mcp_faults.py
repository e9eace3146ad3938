"""Faults of real MCP servers: the right error in the right call, the others unharmed, nothing left running."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from typing import Any

import pytest

from support.mcp_servers import call, connected, faulty, processes, said, until
from toolcell.catalog import CallContext
from toolcell.catalog.failure import CallFailedError
from toolcell.mcp import McpConnections, McpServer, listing
from toolcell.mcp import connection as connection_module


def nested(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels):
        value = {"a": value}
    return value


async def failure(work: Any) -> tuple[str, str, bool, bool]:
    """Message, code, whether it may be tried again, and whether it may have taken effect."""
    with pytest.raises(CallFailedError) as raised:
        await work
    error = raised.value
    return str(error), error.code, error.retryable, error.outcome_unknown


async def test_nothing_is_started_before_it_is_needed_and_nothing_is_left_after_close() -> None:
    server, mark = faulty()
    connections = McpConnections([server])
    idle = [state.status for state in connections.states()]
    before = processes(mark)
    await connections.ready()
    while_open = len(processes(mark))
    await connections.close()
    await connections.close()

    assert (idle, before, while_open, processes(mark)) == (["idle"], [], 1, [])
    assert [state.status for state in connections.states()] == ["closed"]


async def test_a_server_killed_in_mid_call_fails_that_call_and_is_started_again_by_the_next() -> None:
    (server, mark), (other, _) = faulty(), faulty("other")
    async with connected(server, other) as connections:
        version = connections.version
        [first] = processes(mark)
        hanging = asyncio.ensure_future(failure(call(connections, "hang", server="faulty")))
        unharmed = asyncio.ensure_future(said(connections, "slow", {"ms": 300}, server="other"))
        assert await said(connections, "pid", server="faulty") == str(first)
        await asyncio.sleep(connection_module.FIRST_BACK_OFF_S)
        os.kill(first, signal.SIGKILL)

        assert await hanging == (
            "MCP server faulty was lost during the call; it may have taken effect", "server_lost", False, True
        )  # fmt: skip
        assert await unharmed == "slept"
        assert await said(connections, "pid", server="faulty") != str(first)
        assert (len(processes(mark)), connections.version, connections.failures) == (1, version, {})
    assert processes(mark) == []


async def test_a_server_that_dies_at_each_call_is_not_restarted_faster_than_its_back_off_allows() -> None:
    server, mark = faulty()
    async with connected(server) as connections:
        codes: list[str] = []
        for _ in range(3):
            _, code, retryable, _ = await failure(call(connections, "die"))
            codes.append(code if not retryable else f"{code}, try again")

        assert codes == ["server_lost", "server_unavailable, try again", "server_unavailable, try again"]
        assert (processes(mark), [state.status for state in connections.states()]) == ([], ["lost"])
        assert {tool.name for tool in connections.tools} >= {"die", "echo"}


async def test_a_server_that_never_answers_a_call_fails_it_in_time_and_is_told() -> None:
    server, _ = faulty(timeout_ms=300)
    async with connected(server) as connections:
        outcome = await failure(call(connections, "hang"))

        assert outcome == ("MCP server faulty did not answer within 300 ms", "timeout", True, True)
        assert len(await said(connections, "cancelled")) > len("[]")
        assert await said(connections, "echo", {"still": "there"}) == '{"still": "there"}'


async def test_a_call_that_is_aborted_is_cancelled_on_the_server() -> None:
    server, _ = faulty()
    async with connected(server) as connections:
        hanging = asyncio.ensure_future(call(connections, "hang"))
        await said(connections, "echo")
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging

        assert len(await said(connections, "cancelled")) > len("[]")


@pytest.mark.parametrize("fault", ["silent", "no-list"])
async def test_a_server_that_never_gets_ready_is_left_out_in_time_and_ended(fault: str) -> None:
    (server, mark), (other, _) = faulty(fault=fault, connect_timeout_ms=700), faulty("other")
    async with connected(server, other) as connections:
        assert connections.failures == {"faulty": "did not answer within 700 ms"}
        assert (processes(mark), {tool.owner for tool in connections.tools}) == ([], {"other"})
        assert [state.status for state in connections.states()] == ["failed", "connected"]


async def test_lines_that_are_no_messages_are_passed_over_and_counted() -> None:
    server, _ = faulty()
    async with connected(server) as connections:
        assert await said(connections, "garbage") == "after garbage"
        [state] = connections.states()
        assert (state.status, state.garbage_lines > 2, state.stderr) == ("connected", True, "said on stderr\n")


async def test_a_server_that_prints_before_and_between_its_messages_works() -> None:
    server, _ = faulty(fault="noisy")
    async with connected(server) as connections:
        assert await said(connections, "echo", {"a": 1}) == '{"a": 1}'


async def test_a_server_that_only_prints_is_ended() -> None:
    server, mark = faulty(fault="flood")
    async with connected(server) as connections:
        await until(lambda: connections.failures and not processes(mark))


@pytest.mark.parametrize("where", ["first", "last"])
async def test_an_answer_that_is_too_long_fails_its_own_call_only(where: str) -> None:
    server, _ = faulty()
    async with connected(server) as connections:
        unharmed = asyncio.ensure_future(said(connections, "slow", {"ms": 500}))
        outcome = await failure(call(connections, "huge", {"id": where}))

        assert outcome == ("the server's answer is longer than 16777216 bytes", "tool_failed", False, False)
        assert await unharmed == "slept"
        assert len(await said(connections, "huge", {"bytes": 1_000_000, "id": where})) == 1_000_000


async def test_an_answer_that_is_nested_too_deeply_fails_its_own_call_only() -> None:
    server, _ = faulty()
    async with connected(server) as connections:
        outcome = await failure(call(connections, "deep"))

        assert outcome == ("the server's answer can't be read", "tool_failed", False, False)
        assert await said(connections, "echo") == "{}"


async def test_a_list_that_repeats_its_cursor_ends_there() -> None:
    server, _ = faulty(fault="loop")
    async with connected(server) as connections:
        assert connections.failures == {}
        assert len({tool.name for tool in connections.tools}) == len(connections.tools) > 5


async def test_a_list_without_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MAX_PAGES", 20)
    server, _ = faulty(fault="endless")
    async with connected(server) as connections:
        assert [tool.name for tool in connections.tools] == [f"tool_{number}" for number in range(1, 21)]


async def test_a_changed_list_is_known_when_the_connections_are_ready_again() -> None:
    changes: list[tuple[str, str]] = []
    server, _ = faulty()

    def list_changed(name: str, kind: str) -> None:
        changes.append((name, kind))

    async with connected(server, on_list_changed=list_changed) as connections:
        version, before = connections.version, {tool.name: tool for tool in connections.tools}
        await said(connections, "change")
        await connections.ready()
        after = {tool.name: tool for tool in connections.tools}

        assert (connections.version > version, changes) == (True, [("faulty", "tools")])
        assert (set(after) - set(before), set(before) - set(after)) == ({"later"}, {"odd"})
        assert after["echo"] is before["echo"]
        assert await said(connections, "later") == "later"


async def test_an_error_of_the_server_is_the_calls_own() -> None:
    server, _ = faulty()
    async with connected(server) as connections:
        assert await failure(call(connections, "refuse")) == ("not today", "tool_failed", False, False)


async def test_an_error_with_the_code_of_a_lost_connection_is_the_servers_own_and_loses_none() -> None:
    server, _ = faulty()
    async with connected(server) as connections:
        before = await said(connections, "pid")

        assert await failure(call(connections, "refuse", {"code": -32000})) == ("not today", "tool_failed", False, False)
        assert await said(connections, "pid") == before


async def test_a_result_of_another_shape_is_made_one() -> None:
    server, _ = faulty()
    async with connected(server) as connections:
        message, code, _, _ = await failure(call(connections, "odd"))

        assert (message, code) == ("the server's answer can't be read", "tool_failed")


async def test_what_a_server_started_ends_with_it() -> None:
    server, mark = faulty(fault="child")
    async with connected(server):
        await until(lambda: len(processes(mark)) == 2)
    assert processes(mark) == []


async def test_a_server_that_does_not_want_to_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolcell.mcp.stdio.EXIT_GRACE_S", 0.2)
    server, mark = faulty(fault="stubborn")
    async with connected(server):
        assert len(processes(mark)) == 1
    assert processes(mark) == []


async def test_closing_while_a_server_starts_leaves_nothing() -> None:
    server, mark = faulty(fault="silent")
    connections = McpConnections([server])
    starting = asyncio.ensure_future(connections.ready())
    await until(lambda: processes(mark))
    await connections.close()
    await starting

    assert processes(mark) == []


async def test_calls_beyond_a_servers_own_limit_wait_for_their_turn() -> None:
    server, _ = faulty(max_concurrency=1, timeout_ms=1_000)
    async with connected(server) as connections:
        hanging = asyncio.ensure_future(failure(call(connections, "hang")))
        await asyncio.sleep(0)
        waiting = asyncio.ensure_future(said(connections, "echo"))

        assert (await hanging)[1] == "timeout"
        assert await waiting == "{}"  # its own time began when its turn came


async def test_a_server_that_failed_is_tried_again_after_its_back_off(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "FIRST_BACK_OFF_S", 0.05)
    good, mark = faulty()
    program = tmp_path / "server"
    async with connected(McpServer.stdio("late", [str(program)])) as connections:
        failed = connections.failures
        program.write_text("#!/bin/sh\nexec " + " ".join(f"'{part}'" for part in good.command) + "\n")
        program.chmod(0o755)
        await asyncio.sleep(0.06)
        await connections.ready()
        await until(lambda: connections.tools)

        assert (failed, connections.failures) == ({"late": f"{program} can't be started: No such file or directory"}, {})
        assert await said(connections, "echo") == "{}"
    assert processes(mark) == []


async def test_progress_reaches_the_host() -> None:
    reports: list[Any] = []
    server, _ = faulty()
    async with connected(server) as connections:
        await call(connections, "progress", context=CallContext(call_id="a", tool_id="b", report_progress=reports.append))

    assert reports == [{"progress": step, "total": 2, "message": f"step {step}"} for step in (1, 2)]


async def test_a_server_sees_no_more_of_the_hosts_environment_than_what_is_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    server, _ = faulty(env={"GIVEN": "1"})
    async with connected(server) as connections:
        seen = json.loads(await said(connections, "env"))

    assert set(seen) - {"LC_CTYPE"} <= {"GIVEN", "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}
    assert (seen["GIVEN"], seen["PATH"]) == ("1", os.environ["PATH"])


@pytest.mark.parametrize("given", [{"text": "\ud800"}, nested(400)])
async def test_an_input_that_cannot_be_written_fails_its_own_call_only(given: Any) -> None:
    server, _ = faulty()
    async with connected(server) as connections:
        unharmed = asyncio.ensure_future(said(connections, "slow"))
        message, code, _, unknown = await failure(call(connections, "echo", given))

        assert (code, unknown) == ("tool_failed", False), message
        assert await unharmed == "slept"
        assert await said(connections, "echo") == "{}"
