"""The command line, as people run it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = """
import toolcell

@toolcell.tool
async def add(a: int, b: int) -> int:
    '''Add two numbers.'''
    return a + b

@toolcell.tool(requires_approval=True)
async def pay(amount: int) -> str:
    return f"paid {amount}"

pick = toolcell.ClientTool(name="pick")
everything = [add, pay, pick]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(TOOLS)
    return tmp_path


def toolcell(folder: Path, *arguments: str, given: str | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "toolcell.cli", *arguments]
    return subprocess.run(
        command, cwd=folder, input=given, capture_output=True, text=True, timeout=50, env={**os.environ, **variables}
    )


def test_a_completed_cell_exits_with_0_and_prints_its_value(folder: Path) -> None:
    ended = toolcell(folder, "exec", "-e", "return await add({a: 1, b: 2})", "--tools", "shop:add")

    value, call = ended.stdout.splitlines()
    assert (ended.returncode, value, call.partition(",")[0], ended.stderr) == (0, "completed 3", "  call 1 add: ok", "")


def test_a_failed_cell_exits_with_1(folder: Path) -> None:
    ended = toolcell(folder, "exec", "-e", "throw new Error('boom')", "--json")

    assert (ended.returncode, json.loads(ended.stdout)["reason"]) == (1, "guest_error")


def test_a_cell_is_read_from_a_file_or_from_standard_input(folder: Path) -> None:
    (folder / "cell.ts").write_text("const n: number = 20; return n + 1")

    from_file = toolcell(folder, "exec", "cell.ts")
    from_input = toolcell(folder, "exec", "-", given="return 22")

    assert (from_file.stdout, from_input.stdout) == ("completed 21\n", "completed 22\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["exec"], "required"),
        (["exec", "-e", "1", "--language", "python"], "invalid choice"),
        (["exec", "nowhere.js"], "can't read nowhere.js"),
        (["exec", "-e", "1", "--tools", "nowhere:x"], "--tools nowhere:x"),
        (["exec", "-e", "1", "--tools", "shop"], "module:attribute"),
        (["exec", "-e", "1", "--tools", "shop:nothing"], "nothing"),
        (["exec", "-e", "1", "--config", "bad.json"], "timeoutMs"),
        (["exec", "-e", "1", "--config", "nowhere.json"], "can't read"),
        (["exec", "-e", "1", "--mcp", "bad.json"], "mcpServers"),
        (["wait", "cell_1", "--store", "nowhere.db"], "no store"),
        (["wait", "cell_1"], "--store"),
        (["dance"], "invalid choice"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_what_is_wrong(folder: Path, arguments: list[str], says: str) -> None:
    (folder / "bad.json").write_text('{"timeoutMs": "fast"}')

    ended = toolcell(folder, *arguments)

    assert (ended.returncode, says in ended.stderr, ended.stdout) == (2, True, "")


def test_a_config_file_may_be_json5(folder: Path) -> None:
    (folder / "config.json5").write_text("{timeoutMs: 200, /* short */}")

    ended = toolcell(folder, "exec", "-e", "for (;;);", "--config", "config.json5", "--json")

    assert json.loads(ended.stdout)["code"] == "timeout"


def test_a_waiting_cell_exits_with_3_and_is_finished_by_later_commands(folder: Path) -> None:
    store = ["--store", "cells.db", "--json", "--tools", "shop:everything"]
    begun = toolcell(folder, "exec", "-e", "return [await pay({amount: 5}), await pick({})]", *store)
    waiting = json.loads(begun.stdout)
    run_id = waiting["runId"]
    approved = toolcell(folder, "wait", run_id, "--approve", f"{run_id}/1", *store)
    delivered = toolcell(folder, "wait", run_id, "--deliver", f'{run_id}/2={{"picked": 1}}', *store)
    again = toolcell(folder, "wait", run_id, *store)

    assert (begun.returncode, waiting["reason"], approved.returncode) == (3, "approval", 3)
    assert (delivered.returncode, json.loads(delivered.stdout)["value"]) == (0, ["paid 5", {"picked": 1}])
    assert (again.returncode, json.loads(again.stdout)["reason"]) == (1, "unknown_run")


def test_another_session_can_not_finish_it_and_a_denied_call_throws(folder: Path) -> None:
    store = ["--store", "cells.db", "--json", "--tools", "shop:everything"]
    code = "try { return await pay({amount: 5}) } catch (e) { return e.name }"
    run_id = json.loads(toolcell(folder, "exec", "-e", code, *store).stdout)["runId"]

    stranger = toolcell(folder, "wait", run_id, "--session", "other", *store)
    denied = toolcell(folder, "wait", run_id, "--deny", f"{run_id}/1", *store)

    assert json.loads(stranger.stdout)["reason"] == "wrong_scope"
    assert json.loads(denied.stdout)["value"] == "ToolDeniedError"


def test_the_stores_key_may_come_from_the_environment(folder: Path) -> None:
    store = ["--store", "cells.db", "--json"]
    key = {"TOOLCELL_STORE_KEY": "a key of more than sixteen bytes"}
    run_id = json.loads(toolcell(folder, "exec", "-e", "await yield_control(); return 1", *store, **key).stdout)["runId"]

    without = toolcell(folder, "wait", run_id, *store)
    with_key = toolcell(folder, "wait", run_id, *store, **key)

    assert json.loads(without.stdout)["reason"] == "snapshot_restore_failed"
    assert json.loads(with_key.stdout)["value"] == 1


def test_the_catalog_lists_and_searches_tools(folder: Path) -> None:
    listed = toolcell(folder, "catalog", "--tools", "shop:everything")
    found = toolcell(folder, "catalog", "--tools", "shop:everything", "--search", "numbers", "--json")

    assert "host:core:add" in listed.stdout
    assert [entry["name"] for entry in json.loads(found.stdout)] == ["add"]


def test_doctor_says_that_all_is_well_or_what_is_not(folder: Path) -> None:
    well = toolcell(folder, "doctor")
    ill = toolcell(folder, "doctor", TOOLCELL_WORKER="/nowhere/worker")

    assert (well.returncode, "sandbox   active" in well.stdout) == (0, True)
    assert (ill.returncode, "unavailable" in ill.stdout) == (1, True)


@pytest.fixture
def servers(folder: Path) -> Path:
    """A file with an MCP server that works and one that does not."""
    works = {"command": sys.executable, "args": [str(Path(__file__).parent / "servers/paged.py")]}
    (folder / "servers.json").write_text(json.dumps({"mcpServers": {"a-server": works, "broken": {"command": "/nowhere/x"}}}))
    return folder


def test_the_catalog_of_servers_says_how_a_cell_calls_their_tools(servers: Path) -> None:
    listed = toolcell(servers, "catalog", "--tools", "shop:add", "--mcp", "servers.json")
    found = toolcell(servers, "catalog", "--mcp", "servers.json", "--search", "again", "--json")

    assert listed.returncode == 0
    assert re.match(r"host:core:add +add\(\{a: number; b: number\}\) +Add two numbers\.\n", listed.stdout)
    assert "mcp:a-server:echo " in listed.stdout
    assert " MCP.aServer.echo(input) " in listed.stdout
    assert [entry["id"] for entry in json.loads(found.stdout)] == ["mcp:a-server:echo"]
    assert listed.stderr == "toolcell: MCP server broken: /nowhere/x can't be started: No such file or directory\n"


def test_the_catalog_prints_the_declarations_of_servers(servers: Path) -> None:
    printed = toolcell(servers, "catalog", "--mcp", "servers.json", "--types")

    assert "interface McpToolResult" in printed.stdout
    assert "declare namespace MCP.aServer {" in printed.stdout
    assert "function echo(" in printed.stdout


def test_a_policy_hides_tools_from_the_catalog(servers: Path) -> None:
    (servers / "rules.py").write_text("import toolcell\nrules = toolcell.Policy(allow=['*:echo'])\n")

    listed = toolcell(servers, "catalog", "--tools", "shop:add", "--mcp", "servers.json", "--policy", "rules:rules")

    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["mcp:a-server:echo"]


def test_a_server_that_fails_is_told_of_and_the_cell_runs(servers: Path) -> None:
    ended = toolcell(servers, "exec", "-e", "return 1", "--mcp", "servers.json")

    assert (ended.returncode, ended.stdout) == (0, "completed 1\n")
    assert ended.stderr == "toolcell: MCP server broken: /nowhere/x can't be started: No such file or directory\n"


def test_a_terminal_shows_which_servers_are_waited_for_and_forgets_it(servers: Path) -> None:
    own, other = os.openpty()
    code = "return 1"
    command = [sys.executable, "-m", "toolcell.cli", "exec", "-e", code, "--mcp", "servers.json"]
    subprocess.run(command, cwd=servers, stdout=subprocess.DEVNULL, stderr=other, timeout=50)
    os.close(other)
    said = os.read(own, 10_000).decode()

    assert "MCP servers: 0 of 2 started; waiting for a-server, broken" in said
    assert said.splitlines()[-1].rpartition("\x1b[K")[2].startswith("toolcell: MCP server broken")


def test_doctor_looks_at_servers_too(servers: Path) -> None:
    ended = toolcell(servers, "doctor", "--mcp", "servers.json")

    lines = [line for line in ended.stdout.splitlines() if line.startswith("mcp ")]
    assert (ended.returncode, len(lines)) == (1, 2)
    assert "a-server: connected" in lines[0]
    assert "broken: failed: /nowhere/x can't be started" in lines[1]


def test_a_decision_is_for_the_process_that_goes_on_with_the_cell(folder: Path) -> None:
    shared = ["--store", "cells.db", "--tools", "shop:pay"]
    waiting = json.loads(toolcell(folder, "exec", "-e", "return await pay({amount: 5})", *shared, "--json").stdout)
    [call] = waiting["pendingToolCalls"]

    decided = toolcell(folder, "decide", waiting["runId"], "--approve", call["id"], *shared)
    again = toolcell(folder, "decide", waiting["runId"], "--deny", call["id"], *shared)
    ended = toolcell(folder, "wait", waiting["runId"], *shared)

    assert (decided.returncode, decided.stdout, again.returncode) == (0, "", 2)
    assert ended.stdout.splitlines()[0] == 'completed "paid 5"'


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--http", "nowhere"], "HOST:PORT"),
        (["--http", "0.0.0.0:0"], "give a token"),
        (["--http", "0", "--token-env", "NOT_SET"], "--token-env NOT_SET"),
        (["--policy", "shop:add"], "a toolcell.Policy is expected"),
        (["--tools", "shop:nothing"], "--tools shop:nothing"),
        (["--max-sessions", "0"], "at least 1"),
    ],
)
def test_serve_refuses_what_it_can_not_do(folder: Path, arguments: list[str], says: str) -> None:
    ended = toolcell(folder, "serve", *arguments)

    assert (ended.returncode, ended.stdout) == (2, "")
    assert says in ended.stderr
    assert "Traceback" not in ended.stderr
