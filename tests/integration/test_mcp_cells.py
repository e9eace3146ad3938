"""Cells that call the tools of real MCP servers."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import Any

import pytest

import toolcell
from support.mcp_servers import SERVERS, faulty, processes, until
from toolcell.mcp import connection as connection_module

PAGED = toolcell.McpServer.stdio("paged", [sys.executable, "-S", str(SERVERS / "paged.py")])


async def test_a_cell_gets_the_mcp_result_object(hosts: Any) -> None:
    run = await hosts.run(mcp=[PAGED])
    result = await run.exec({"code": "const r = await MCP.paged.echo({word: 'hi'}); return [r.structuredContent, r.isError]"})

    assert result.value == [{"said": "hi"}, False]


async def test_an_error_of_the_server_is_thrown_and_can_be_caught(hosts: Any) -> None:
    run = await hosts.run(mcp=[PAGED])
    result = await run.exec({"code": "try { await MCP.paged.fail() } catch (e) { return [e.name, e.message, e.tool, e.code] }"})

    assert result.value == ["ToolError", "no such thing", "fail", "tool_failed"]


async def test_bytes_of_a_picture_never_enter_a_cell(hosts: Any) -> None:
    run = await hosts.run(mcp=[PAGED])
    result = await run.exec({"code": "return Object.keys((await MCP.paged.picture()).content[1])"})

    assert "data" not in result.value


async def test_an_after_hook_may_replace_a_result_by_a_plain_value(hosts: Any) -> None:
    class Shorten:
        def after_tool_call(self, call: toolcell.ToolCall, result: toolcell.ToolResult) -> toolcell.Replace:
            return toolcell.Replace("short")

    run = await hosts.run(mcp=[PAGED], hooks=[Shorten()])

    assert (await run.exec({"code": "return await MCP.paged.echo({word: 'hi'})"})).value == "short"


async def test_a_server_killed_in_mid_call_fails_that_call_of_the_cell_and_no_other(
    hosts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "FIRST_BACK_OFF_S", 0.0)
    (server, mark), (other, _) = faulty(), faulty("other")
    run = await hosts.run(mcp=[server, other])
    code = """
        const lost = MCP.faulty.hang().catch(e => [e.name, e.code, e.retryable, e.message]);
        const slept = MCP.other.slow({ms: 800});
        return [await lost, unwrap(await slept), unwrap(await MCP.faulty.echo({again: true}))];
    """
    running = asyncio.ensure_future(run.exec({"code": code}))
    await until(lambda: processes(mark))
    [first] = processes(mark)
    await until(lambda: run.telemetry.bridge_calls.call >= 2)
    await asyncio.sleep(0.1)
    os.kill(first, signal.SIGKILL)

    assert (await running).value == [
        ["ToolError", "server_lost", False, "MCP server faulty was lost during the call; it may have taken effect"],
        "slept",
        {"again": True},
    ]


async def test_a_call_that_may_have_taken_effect_is_unknown_to_the_model(hosts: Any) -> None:
    server, _ = faulty(timeout_ms=300)
    run = await hosts.run(mcp=[server])
    result: toolcell.CellResult = await run.exec({"code": "await MCP.faulty.echo(); await MCP.faulty.hang()"})

    assert (result.reason, [(call.tool, call.outcome) for call in result.calls or []]) == (
        "nested_tool_failed",
        [("echo", "ok"), ("hang", "unknown")],
    )
    assert "MCP server faulty did not answer within 300 ms" in (result.error or "")


async def test_a_server_that_changes_its_tools_while_a_cell_is_suspended_is_called_by_what_it_has_then(hosts: Any) -> None:
    server, _ = faulty()
    run = await hosts.run(mcp=[server])
    code = """
        await MCP.faulty.change();
        await yield_control("later");
        let gone;
        try { gone = await MCP.faulty.odd() } catch (e) { gone = `${e.name}: ${e.message}` }
        return [gone, unwrap(await MCP.faulty.echo({still: 1}))];
    """
    waiting = await run.exec({"code": code})
    result = await run.wait({"runId": waiting.run_id})
    fresh = await run.exec({"code": "return unwrap(await MCP.faulty.later())"})

    assert (waiting.status, result.status, fresh.value) == ("waiting", "completed", "later")
    assert result.value == ["TypeError: not a function", {"still": 1}]


async def test_what_a_server_sends_in_excess_fails_its_call_and_leaves_the_cell(hosts: Any) -> None:
    server, _ = faulty()
    run = await hosts.run(mcp=[server])
    code = """
        const huge = await MCP.faulty.huge().catch(e => e.message);
        return [huge, unwrap(await MCP.faulty.garbage())];
    """

    assert (await run.exec({"code": code})).value == ["the server's answer is longer than 16777216 bytes", "after garbage"]
