"""Servers made with the official package: what tools are not, and what a server asks of its client."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any

import pytest
import pytest_asyncio

from support.mcp_servers import SERVERS, call, connected, said, until
from toolcell.catalog import CallContext
from toolcell.catalog.failure import CallFailedError
from toolcell.errors import ToolInputError
from toolcell.mcp import McpConnections, McpServer, ServerRequest

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]
COMMAND = [sys.executable, str(SERVERS / "official.py")]


class Host:
    """Answers a server's questions with what a test wants."""

    def __init__(self) -> None:
        self.asked: list[ServerRequest] = []
        self.answer: Callable[[ServerRequest], Any] = nothing

    def __call__(self, request: ServerRequest) -> Any:
        self.asked.append(request)
        return self.answer(request)


def nothing(_: ServerRequest) -> None:
    return None


def raises(_: ServerRequest) -> None:
    raise RuntimeError("secret")


def nonsense(_: ServerRequest) -> dict[str, Any]:
    return {"action": "whatever"}


async def sensible(request: ServerRequest) -> dict[str, Any]:
    if request.kind == "elicitation":
        return {"action": "accept", "content": {"colour": "blue"}}
    return {"role": "assistant", "content": {"type": "text", "text": "because"}, "model": "m"}


@pytest.fixture(scope="module")
def address() -> Generator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([*COMMAND, str(port)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    yield f"http://127.0.0.1:{port}/mcp"
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def host() -> Host:
    return Host()


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["stdio", "http"])
async def connections(request: pytest.FixtureRequest, address: str, host: Host) -> AsyncGenerator[McpConnections]:
    server = McpServer.stdio("official", COMMAND) if request.param == "stdio" else McpServer.http("official", address)
    await until(lambda: answers(address))
    async with connected(server, on_elicitation=host, on_sampling=host) as connections:
        yield connections


def answers(address: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(address.split(":")[2].split("/")[0]))) == 0


async def answered(connections: McpConnections, name: str) -> tuple[bool, str]:
    """Whether a call failed, and with which words: a result that is an error, or an error of the protocol."""
    try:
        result = await call(connections, name)
    except CallFailedError as error:
        return True, str(error)
    return result.is_error, str(result.content)


async def test_calls_give_what_the_server_gives(connections: McpConnections) -> None:
    reports: list[Any] = []
    context = CallContext(call_id="a", tool_id="b", report_progress=reports.append)
    result = await call(connections, "add", {"a": 1})
    slow = await asyncio.gather(*(call(connections, "slow", context=context) for _ in range(3)))

    assert result.details["structuredContent"] == {"result": 3}
    assert result.details["content"] == [{"type": "text", "text": "3"}]
    assert [each.details["structuredContent"] for each in slow] == [{"result": "slept"}] * 3
    assert reports == [{"progress": 1, "total": 2, "message": "half"}] * 3
    assert await said(connections, "missing") == "none"
    assert len(await said(connections, "large", {"count": 3_000_000})) == 3_000_000
    with pytest.raises(ToolInputError, match=r'^invalid input for add: required but missing: "a"$'):
        await call(connections, "add")


async def test_resources_and_prompts_are_methods_under_the_servers_name(connections: McpConnections) -> None:
    resources = await call(connections, "resources/list")
    resource = await call(connections, "resources/read", {"uri": "memo://today"})
    prompts = await call(connections, "prompts/list")
    prompt = await call(connections, "prompts/get", {"name": "greet", "arguments": {"name": "Ada"}})

    assert [each["uri"] for each in resources.details["resources"]] == ["memo://today"]
    assert [each["text"] for each in resource.details["contents"]] == ["buy milk"]
    assert [each["name"] for each in prompts.details["prompts"]] == ["greet"]
    assert [each["content"]["text"] for each in prompt.details["messages"]] == ["Say hello to Ada"]
    with pytest.raises(CallFailedError) as unknown:
        await call(connections, "resources/read", {"uri": "memo://none"})
    assert unknown.value.code == "tool_failed"
    with pytest.raises(ToolInputError, match='"uri" is a required property'):
        await call(connections, "resources/read")


async def test_a_servers_questions_go_to_the_host(connections: McpConnections, host: Host) -> None:
    host.asked, host.answer = [], sensible

    assert (await said(connections, "ask"), await said(connections, "think")) == ("blue", "because")
    assert [(request.server, request.kind) for request in host.asked] == [("official", "elicitation"), ("official", "sampling")]
    assert (host.asked[0].params["message"], host.asked[1].params["maxTokens"]) == ("Which colour?", 9)


@pytest.mark.parametrize("answer", [nothing, raises, nonsense])
async def test_a_host_that_gives_no_answer_declines(connections: McpConnections, host: Host, answer: Any) -> None:
    host.answer = answer
    outcomes = [await answered(connections, name) for name in ("ask", "think")]

    assert [failed or "decline" in words for failed, words in outcomes] == [True, True]
    assert "secret" not in str(outcomes)
    assert (await call(connections, "add", {"a": 1})).is_error is False


async def test_without_callbacks_a_server_is_told_that_nobody_can_be_asked(address: str) -> None:
    await until(lambda: answers(address))
    async with connected(McpServer.http("official", address)) as connections:
        outcomes = [await answered(connections, name) for name in ("ask", "think")]

    assert [failed for failed, _ in outcomes] == [True, True]


async def test_a_tool_that_came_later_can_be_called(connections: McpConnections) -> None:
    version = connections.version
    await call(connections, "grow")
    await until(lambda: connections.version > version)

    assert await said(connections, "grown") == "grown"
