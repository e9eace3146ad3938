"""The attacking server of `test_mcp_words` as cells see it: objects, functions, files and `$api`."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import toolcell
from support.node import run_script
from toolcell import untrusted

SERVER = Path(__file__).parent / "servers/words.py"
BEGIN, END = untrusted.mark("").split("\n")[::2]
ROOMY = {"enabled": True, "maxOutputBytes": 4 << 20}


@asynccontextmanager
async def a_run(kind: str = "hostile", **options: Any) -> AsyncGenerator[toolcell.Run]:
    server = toolcell.McpServer.stdio("words", [sys.executable, str(SERVER), kind])
    async with toolcell.CodeMode(ROOMY) as code_mode, code_mode.run(mcp=[server], **options) as run:
        yield run


async def value_of(code: str) -> Any:
    async with a_run() as run:
        result = await run.exec(code)
        assert result.status == "completed", result
        return result.value


async def test_files_are_valid_and_hold_a_servers_words_in_comments_strings_and_names_of_its_tools_alone() -> None:
    files, members = await value_of(
        "return [API.list().map(({path}) => [path, API.read(path)]), Object.keys(MCP.words).concat(Object.keys(MCP))]"
    )
    text = dict(files)["mcp/words.d.ts"]
    code = re.sub(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', "", text, flags=re.DOTALL)
    others = set(re.findall(r"[\w$]+", code)) - set(members) - {f"_{member}" for member in members}

    assert run_script("types.mjs", dict(files)) == []
    assert ("INJECTED" in text, [word for word in others if "injected" in word.lower()]) == (True, [])


async def test_every_function_of_the_server_calls_its_own_tool() -> None:
    called = await value_of(
        """
        const members = Object.keys(MCP.words).filter(name => typeof MCP.words[name] === "function" && name !== "$api");
        const {tools} = await MCP.words.$api();
        const results = await Promise.all(members.map(name => MCP.words[name]({}, {raw: true}).then(r => typeof r, e => e.tool)));
        return [members.length, tools.length, new Set(tools.map(tool => tool.method)).size, results.every(r => r != null)];
        """
    )

    assert called[0] == called[1] == called[2] > 40
    assert called[3] is True


@pytest.mark.parametrize("shown", ["MCP", "MCP.words", "MCP.words.speak"])
async def test_no_name_of_a_tool_changes_what_the_language_does_with_the_objects(shown: str) -> None:
    code = f"""
        const shown = {shown};
        const awaited = await shown;
        const kinds = [awaited === shown, typeof shown.then, typeof shown.toJSON, typeof String(Object.keys(shown))];
        const own = ["then", "toJSON", "__proto__", "constructor"].filter(name => Object.hasOwn(shown, name));
        try {{ kinds.push(typeof JSON.stringify(shown)); }} catch (error) {{ kinds.push(error.name); }}
        return [kinds, own, Object.getPrototypeOf({{}}) === Object.prototype, ({{}}).injected === undefined];
    """

    [awaited, then, to_json, keys, _], own, prototype, clean = await value_of(code)

    assert (awaited, then, to_json, keys) == (True, "undefined", "undefined", "string")
    assert (own, prototype, clean) == ([], True, True)


async def test_api_answers_with_descriptions_that_are_cut() -> None:
    longest = await value_of("return Math.max(...(await MCP.words.$api()).tools.map(tool => [...tool.description].length))")

    assert longest == 512


async def test_the_protocols_own_requests_are_not_a_tools_to_take() -> None:
    kinds = await value_of(
        "return [typeof MCP.words.resources.read, typeof MCP.words.prompts.list, typeof MCP.words.$api, MCP.words.$serverName]"
    )

    assert kinds == ["function", "function", "function", "words"]


@pytest.mark.parametrize(
    "cell",
    [
        "return (await catalog.search('speak'))[0].description",
        "return (await catalog.search('speak'))[0].describe()",
        "return API.read('mcp/words.d.ts')",
        "return Object.keys(MCP.words)",
        "return Object.values(namespaces).flatMap(Object.values).map(Object.keys)",
        "return Object.keys(globalThis['M' + 'CP'].words)",
        "return JSON.stringify(globalThis.eval('M' + 'CP'))",
        "const {read} = globalThis['AP' + 'I']; await yield_control(); return read('mcp/words.d.ts')",
        "return MCP.words.$api()",
        "return MCP.$api()",
        "return MCP.words.speak({how: 5})",
        "return MCP.words.nothing()",
    ],
)
async def test_what_a_cell_has_of_a_server_without_a_call_that_ran_is_in_the_envelope(cell: str) -> None:
    async with a_run() as run:
        result = await run.exec(cell)
        if result.status == "waiting":
            result = await run.wait(result.run_id)

    first, *inner, last = result.for_model().split("\n")
    assert (first, last, len(inner)) == (BEGIN, END, 1)
    assert [word for word in ("[end of untrusted", "<|im_", "\u202e", "\U000e0049") if word in inner[0]] == []


async def test_a_cell_that_knows_a_servers_name_alone_is_not_in_the_envelope() -> None:
    async with a_run() as run:
        result = await run.exec("return [Object.keys(MCP), API.list().length, typeof MCP.words.speak, MCP.words.$serverName]")

    assert result.value == [["words"], 2, "function", "words"]
    assert BEGIN not in result.for_model()


async def test_a_call_of_a_server_that_waits_for_a_person_is_in_the_envelope() -> None:
    async with a_run(policy=toolcell.Policy(ask=["mcp:*"])) as run:
        result = await run.exec("const [speak] = await catalog.search('speak', {limit: 1}); return speak()")

    assert result.reason == "approval"
    assert result.for_model().startswith(BEGIN)
