"""A real MCP server whose names, descriptions, schemas, results and errors all try to become more than data."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import unicodedata
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import toolcell
from support.declared import compiler_says
from toolcell import untrusted
from toolcell.mcp import McpConnections, McpTool
from toolcell.mcp.declarations import DeclaredServer, DeclaredTool, server_declaration
from toolcell.mcp.members import members

SERVER = Path(__file__).parent / "servers/words.py"
BEGIN, END = untrusted.mark("").split("\n")[::2]
CONTROL_WORDS = [
    "[end of",
    "[INST]",
    "<|im_",
    "<s>",
    "<system>",
    "</function_results>",
    r"\n\nHuman:",
    "\u202e",
    "\u200b",
    "\U000e0049",
]


@toolcell.tool
async def add(a: int, b: int) -> int:
    return a + b


def words(kind: str = "hostile") -> toolcell.McpServer:
    return toolcell.McpServer.stdio("words", [sys.executable, str(SERVER), kind])


@asynccontextmanager
async def a_run(kind: str = "hostile", **options: Any) -> AsyncGenerator[toolcell.Run]:
    async with toolcell.CodeMode(True) as code_mode, code_mode.run(tools=[add], mcp=[words(kind)], **options) as run:
        yield run


async def surface(kind: str) -> list[Any]:
    """All that the model is told of the tools, when the run begins and when the server has said what it has."""
    async with a_run(kind) as run:
        told = [run.model_tools, run.strict_model_tools]
        result = await run.exec("return (await catalog.search('speak')).map(handle => handle.toolName)")
        assert result.value is not None
        assert "speak" in result.value
        run.assert_surface(run.model_tools)
        return [*told, run.model_tools, run.strict_model_tools, run.telemetry.visible_tools]


async def speak(run: toolcell.Run, how: str, then: str) -> toolcell.CellResult:
    """Run a cell that calls the server's tool as ``speaker()``, a promise."""
    find = "const [speak] = await catalog.search('speak', {limit: 1});"
    return await run.exec(f"{find} const speaker = () => speak({{how: '{how}'}}); {then}")


def inside(result: toolcell.CellResult) -> str:
    """What a model reads between the marks of the envelope, which stand nowhere else."""
    first, *inner, last = result.for_model().split("\n")
    assert (first, last, len(inner)) == (BEGIN, END, 1)
    return inner[0]


async def test_the_model_is_told_the_same_whatever_a_server_says() -> None:
    hostile, harmless = await surface("hostile"), await surface("harmless")

    assert repr(hostile).encode() == repr(harmless).encode()
    assert "injected" not in repr(hostile).lower()


async def test_a_run_begins_with_what_it_will_show_later() -> None:
    first, first_strict, later, later_strict, _ = await surface("hostile")

    assert (first, first_strict) == (later, later_strict)


async def test_cells_see_the_beginning_of_a_servers_descriptions() -> None:
    async with a_run() as run:
        result = await run.exec("return (await catalog.search('injected', {limit: 50})).map(h => [...h.description].length)")

    assert result.value is not None
    assert (len(result.value) > 10, max(result.value)) == (True, 512)


@pytest.mark.parametrize("how", ["error", "fault"])
async def test_an_error_that_a_server_worded_reaches_the_model_in_the_envelope(how: str) -> None:
    async with a_run() as run:
        result = await speak(run, how, "return await speaker()")

    assert (result.status, "INJECTED" in (result.error or "")) == ("failed", True)
    assert [word for word in CONTROL_WORDS if word in inside(result)] == []


@pytest.mark.parametrize(
    "cell",
    [
        "return await speaker()",
        "text((await speaker()).content[0].text)",
        "json(await speaker()); return 1",
        "console.log(await speaker())",
        "const all = await speaker(); throw new Error(all.content[0].text)",
        "await speaker(); return 'its own words'",
    ],
)
async def test_all_that_a_cell_gives_after_a_call_of_a_server_is_in_the_envelope(cell: str) -> None:
    async with a_run() as run:
        result = await speak(run, "text", cell)

    assert [word for word in CONTROL_WORDS if word in inside(result)] == []


async def test_later_legs_of_such_a_cell_are_in_the_envelope_too() -> None:
    async with a_run() as run:
        first = await speak(run, "text", "const said = await speaker(); await yield_control(); return said.content[0].text")
        second = await run.wait(first.run_id)

    assert (first.status, second.status) == ("waiting", "completed")
    assert "INJECTED" in inside(second)
    assert inside(first)


async def test_a_cell_that_called_no_server_is_not_in_the_envelope() -> None:
    async with a_run() as run:
        result = await run.exec("return add({a: 1, b: 2})")

    assert result.for_model() == '{"status":"completed","value":3}'


async def test_the_structured_result_is_what_the_server_said() -> None:
    async with a_run() as run:
        result = await speak(run, "text", "return (await speaker()).content[0].text")

    assert "[end of untrusted tool data]" in result.value
    assert result.model_dump()["value"] == result.value


async def test_no_name_of_a_servers_tool_takes_the_place_of_what_cells_have() -> None:
    code = """
    const own = [tools.search, tools.describe, tools.call, tools.callValue, catalog.search, catalog.all, text, json];
    const kinds = [typeof tools.then, typeof MCP?.then, tools.constructor === Object || tools.constructor === undefined,
        Object.getPrototypeOf({}) === Object.prototype, typeof Object.prototype.injected, typeof Promise.resolve, typeof unwrap];
    return [own.map(each => typeof each), await add({a: 1, b: 2}), await tools.add({a: 1, b: 2}), kinds];
    """
    async with a_run("hostile") as run:
        hostile = await run.exec(code)
    async with a_run("harmless") as run:
        harmless = await run.exec(code)

    assert hostile.status == "completed", hostile
    assert hostile.value == harmless.value
    assert hostile.value[0] == ["function"] * 8


async def test_a_servers_words_stand_in_declarations_as_comments_strings_and_names_of_its_tools_alone() -> None:
    async with McpConnections([words()]) as connections:
        await connections.ready()
        tools = [tool for tool in connections.tools if isinstance(tool, McpTool)]
    named = zip(tools, members([tool.name for tool in tools]), strict=True)
    declared = [DeclaredTool(t.name, name, t.description, t.input_schema, t.output_schema) for t, name in named]
    server = DeclaredServer("words", "words", declared)

    text = server_declaration(server)
    code = re.sub(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', "", text, flags=re.DOTALL)
    others = set(re.findall(r"[\w$]+", code)) - {tool.member for tool in declared} - {f"_{tool.member}" for tool in declared}

    assert compiler_says([server]) == []
    assert ("INJECTED" in text, [word for word in others if "injected" in word.lower()]) == (True, [])
    assert [word for word in ("\u202e", "\u200b", "\U000e0049", "\x1b") if word in text] == []


@pytest.mark.parametrize(
    "command",
    [
        ["catalog"],
        ["catalog", "--json"],
        ["catalog", "--types"],
        ["doctor"],
        ["exec", "--json", "-e", "return ['words', await MCP.words.$api('speak', {schema: true})]"],
    ],
)
def test_no_word_of_a_server_steers_the_terminal(command: list[str], tmp_path: Path) -> None:
    servers = tmp_path / "servers.json"
    servers.write_text(json.dumps({"mcpServers": {"words": {"command": sys.executable, "args": [str(SERVER), "hostile"]}}}))

    ended = subprocess.run(
        [sys.executable, "-m", "toolcell.cli", *command, "--mcp", str(servers)], capture_output=True, text=True, timeout=50
    )

    said = ended.stdout + ended.stderr
    assert (ended.returncode, "words" in said) == (0, True)
    assert {c for c in said if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")} <= {"\n"}
