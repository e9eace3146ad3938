"""Connections to real MCP servers over streamable HTTP, with and without faults."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Generator
from contextlib import contextmanager
from typing import Any

import pytest

from support.mcp_servers import SERVERS, call, connected, said
from toolcell.catalog.failure import CallFailedError
from toolcell.mcp import McpServer, http
from toolcell.mcp import connection as connection_module


@contextmanager
def faulty_http(*arguments: str) -> Generator[tuple[str, subprocess.Popen[bytes]]]:
    process = subprocess.Popen([sys.executable, "-S", str(SERVERS / "faulty_http.py"), *arguments], stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp", process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture(scope="module")
def url() -> Generator[str]:
    with faulty_http() as (address, _):
        yield address


async def failed(work: Awaitable[object]) -> tuple[str, str]:
    with pytest.raises(CallFailedError) as raised:
        await work
    return str(raised.value), raised.value.code


async def test_headers_of_the_configuration_are_sent_with_every_request(url: str) -> None:
    async with connected(McpServer.http("web", url, headers={"X-Key": "k"})) as connections:
        headers = {name.lower(): value for name, value in json.loads(await said(connections, "headers")).items()}

        assert (headers["x-key"], headers["accept-encoding"]) == ("k", "identity")


async def test_a_server_that_refuses_says_with_which_status() -> None:
    with faulty_http("Bearer right") as (address, _):
        wrong, right = (McpServer.http(word, address, headers={"Authorization": f"Bearer {word}"}) for word in ("wrong", "right"))
        async with connected(wrong, right) as connections:
            assert list(connections.failures) == ["wrong"]
            assert "401" in connections.failures["wrong"]
            assert await said(connections, "echo", server="right") == "echo"


class Tokens:
    """Keeps tokens as the package wants them kept."""

    def __init__(self) -> None:
        self.tokens: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return None

    async def set_client_info(self, client_info: Any) -> None:
        pass


async def test_the_packages_own_oauth_provider_authorises_the_connection() -> None:
    from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider

    with faulty_http("Bearer token") as (address, _):
        origin = address.removesuffix("/mcp")
        tokens = Tokens()
        provider = ClientCredentialsOAuthProvider(address, tokens, "me", "secret", issuer=origin)
        async with connected(McpServer.http("web", address, auth=provider)) as connections:
            assert await said(connections, "echo") == "echo"
            assert tokens.tokens.access_token == "token"

        refused = ClientCredentialsOAuthProvider(address, Tokens(), "me", "wrong", issuer=origin)
        async with connected(McpServer.http("web", address, auth=refused)) as connections:
            assert (list(connections.failures), connections.tools) == (["web"], [])
            assert "wrong" not in str(connections.failures)


async def test_a_server_that_is_not_there_takes_no_other_down(url: str) -> None:
    async with connected(McpServer.http("gone", "http://127.0.0.1:1/mcp"), McpServer.http("web", url)) as connections:
        assert list(connections.failures) == ["gone"]
        assert await said(connections, "echo") == "echo"


@pytest.mark.parametrize("name", ["huge", "huge_event"])
async def test_an_answer_that_is_too_long_fails_its_own_call_only(url: str, name: str) -> None:
    async with connected(McpServer.http("web", url)) as connections:
        assert await failed(call(connections, name)) == ("the server's answer is longer than 16777216 bytes", "tool_failed")
        assert await said(connections, "echo") == "echo"


async def test_an_answer_that_was_packed_is_not_unpacked(url: str) -> None:
    async with connected(McpServer.http("web", url)) as connections:
        message, code = await failed(call(connections, "packed"))

        assert (message, code) == ("the server's answer is compressed, which was not asked for", "tool_failed")


async def test_a_stream_that_ends_again_and_again_is_opened_now_and_then(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "STREAM_PAUSE_S", 600.0)

    async with connected(McpServer.http("web", url.replace("/mcp", "/ending"))) as connections:
        opened = [await said(connections, "streams") for _ in range(50)]

    assert set(opened) <= {"0", "1"}


async def test_a_server_says_nothing_to_the_hosts_terminal_when_it_refuses() -> None:
    with faulty_http("Bearer right") as (address, _):
        async with connected(McpServer.http("web", address.replace("/mcp", "/refuses"))) as connections:
            assert connections.failures == {"web": "refused: \\u001b[2J\\u000aMCP server other: connected"}


async def test_a_server_that_never_answers_fails_its_call_in_time(url: str) -> None:
    async with connected(McpServer.http("web", url, timeout_ms=300)) as connections:
        unharmed = asyncio.ensure_future(said(connections, "echo"))

        assert await failed(call(connections, "hang")) == ("MCP server web did not answer within 300 ms", "timeout")
        assert await unharmed == "echo"


@pytest.mark.parametrize("name", ["broken", "bare"])
async def test_an_answer_that_is_none_fails_its_call(url: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "FIRST_BACK_OFF_S", 0.0)
    async with connected(McpServer.http("web", url, timeout_ms=2_000)) as connections:
        _, code = await failed(call(connections, name))

        assert code in ("tool_failed", "server_lost", "timeout")  # as the version of the package sees it
        assert await said(connections, "echo") == "echo"


async def test_a_session_that_the_server_forgot_is_begun_anew_and_the_refused_call_sent_once(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "FIRST_BACK_OFF_S", 0.0)
    async with connected(McpServer.http("web", url)) as connections:
        await said(connections, "forget")

        assert await said(connections, "echo") == "echo"


async def test_a_server_that_dies_in_mid_call_loses_that_call() -> None:
    with faulty_http() as (address, _):
        async with connected(McpServer.http("web", address)) as connections:
            message, code = await failed(call(connections, "die"))

            assert code in ("server_lost", "tool_failed")
            assert "/" not in message
