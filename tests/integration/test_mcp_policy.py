"""Who may call what of MCP servers: tools and requests of the protocol by their exact ids, in real cells."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import toolcell
from support.mcp_servers import SERVERS, faulty, processes
from support.runs import call as guest_call
from support.runs import exec_all, recorder
from toolcell import untrusted
from toolcell.errors import InvalidDecisionError
from toolcell.policy.policy import VisibleTool
from toolcell.store import SqliteStore

PAGED = toolcell.McpServer.stdio("paged", [sys.executable, "-S", str(SERVERS / "paged.py")])
PICTURES = toolcell.McpServer.stdio("pictures", [sys.executable, "-S", str(SERVERS / "pictures.py")])
BEGIN = untrusted.mark("").split("\n")[0]
READ = "MCP.pictures.resources.read({uri: 'file:///a.pdf'})"
EVERYWHERE = """
const refusal = name => MCP.paged.$api(name).then(() => "told", e => e.message);
return {
  members: Object.keys(MCP.paged), types: [typeof MCP.paged.echo, typeof MCP.paged["echo"], typeof MCP.pictures.resources.read],
  files: API.list().map(file => API.read(file.path)), api: [await MCP.paged.$api(), await MCP.$api(), await refusal("echo")],
  handles: (await catalog.search("echo", {limit: 50})).map(hit => hit.callableName),
};
"""


class Seen:
    """Hooks that remember the calls, and answer with what a test wants."""

    def __init__(self, answer: Any = None) -> None:
        self.calls: list[toolcell.ToolCall] = []
        self.answer = answer

    def before_tool_call(self, call: toolcell.ToolCall) -> Any:
        if call.tool_kind != "code_mode_exec":
            self.calls.append(call)
            return self.answer
        return None


async def test_a_denied_tool_appears_nowhere(hosts: Any) -> None:
    policy = toolcell.Policy(deny=["mcp:paged:echo", "mcp:pictures:resources/read"])
    run: toolcell.Run = await hosts.run(mcp=[PAGED, PICTURES], policy=policy)
    everywhere = await run.exec(EVERYWHERE)
    called = await run.exec("return await MCP.paged.echo({word: 'hi'})")

    assert everywhere.value["types"] == ["undefined"] * 3
    assert (everywhere.value["members"], everywhere.value["api"][1]["servers"][0]["tools"]) == (
        ["brokenSchema", "exit", "fail", "given", "picture"],
        5,
    )
    assert everywhere.value["api"][2] == "MCP.paged has no tool echo"
    everywhere.value["api"].pop()
    assert [word in json.dumps(everywhere.value) for word in ("echo", "Says it again", "function read(")] == [False] * 3
    assert "function list(" in everywhere.value["files"][2]
    assert "TypeError: MCP.paged.echo is not a function" in (called.error or "")
    assert "did you mean" not in (called.error or "")


async def test_what_the_servers_own_lists_leave_out_appears_nowhere(hosts: Any) -> None:
    server = toolcell.McpServer.stdio("paged", PAGED.command, allow=["e*", "fail"], deny=["exit"])
    run: toolcell.Run = await hosts.run(mcp=[server])

    assert (await run.exec("return Object.keys(MCP.paged)")).value == ["echo", "fail"]


@pytest.mark.parametrize("form", ["mcp", "mcp_raw"])
async def test_a_guessed_id_is_unknown_and_never_reaches_the_server(form: str) -> None:
    server, _ = faulty()
    seen = Seen()
    record, recorded = recorder()
    ids = ["mcp:faulty:echo", "mcp:faulty:nothing", "mcp:other:echo", "host:core:record", "record", "echo"]
    calls = [guest_call(number, id, {}, form) for number, id in enumerate(ids)]
    policy = toolcell.Policy(deny=["mcp:faulty:echo"])
    value = await exec_all(*calls, tools=[record], mcp=[server], policy=policy, hooks=[seen])

    assert [answer["error"] for answer in value.values()] == ["unknown_tool"] * len(ids)
    assert (seen.calls, recorded) == ([], [])


async def test_a_policy_that_changes_its_mind_hides_a_function_that_a_cell_has(hosts: Any) -> None:
    class Fickle(toolcell.Policy):
        shown = True

        def visible(self, tool: VisibleTool) -> bool:
            return self.shown or tool.id != "mcp:paged:echo"

    policy, seen = Fickle(), Seen()
    run: toolcell.Run = await hosts.run(mcp=[PAGED], policy=policy, hooks=[seen])
    await run.exec("return Object.keys(MCP.paged)")
    policy.shown = False
    result = await run.exec("return await MCP.paged.echo({word: 'hi'}).catch(e => [e.name, e.code])")

    assert (result.value, seen.calls) == (["ToolError", "unknown_tool"], [])


async def test_hooks_see_tools_and_requests_by_their_ids(hosts: Any) -> None:
    seen = Seen()
    run: toolcell.Run = await hosts.run(mcp=[PAGED, PICTURES], hooks=[seen])
    await run.exec(f"await MCP.paged.echo({{word: 'hi'}}); await {READ}; await MCP.paged.given(null, {{raw: true}})")

    assert [(call.tool_id, call.tool_name, call.tool_kind, call.input) for call in seen.calls] == [
        ("mcp:paged:echo", "echo", "mcp", {"word": "hi"}),
        ("mcp:pictures:resources/read", "resources/read", "mcp", {"uri": "file:///a.pdf"}),
        ("mcp:paged:given", "given", "mcp", None),
    ]


async def test_a_hook_blocks_or_edits_a_call_and_an_edit_is_validated(hosts: Any) -> None:
    values: list[Any] = []
    for answer in (toolcell.Block("secret"), toolcell.Edit({"word": "edited"}), toolcell.Edit({"words": 1})):
        run: toolcell.Run = await hosts.run(mcp=[PAGED], hooks=[Seen(answer)])
        result = await run.exec("return await MCP.paged.echo({word: 'hi'}).then(unwrap, e => [e.name, e.code, e.message])")
        values.append(result.value)

    assert values == [
        ["ToolDeniedError", "denied", "echo was denied by the host"],
        {"said": "edited"},
        ["ToolError", "invalid_tool_input", 'invalid input for echo: required but missing: "word"'],
    ]


@pytest.mark.parametrize(
    ("id", "call", "shown"),
    [
        ("mcp:paged:echo", "MCP.paged.echo({word: 'hi'})", {"word": "hi"}),
        ("mcp:pictures:resources/read", READ, {"uri": "file:///a.pdf"}),
    ],
)
async def test_a_policy_asks_by_exact_id_and_a_denied_call_is_not_sent(hosts: Any, id: str, call: str, shown: Any) -> None:
    run: toolcell.Run = await hosts.run(mcp=[PAGED, PICTURES], policy=toolcell.Policy(ask=[id]))
    waiting = [await run.exec(f"return await {call}.then(Object.keys, e => e.name)") for _ in range(2)]
    pending = [(result.pending_tool_calls or [])[0] for result in waiting]
    for result, decision, pended in zip(waiting, ["approve", "deny"], pending, strict=True):
        await run.decide(result.run_id or "", pended.id, decision)
    approved, denied = [await run.wait(result.run_id) for result in waiting]

    assert [(result.status, result.reason) for result in waiting] == [("waiting", "approval")] * 2
    assert [call.input for call in pending] == [shown] * 2
    assert (approved.status, denied.value) == ("completed", "ToolDeniedError")
    assert approved.value != "ToolDeniedError"
    assert denied.telemetry.call_count == 2


PROGRAM = """
import asyncio, sys
import toolcell
from toolcell.store import SqliteStore

async def main():
    server = toolcell.McpServer.stdio("paged", [sys.executable, "-S", sys.argv[1]])
    scope = toolcell.Scope("agent", "session", "key", "run")
    async with toolcell.CodeMode(store=SqliteStore(sys.argv[2], key="k" * 32)) as code_mode:
        policy = toolcell.Policy(ask=["mcp:paged:echo"])
        async with code_mode.run(mcp=[server], force=True, scope=scope, policy=policy) as run:
            code = "const a = await MCP.paged.given({word: 'w'}), b = await MCP.paged.echo({word: 'a'}); [a, b].map(unwrap)"
            result = await run.exec(code)
            print(result.run_id, result.pending_tool_calls[0].id, flush=True)
            await asyncio.Event().wait()

asyncio.run(main())
"""


def begun(tmp_path: Path) -> list[str]:
    """Ids of a cell and its call, begun in a process of its own, which was killed when they waited."""
    arguments = [sys.executable, "-c", PROGRAM, str(SERVERS / "paged.py"), str(tmp_path / "cells.db")]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ids = process.stdout.readline().split()
        process.kill()
    return ids


@pytest.mark.parametrize(
    ("decision", "given", "said"), [("approve", None, {"said": "a"}), ("edit", {"word": "b"}, {"said": "b"})]
)
async def test_a_call_is_approved_in_another_process_after_the_first_was_killed(
    tmp_path: Path, decision: str, given: Any, said: Any
) -> None:
    run_id, call_id = begun(tmp_path)
    scope = toolcell.Scope("agent", "session", "key", "run")
    policy = toolcell.Policy(ask=["mcp:paged:echo"])
    async with (
        toolcell.CodeMode(store=SqliteStore(tmp_path / "cells.db", key="k" * 32)) as code_mode,
        code_mode.run(mcp=[PAGED], force=True, scope=scope, policy=policy) as run,
    ):
        await run.decide(run_id, call_id, decision, input=given)
        result = await run.wait(run_id)

    assert (result.value, result.for_model().startswith(BEGIN)) == ([{"word": "w"}, said], True)


async def test_a_decision_for_a_server_that_is_gone_is_refused_and_the_call_may_still_be_denied(tmp_path: Path) -> None:
    scope = toolcell.Scope("agent", "session", "key", "run")
    down = toolcell.McpServer.stdio("paged", [sys.executable, "-c", "raise SystemExit(1)"])
    policy = toolcell.Policy(ask=["mcp:paged:echo"])
    async with toolcell.CodeMode(store=SqliteStore(tmp_path / "cells.db", key="k" * 32)) as code_mode:
        async with code_mode.run(mcp=[PAGED], force=True, scope=scope, policy=policy) as first:
            code = "return await MCP.paged.echo({word: 'a'}).catch(e => [e.name, e.code])"
            waiting = await first.exec(code)
        [pending] = waiting.pending_tool_calls or []
        async with code_mode.run(mcp=[down], force=True, scope=scope, policy=policy) as second:
            with pytest.raises(InvalidDecisionError, match="can't be reached"):
                await second.decide(waiting.run_id or "", pending.id, "approve")
            still = await second.wait(waiting.run_id)
            with pytest.raises(InvalidDecisionError, match="can't be reached"):
                await second.decide(waiting.run_id or "", pending.id, "approve")
            await second.decide(waiting.run_id or "", pending.id, "deny")
            result = await second.wait(waiting.run_id)

    assert (still.status, still.reason) == ("waiting", "approval")
    assert result.value == ["ToolDeniedError", "denied"]


@pytest.mark.parametrize("call", ["MCP.faulty.echo()", "MCP.faulty.echo({}, {raw: true})", "MCP.nowhere.any()"])
async def test_a_restart_safe_cell_calls_no_server(hosts: Any, call: str) -> None:
    server, mark = faulty()
    down = toolcell.McpServer.stdio("nowhere", [sys.executable, "-c", "raise SystemExit(1)"])
    record, seen = recorder(replay_safe=True)
    run: toolcell.Run = await hosts.run(record, mcp=[server, down])
    code = f"try {{ await Promise.all([record({{n: 1}}), {call}]) }} catch {{}} return await record({{n: 2}})"
    result = await run.exec({"code": code, "restartSafe": True})

    assert (result.status, result.code, result.reason) == ("failed", "invalid_input", "side_effect_in_restart_safe")
    assert (seen, len(processes(mark))) == ([], 1)


async def test_what_a_cell_has_of_a_server_is_marked_for_the_model_in_later_legs_too(hosts: Any) -> None:
    run: toolcell.Run = await hosts.run(mcp=[PAGED])
    plain = await run.exec("return 1")
    waiting = await run.exec("const r = await MCP.paged.echo({word: 'hi'}); await yield_control(); return unwrap(r)")
    result = await run.wait(waiting.run_id)
    failed = await run.exec("return await MCP.paged.fail()")

    assert [each.for_model().startswith(BEGIN) for each in (plain, waiting, result, failed)] == [False, True, True, True]
    assert (result.value, failed.status) == ({"said": "hi"}, "failed")
