"""What cells can do with MCP servers: a real git server, one made with the official package, and one that does not start."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

import toolcell
from support.mcp_servers import SERVERS

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

AUTHORS = ["Ada", "Ben", "Ada"]
GIT_MEMBERS = [
    "gitAdd", "gitBranch", "gitCheckout", "gitCommit", "gitCreateBranch", "gitDiff", "gitDiffStaged", "gitDiffUnstaged",
    "gitLog", "gitReset", "gitShow", "gitStatus",
]  # fmt: skip


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("repository")
    plain = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "init", "--quiet", path], check=True, env=plain)
    for author in AUTHORS:
        who = {f"GIT_{role}_{part}": author for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
        command = ["git", "-C", path, "commit", "--quiet", "--allow-empty", "--message", f"by {author}"]
        subprocess.run(command, check=True, env={**plain, **who})
    return path


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def run(repository: Path) -> AsyncGenerator[toolcell.Run]:
    servers = [
        toolcell.McpServer.stdio("git", [sys.executable, "-m", "mcp_server_git", "--repository", str(repository)]),
        toolcell.McpServer.stdio("official", [sys.executable, str(SERVERS / "official.py")]),
        toolcell.McpServer.stdio("my-down", [sys.executable, "-c", "raise SystemExit(1)"]),
    ]
    async with toolcell.CodeMode({"timeoutMs": 30_000}) as code_mode, code_mode.run(mcp=servers, force=True) as run:
        yield run


async def value(run: toolcell.Run, code: str) -> Any:
    """What a cell returns; ``repo`` is the repository, ``caught`` what a call that fails throws."""
    result = await run.exec(f"const caught = call => call.then(() => null, e => [e.name, e.code, e.tool, e.message]); {code}")
    assert result.status == "completed", result
    return result.value


@pytest.fixture
def repo(repository: Path) -> str:
    return f"repo_path: {str(repository)!r}"


async def test_a_tool_is_called_by_its_member_and_by_its_own_name(run: toolcell.Run, repo: str) -> None:
    member, own, same = await value(
        run,
        f"""
        const results = await Promise.all([MCP.git.gitLog({{{repo}}}), MCP["git"]["git_log"]({{{repo}}})]);
        return [...results, namespaces.MCP === MCP && MCP.git === MCP.git && MCP.git.gitLog === MCP.git.gitLog];
        """,
    )

    assert (member["content"], member["isError"], same) == (own["content"], False, True)
    assert [line for line in member["content"][0]["text"].splitlines() if "by " in line] == [
        "Message: by Ada",
        "Message: by Ben",
        "Message: by Ada",
    ]


async def test_servers_and_members_can_be_listed_and_not_changed(run: toolcell.Run) -> None:
    servers, git, down = await value(run, "return [Object.keys(MCP), Object.keys(MCP.git), Object.keys(MCP.myDown)]")
    failures = [await run.exec(code) for code in ("MCP.git = 1", "MCP.git.gitLog = 1", "MCP.git.resources.read = 1")]

    assert (servers, down) == (["git", "official", "myDown"], [])
    assert [member for member in git if member.startswith("git")] == GIT_MEMBERS
    assert [(failure.status, failure.error and "TypeError" in failure.error) for failure in failures] == [("failed", True)] * 3


async def test_defaults_of_the_schema_are_filled_in(run: toolcell.Run, repo: str) -> None:
    texts = await value(
        run,
        f"""
        const three = unwrap(await MCP.git.gitLog({{{repo}}})), one = unwrap(await MCP.git.gitLog({{{repo}, max_count: 1}}));
        return [three.split("Commit: ").length, one.split("Commit: ").length, unwrap(await MCP.official.add({{a: 40}}))];
        """,
    )

    assert texts == [4, 2, {"result": 42}]


@pytest.mark.parametrize("options", ["", ", {raw: true}"])
async def test_missing_keys_are_named_before_anything_is_sent(run: toolcell.Run, options: str) -> None:
    errors = await value(
        run,
        f"return Promise.all([MCP.git.gitDiff({{}}{options}), MCP.git.git_show(undefined{options}), MCP.official.add(5{options})]"
        ".map(caught))",
    )

    assert errors == [
        [
            "ToolError",
            "invalid_tool_input",
            "git_diff",
            'invalid input for git_diff: required but missing: "repo_path", "target"',
        ],
        [
            "ToolError",
            "invalid_tool_input",
            "git_show",
            'invalid input for git_show: required but missing: "repo_path", "revision"',
        ],
        ["ToolError", "invalid_tool_input", "add", "invalid input for add: pass one object with named values"],
    ]


async def test_an_error_of_the_tool_is_thrown_with_its_text_and_with_raw_it_is_the_result(run: toolcell.Run, repo: str) -> None:
    wrong = f"MCP.git.gitShow({{{repo}, revision: 'nowhere'}}"
    thrown, raw = await value(run, f"return [await caught({wrong})), await {wrong}, {{raw: true}})]")

    assert thrown[:3] == ["ToolError", "tool_failed", "git_show"]
    assert "nowhere" in thrown[3]
    assert (raw["isError"], raw["content"][0]["text"]) == (True, thrown[3])


async def test_unwrap_gives_structured_content_before_text(run: toolcell.Run, repo: str) -> None:
    found = await value(
        run,
        f"""
        const branches = unwrap(await MCP.git.gitBranch({{{repo}, branch_type: "local"}}));
        const json = (text) => ({{content: [{{type: "text", text}}]}});
        return [typeof branches, unwrap(await MCP.official.missing()), unwrap(json('{{"a": [1]}}')), unwrap(json("3"))];
        """,
    )

    assert found == ["string", {"result": "none"}, {"a": [1]}, "3"]


async def test_what_is_no_result_can_not_be_unwrapped(run: toolcell.Run) -> None:
    result = await run.exec("return unwrap(MCP.official.missing())")

    assert (result.status, result.reason) == ("failed", "guest_error")
    assert "TypeError: unwrap(result) takes the result of an MCP tool: await it first" in (result.error or "")


async def test_resources_and_prompts_of_a_server_are_read_by_cells(run: toolcell.Run) -> None:
    found = await value(
        run,
        """
        const {resources, prompts} = MCP.official;
        const [uri] = (await resources.list()).resources.map(resource => resource.uri);
        const [name] = (await prompts.list()).prompts.map(prompt => prompt.name);
        const {contents} = await resources.read({uri});
        const {messages} = await prompts.get({name, arguments: {name: "Ada"}});
        return [uri, contents[0].text, name, messages[0].content.text, await caught(resources.read({}))];
        """,
    )

    assert found == [
        "memo://today",
        "buy milk",
        "greet",
        "Say hello to Ada",
        [
            "ToolError",
            "invalid_tool_input",
            "resources/read",
            'invalid input for resources/read: "uri" is a required property',
        ],
    ]


async def test_a_server_says_its_own_name_and_its_tools_with_schemas_if_asked(run: toolcell.Run) -> None:
    name, one, schema, everything = await value(
        run,
        """
        const {git} = MCP;
        return [git.$serverName, await git.$api("gitLog"), await git.$api("git_log", {schema: true}), await git.$api()];
        """,
    )

    assert (name, one["tools"]) == ("git", [{"method": "gitLog", "mcpTool": "git_log", "description": "Shows the commit logs"}])
    assert ("schemas" in one, one["header"]) == (False, schema["header"])
    assert one["header"].startswith(
        "/** git_log: Shows the commit logs */\nexport function gitLog(input: {\n  repo_path: string;\n"
    )
    assert schema["schemas"]["git_log"]["inputSchema"]["required"] == ["repo_path"]
    assert [tool["method"] for tool in everything["tools"]] == GIT_MEMBERS


async def test_the_servers_are_told_with_their_number_of_tools(run: toolcell.Run) -> None:
    answer = await value(run, "return await MCP.$api()")

    assert answer["servers"] == [
        {"server": "git", "serverName": "git", "tools": 12},
        {"server": "official", "serverName": "official", "tools": 7},
        {"server": "myDown", "serverName": "my-down", "tools": 0},
    ]


async def test_an_api_that_is_asked_for_what_is_not_there_says_so(run: toolcell.Run) -> None:
    errors = await value(
        run, "return Promise.all([MCP.git.$api('gitLogs'), MCP.git.$api(5), MCP.git.$api('x'.repeat(1e6))].map(caught))"
    )

    assert errors[0][1:] == ["unknown_tool", "git", "MCP.git has no tool gitLogs; did you mean gitLog?"]
    assert errors[1][1:] == ["unknown_tool", "git", "MCP.git has no tool a value that isn't a string"]
    assert errors[2] == ["RangeError", None, None, "$api takes the name of a tool and {schema: true}"]


async def test_declaration_files_are_listed_and_read_without_a_call(run: toolcell.Run) -> None:
    before = run.telemetry.bridge_calls.call
    files, some, text, index, answer = await value(
        run,
        """
        const files = API.list();
        const [, {path}] = files;
        return [files, API.list("mcp/git"), API.read(path), API.read("mcp/index.d.ts"), (await MCP.git.$api()).header];
        """,
    )

    assert [file["path"] for file in files] == ["mcp/index.d.ts", "mcp/git.d.ts", "mcp/official.d.ts"]
    assert (some, files[1]["description"], files[1]["bytes"]) == (
        [files[1]],
        "Tools of MCP.git: 12",
        len(text.encode()),
    )
    assert (text == answer, index.splitlines()[1]) == (True, "// MCP.git: 12 tools, mcp/git.d.ts")
    assert "declare namespace MCP.git {" in text
    assert run.telemetry.bridge_calls.call == before


@pytest.mark.parametrize(
    "path", ["'mcp/none.d.ts'", "'mcp/../mcp/git.d.ts'", "'./mcp/git.d.ts'", "'/etc/hostname'", "'mcp'", "''", "5", "undefined"]
)
async def test_a_path_that_is_not_listed_can_not_be_read(run: toolcell.Run, path: str) -> None:
    name, message = await value(
        run, f"try {{ return [API.read({path})] }} catch (error) {{ return [error.name, error.message] }}"
    )

    assert (name, message.endswith("API.list() names the files")) == ("TypeError", True)


async def test_a_function_that_a_server_does_not_have_is_named_with_what_is_like_it(run: toolcell.Run) -> None:
    tool = await run.exec("return await MCP.git.gitLogs({})")
    server = await run.exec("return await MCP.gitt.gitLog({})")

    assert "MCP.git.gitLogs does not exist; did you mean MCP.git.gitLog?" in (tool.error or "")
    assert "MCP.gitt does not exist; did you mean MCP.git?" in (server.error or "")


async def test_calls_of_a_server_that_does_not_start_fail_and_others_work(run: toolcell.Run) -> None:
    tool, api, add = await value(
        run,
        "return [await caught(MCP.myDown.anything({})), await caught(MCP.myDown.$api()), unwrap(await MCP.official.add({a: 1}))]",
    )

    assert tool[:2] == api[:2] == ["ToolError", "server_unavailable"]
    assert tool[3] == api[3] == "MCP server my-down can't be reached"
    assert add == {"result": 3}


async def test_a_search_finds_tools_of_servers_as_handles_that_call_and_describe_them(run: toolcell.Run, repo: str) -> None:
    names, described, called = await value(
        run,
        f"""
        const [hit] = await catalog.search("commit logs", {{limit: 1}});
        const shown = [hit.callableName, hit.toolName, hit.source, hit.id === undefined];
        return [shown, await hit.describe(), (await hit({{{repo}, max_count: 1}})).isError];
        """,
    )

    assert (names, called) == (["MCP.git.gitLog", "git_log", "mcp", True], False)
    assert described["declaration"].startswith("/** git_log: Shows the commit logs */\nexport function gitLog(")
    assert described["parameters"]["required"] == ["repo_path"]
    assert "id" not in described


async def test_tools_of_servers_are_no_tools_of_the_host(run: toolcell.Run) -> None:
    listed, found, kinds, errors = await value(
        run,
        """
        const ids = ["mcp:git:git_log", "git_log", "gitLog", "mcp:git:resources/read", "mcp:my-down:anything"];
        const calls = ids.flatMap(id => [tools.callValue(id, {}), tools.call(id, {}), tools.describe(id)]);
        return [
            ALL_TOOLS.length + catalog.all().length, await tools.search("commit logs"),
            [typeof tools.git_log, typeof globalThis.gitLog, typeof globalThis.git_log],
            (await Promise.all(calls.map(caught))).map(error => error && error[1]),
        ];
        """,
    )

    assert (listed, found, kinds) == (0, [], ["undefined"] * 3)
    assert errors == ["unknown_tool"] * 15


async def test_a_cell_joins_two_servers_in_one_step(run: toolcell.Run, repo: str) -> None:
    joined = await value(
        run,
        f"""
        const [log, sum] = await Promise.all([MCP.git.gitLog({{{repo}}}), MCP.official.add({{a: 1}})]);
        return {{authors: unwrap(log).match(/Author: \\w+/g).length, sum: unwrap(sum).result}};
        """,
    )

    assert joined == {"authors": 3, "sum": 3}
