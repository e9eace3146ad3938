"""`toolcell serve --http`, as a process of its own."""

from __future__ import annotations

import asyncio
import functools
import itertools
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from support.gateways import CLIENT, call, command, open_session, send, serving
from toolcell.errors import ConfigError
from toolcell.gateway import HttpAddress, serve_http

PARK = "await yield_control(); return 'resumed'"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("gateway")) as served:
        yield served


async def test_the_official_client_runs_suspends_and_resumes(url: str) -> None:
    async with Client(url) as client:
        waiting = (await client.call_tool("exec", {"code": PARK})).structured_content
        result = (await client.call_tool("wait", {"runId": waiting["runId"]})).structured_content

    assert result == {"status": "completed", "value": "resumed"}


def test_a_cell_is_resumed_by_its_session_over_another_connection(url: str) -> None:
    session = open_session(url)

    waiting = call(url, session, "exec", code=PARK)
    result = call(url, session, "wait", runId=waiting["runId"])

    assert result == {"status": "completed", "value": "resumed"}


def test_two_sessions_can_not_touch_each_others_cells(url: str) -> None:
    owner, other = open_session(url), open_session(url)
    waiting = call(url, owner, "exec", code=PARK)

    refused = call(url, other, "wait", runId=waiting["runId"])
    result = call(url, owner, "wait", runId=waiting["runId"])

    assert (refused["reason"], result["value"]) == ("wrong_scope", "resumed")


async def test_without_sessions_in_the_protocol_the_run_id_is_the_only_key(url: str) -> None:
    async with Client(url) as owner, Client(url) as other:
        waiting = (await owner.call_tool("exec", {"code": PARK})).structured_content
        cell, _, key = waiting["runId"].partition(".")
        forged = [cell, f"{cell}.{'0' * 32}", f"{cell}.{key}0"]
        refused = [(await other.call_tool("wait", {"runId": run_id})).structured_content["code"] for run_id in forged]
        result = (await owner.call_tool("wait", {"runId": waiting["runId"]})).structured_content

    assert (refused, result["value"]) == (["invalid_input"] * 3, "resumed")


async def test_a_wait_that_is_refused_does_not_disturb_the_one_that_goes_on(url: str) -> None:
    code = "await yield_control(); await new Promise(done => setTimeout(done, 500)); return 'resumed'"
    async with Client(url) as client:
        waiting = (await client.call_tool("exec", {"code": code})).structured_content
        both = await asyncio.gather(*(client.call_tool("wait", {"runId": waiting["runId"]}) for _ in range(2)))

    results = sorted((one.structured_content for one in both), key=lambda result: result["status"])
    assert (results[0], results[1]["reason"]) == ({"status": "completed", "value": "resumed"}, "already_resuming")


async def test_a_client_without_a_session_can_not_name_that_of_another(url: str) -> None:
    session = open_session(url)
    waiting = call(url, session, "exec", code=PARK)
    modern = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "wait", "arguments": {"runId": waiting["runId"]}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": CLIENT["clientInfo"],
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }}  # fmt: skip
    headers = {**session, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "wait"}

    _, _, refused = send(url, "POST", modern, headers)

    assert refused["result"]["structuredContent"]["reason"] == "wrong_scope"
    assert call(url, session, "wait", runId=waiting["runId"])["value"] == "resumed"


def test_a_session_that_its_client_ends_is_gone_with_its_cells(url: str) -> None:
    session = open_session(url)
    call(url, session, "exec", code=PARK)

    ended, _, _ = send(url, "DELETE", headers=session)
    after, _, _ = send(url, "POST", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, session)

    assert (ended, after) == (200, 404)


@pytest.mark.timeout(120)
async def test_two_hundred_sessions_run_at_once_and_each_gets_its_own_back(url: str) -> None:
    all_parked, parked = asyncio.Event(), itertools.count(1)

    async def one(number: int, tool: Callable[..., Awaitable[Any]]) -> Any:
        waiting = await tool("exec", code=f"const mine = {number}; await yield_control(); return add({{a: mine, b: 1}})")
        if next(parked) == 200:
            all_parked.set()
        await all_parked.wait()
        return await tool("wait", runId=waiting["runId"])

    async def plain(number: int) -> Any:
        session = await asyncio.get_running_loop().run_in_executor(threads, open_session, url)

        async def tool(name: str, **arguments: Any) -> Any:
            work = functools.partial(call, url, session, name, **arguments)
            return await asyncio.get_running_loop().run_in_executor(threads, work)

        return await one(number, tool)

    async def official(number: int) -> Any:
        async with Client(streamable_http_client(url, http_client=http)) as client:

            async def tool(name: str, **arguments: Any) -> Any:
                return (await client.call_tool(name, arguments)).structured_content

            return await one(number, tool)

    limits = httpx2.Limits(max_connections=None)
    with ThreadPoolExecutor(32) as threads:
        async with httpx2.AsyncClient(limits=limits, timeout=100) as http:
            results = await asyncio.gather(*(official(n) if n % 5 == 0 else plain(n) for n in range(200)))

    assert results == [{"status": "completed", "value": number + 1} for number in range(200)]


def test_more_sessions_than_allowed_are_refused_and_the_others_go_on(tmp_path: Path) -> None:
    with serving(tmp_path, "--max-sessions", "2") as url:
        first, _ = open_session(url), open_session(url)
        status, _, refused = send(url, "POST", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": CLIENT})

        assert (status, refused["error"]["message"]) == (503, "Too many open sessions")
        assert call(url, first, "exec", code="return 1")["value"] == 1
        send(url, "DELETE", headers=first)
        assert call(url, open_session(url), "exec", code="return 2")["value"] == 2


async def test_without_sessions_in_the_protocol_their_number_is_bounded_too(tmp_path: Path) -> None:
    with serving(tmp_path, "--max-sessions", "1") as url:
        async with Client(url) as client:
            await client.call_tool("exec", {"code": PARK})
            with pytest.raises(Exception, match="1 sessions are open"):
                await client.call_tool("exec", {"code": "return 1"})


async def test_with_a_store_a_cell_outlives_its_gateway(tmp_path: Path) -> None:
    with serving(tmp_path, "--store", "cells.db") as url:
        async with Client(url) as client:
            waiting = (await client.call_tool("exec", {"code": PARK})).structured_content
    with serving(tmp_path, "--store", "cells.db") as url:
        async with Client(url) as client:
            result = (await client.call_tool("wait", {"runId": waiting["runId"]})).structured_content

    assert result == {"status": "completed", "value": "resumed"}


def test_an_operator_decides_from_outside_for_a_client_that_can_not_ask(tmp_path: Path) -> None:
    with serving(tmp_path, "--store", "cells.db") as url:
        session = open_session(url)
        waiting = call(url, session, "exec", code="return await pay({amount: 5})")
        decide = [*command("decide"), waiting["runId"], "--approve", waiting["pendingToolCalls"][0]["id"], "--store", "cells.db"]
        subprocess.run([*decide, "--session", f"http-{session['mcp-session-id']}"], cwd=tmp_path, check=True, timeout=50)
        result = call(url, session, "wait", runId=waiting["runId"])

    assert (waiting["reason"], result["value"]) == ("approval", "paid 5")


def test_a_policy_holds_for_every_session(tmp_path: Path) -> None:
    with serving(tmp_path, "--policy", "shop:deny_all") as url:
        result = call(url, open_session(url), "exec", code="return [ALL_TOOLS.length, typeof add]")

    assert result["value"] == [0, "undefined"]


def test_requests_without_the_token_reach_nothing(tmp_path: Path) -> None:
    with serving(tmp_path, "--token-env", "SECRET", SECRET="open sesame") as url:
        hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": CLIENT}
        statuses = [
            send(url, "POST", hello, headers)[0]
            for headers in ({}, {"authorization": "Bearer open"}, {"authorization": "Basic open sesame"})
        ]
        session = open_session(url, {"authorization": "Bearer open sesame"})

        assert statuses == [401, 401, 401]
        assert call(url, session, "exec", code="return 1")["value"] == 1


@pytest.mark.parametrize("headers", [{"host": "evil.example"}, {"origin": "http://evil.example"}])
def test_requests_that_a_web_page_of_others_makes_are_refused(url: str, headers: dict[str, str]) -> None:
    status, answered, _ = send(url, "POST", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": CLIENT}, headers)

    assert status in (403, 421)
    assert "mcp-session-id" not in answered


@pytest.mark.parametrize(
    ("options", "says"),
    [({}, "give a token"), ({"token": "secret"}, "host names"), ({"insecure": True}, "host names")],
)
async def test_an_address_that_others_can_reach_needs_a_token_and_names(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        await serve_http(None, HttpAddress("0.0.0.0"), **options)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("text", "address", "loopback"),
    [
        ("8000", ("127.0.0.1", 8000), True),
        (":8000", ("127.0.0.1", 8000), True),
        ("localhost:0", ("localhost", 0), True),
        ("[::1]:80", ("::1", 80), True),
        ("0.0.0.0:80", ("0.0.0.0", 80), False),
        ("example.com:80", ("example.com", 80), False),
    ],
)
def test_an_address_is_read_as_people_write_it(text: str, address: tuple[str, int], loopback: bool) -> None:
    read = HttpAddress.parse(text)

    assert ((read.host, read.port), read.is_loopback) == (address, loopback)


@pytest.mark.parametrize("text", ["", "localhost", "localhost:http", "localhost:65536", "1.2.3.4:-1"])
def test_anything_else_is_no_address(text: str) -> None:
    with pytest.raises(ConfigError, match="HOST:PORT"):
        HttpAddress.parse(text)
