"""The gateway met by clients as people have them: Python and JavaScript, over standard input and output and over HTTP."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fastmcp
import pytest
from fastmcp.client.transports import StdioTransport
from mcp import Client, StdioServerParameters

from support.clients import conformance, drive
from support.gateways import command, serving, write_tools

PARK = "await yield_control(); return 'resumed'"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("gateway")) as served:
        yield served


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_the_official_client_over_standard_input_and_output(tmp_path: Path, era: Any) -> None:
    program, *arguments = command("serve")
    server = StdioServerParameters(command=program, args=arguments, cwd=write_tools(tmp_path), env=dict(os.environ))

    async with Client(server, mode=era) as client:
        ran = (await client.call_tool("exec", {"code": "console.log('said'); return await add({a: 1, b: 2})"})).structured_content
        waiting = (await client.call_tool("exec", {"code": PARK})).structured_content
        resumed = (await client.call_tool("wait", {"runId": waiting["runId"]})).structured_content

    assert ran == {"status": "completed", "value": 3, "output": [{"type": "text", "text": "said"}]}
    assert resumed == {"status": "completed", "value": "resumed"}


async def test_with_a_store_a_later_process_goes_on_with_the_cells_of_a_client(tmp_path: Path) -> None:
    program, *arguments = command("serve", "--store", "cells.db", "--session", "desk")
    server = StdioServerParameters(command=program, args=arguments, cwd=write_tools(tmp_path), env=dict(os.environ))

    async with Client(server) as client:
        waiting = (await client.call_tool("exec", {"code": PARK})).structured_content
    async with Client(server) as client:
        resumed = (await client.call_tool("wait", {"runId": waiting["runId"]})).structured_content

    assert resumed == {"status": "completed", "value": "resumed"}


@pytest.mark.parametrize("over", ["stdio", "http"])
async def test_the_fastmcp_client(url: str, over: str, tmp_path: Path) -> None:
    program, *arguments = command("serve")
    folder = str(write_tools(tmp_path))
    where: Any = url if over == "http" else StdioTransport(program, arguments, env=dict(os.environ), cwd=folder, keep_alive=False)

    async with fastmcp.Client(where) as client:
        tools = [tool.name for tool in await client.list_tools()]
        ran = await client.call_tool("exec", {"code": "return await add({a: 1, b: 2})"})
        waiting = await client.call_tool("exec", {"code": PARK})
        resumed = await client.call_tool("wait", {"runId": (waiting.structured_content or {})["runId"]})

    assert tools == ["exec", "wait"]
    assert ran.structured_content == {"status": "completed", "value": 3}
    assert resumed.structured_content == {"status": "completed", "value": "resumed"}


@pytest.mark.parametrize(("decision", "decided"), [("approve", "completed"), ("deny", "failed")])
def test_the_official_client_in_javascript(url: str, decision: str, decided: str) -> None:
    report = drive("session.mjs", {"url": url, "approve": decision})

    assert (report["decided"].pop("status"), len(report.pop("asked"))) == (decided, 1)
    assert report["decided"].get("value") == ("paid 5" if decision == "approve" else None)
    del report["decided"]
    assert report == {
        "tools": ["exec", "wait"],
        "ran": {"status": "completed", "value": 3},
        "parked": "waiting",
        "resumed": {"status": "completed", "value": "resumed"},
    }


@pytest.mark.parametrize(
    "scenario", ["server-initialize", "ping", "tools-list", "server-sse-multiple-streams", "dns-rebinding-protection"]
)
def test_the_conformance_suite_passes(url: str, scenario: str) -> None:
    report = conformance(url, scenario)

    assert ", 0 failed, 0 warnings" in report


@pytest.mark.parametrize("how", ["end of input", "SIGTERM"])
def test_it_ends_when_its_client_is_gone_or_the_system_says_so(tmp_path: Path, how: str) -> None:
    hello = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    with subprocess.Popen(
        command("serve"), cwd=write_tools(tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(hello)
        process.stdin.flush()
        answered = process.stdout.readline()
        if how == "SIGTERM":
            process.send_signal(signal.SIGTERM)
        else:
            process.stdin.close()
        status = process.wait(timeout=30)

    assert (b'"result"' in answered, status) == (True, 0)
