"""A real server that speaks the protocol of 2026 only, which version 2 of the package knows."""

from __future__ import annotations

import json
import sys
from importlib import metadata
from typing import Any

import pytest

from support.mcp_servers import SERVERS, call, connected, said, until
from toolcell.catalog.failure import CallFailedError
from toolcell.mcp import McpServer, ServerRequest

MODERN = McpServer.stdio("modern", [sys.executable, "-S", str(SERVERS / "modern.py")])
pytestmark = pytest.mark.skipif(metadata.version("mcp").startswith("1."), reason="version 1 does not know this protocol")


def person(request: ServerRequest) -> dict[str, Any]:
    return {"action": "accept", "content": {"colour": request.params["message"]}}


async def test_it_is_asked_in_its_own_way() -> None:
    async with connected(MODERN) as connections:
        assert await said(connections, "echo", {"a": None}) == '{"a": null}'
        assert [state.protocol_version for state in connections.states()] == ["2026-07-28"]
        assert (await call(connections, "echo")).details == {"content": [{"type": "text", "text": "{}"}], "isError": False}


async def test_a_question_inside_of_a_result_goes_to_the_host_and_the_call_is_sent_again_with_the_answer() -> None:
    async with connected(MODERN, on_elicitation=person) as connections:
        assert json.loads(await said(connections, "ask")) == [
            "s1", {"action": "accept", "content": {"colour": "Which colour?"}}
        ]  # fmt: skip
        with pytest.raises(CallFailedError, match="asked for more than 10 times"):
            await call(connections, "insist")


async def test_a_question_that_nobody_answers_fails_the_call() -> None:
    async with connected(MODERN) as connections:
        with pytest.raises(CallFailedError, match="not supported"):
            await call(connections, "ask")


async def test_a_change_of_its_tools_is_heard_of() -> None:
    async with connected(MODERN) as connections:
        await said(connections, "echo")
        version = connections.version
        await said(connections, "grow")
        await until(lambda: connections.version > version)

        assert await said(connections, "grown") == "{}"
