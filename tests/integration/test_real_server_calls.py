"""Every tool of public MCP servers that need no network, called from cells: what comes is what the official client gets.

Normalised on both sides: moments of time, and binary content, of which a cell sees the size. Left out: what the official
client adds to each result for its own version of the protocol, and the handles of binary content.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest

import toolcell
from support.sdk import sdk_client
from support.server_calls import Calls, calls
from support.servers import public_servers
from toolcell.mcp.members import members

pytestmark = pytest.mark.timeout(600)  # the first time the servers are installed

SERVERS = ["everything", "filesystem", "memory", "git", "time"]
WEEKDAY = "(?:Mon|Tue|Wednes|Thurs|Fri|Satur|Sun)day"
MOMENT = re.compile(
    rf"\b(?:{WEEKDAY}|\d{{1,2}}:\d\d:\d\d [AP]M|\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[+-]\d\d:\d\d)?"
    r"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} \d\d \d{4} \d\d:\d\d:\d\d GMT\S+)"
)


class Answers(NamedTuple):
    """Results of the calls, by server, and the names of all its tools."""

    tools: dict[str, list[str]]
    by_sdk: dict[str, list[Any]]
    in_cells: dict[str, list[Any]]
    thrown: Any


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    folder = tmp_path_factory.mktemp("servers") / "folder"  # one path for both, it stands in results

    async def ask() -> Answers:
        servers = fresh(folder)
        asked = [(servers[name], calls(folder)[name]) for name in SERVERS]
        by_sdk = await asyncio.gather(*(call_by_sdk(*each) for each in asked))
        servers = fresh(folder)
        async with (
            toolcell.CodeMode({"timeoutMs": 60_000}) as code_mode,
            code_mode.run(mcp=[servers[name] for name in SERVERS], force=True) as run,
        ):
            in_cells = {name: await call_in_cell(run, name, calls(folder)[name]) for name in SERVERS}
            code = (
                'try { await MCP.filesystem.readFile({path: "/etc/hostname"}) } catch (e) { return [e.name, e.code, e.message] }'
            )
            thrown = (await run.exec({"code": code})).value
        tools = {name: tools for name, (tools, _) in zip(SERVERS, by_sdk, strict=True)}
        return Answers(tools, {name: given for name, (_, given) in zip(SERVERS, by_sdk, strict=True)}, in_cells, thrown)

    return asyncio.run(ask())


def fresh(folder: Path) -> dict[str, toolcell.McpServer]:
    """The servers, with their folder as if nothing had been called."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    servers = public_servers(folder)
    (folder / "repository/new.txt").write_text("new\n")
    return servers


async def call_by_sdk(server: toolcell.McpServer, calls: Calls) -> tuple[list[str], list[Any]]:
    async with sdk_client(server, mode="legacy") as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        given = [await client.call_tool(name, arguments) for name, arguments in calls]
    return tools, [result.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"result_type"}) for result in given]


async def call_in_cell(run: toolcell.Run, server: str, calls: Calls) -> list[Any]:
    """Make the calls one after the other in one cell that a model could have written."""
    names = list(dict.fromkeys(name for name, _ in calls))
    spelled = dict(zip(names, members(names), strict=True))
    lines = [f"results.push(await MCP.{server}.{spelled[name]}({json.dumps(given)}, {{raw: true}}));" for name, given in calls]
    result = await run.exec({"code": "\n".join(["const results = [];", *lines, "return results;"])})
    assert result.ok, str(result)
    return cast("list[Any]", result.value)


def normalised(value: Any) -> Any:
    if isinstance(value, str):
        return MOMENT.sub("<moment>", value)
    if isinstance(value, list):
        return [normalised(each) for each in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    found = {key: normalised(each) for key, each in cast("dict[str, Any]", value).items() if key != "handle"}
    for key in found.keys() & {"blob", "data"}:
        found["size"] = len(base64.b64decode(found.pop(key)))
    return found


@pytest.mark.parametrize("server", SERVERS)
def test_a_cell_gets_what_the_official_client_gets_from_every_tool(answers: Answers, server: str) -> None:
    assert normalised(answers.in_cells[server]) == normalised(answers.by_sdk[server])


@pytest.mark.parametrize("server", SERVERS)
def test_no_tool_is_left_uncalled(answers: Answers, tmp_path: Path, server: str) -> None:
    assert {name for name, _ in calls(tmp_path)[server]} == set(answers.tools[server])


def test_what_a_server_calls_an_error_is_thrown_with_its_text(answers: Answers) -> None:
    name, code, message = answers.thrown

    assert (name, code) == ("ToolError", "tool_failed")
    assert message.startswith("Access denied - path outside allowed directories: /etc/hostname not in ")
