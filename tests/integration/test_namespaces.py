"""Namespaces that a host gives to cells: other names for calls of its tools."""

from __future__ import annotations

from typing import Any

import toolcell
from support.runs import recorder


class Hooks:
    """Remember the calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def before_tool_call(self, call: toolcell.ToolCall) -> None:
        self.calls.append(call.tool_id)


async def test_functions_of_the_hosts_namespaces_call_tools_through_the_pipeline(hosts: Any) -> None:
    record, seen = recorder()
    hooks = Hooks()
    namespaces = {"office": {"write": "record", "copy": "host:core:record"}}
    run: toolcell.Run = await hosts.run(
        record, namespaces=namespaces, hooks=[hooks], policy=toolcell.Policy(ask=["host:core:record"])
    )
    waiting = await run.exec(
        "return [Object.keys(namespaces), Object.keys(namespaces.office), await namespaces.office.write({n: 1})]"
    )
    [pending] = waiting.pending_tool_calls or []
    before = list(seen)
    await run.decide(waiting.run_id or "", pending.id, "approve")
    result = await run.wait(waiting.run_id)

    assert (waiting.reason, pending.tool, before) == ("approval", "record", [])
    assert result.value == [["MCP", "office"], ["write", "copy"], {"n": 1}]
    assert (hooks.calls, seen) == (["code_mode:exec", "host:core:record"], [{"n": 1}])


async def test_a_namespace_has_no_function_for_a_tool_that_the_run_may_not_see(hosts: Any) -> None:
    record, seen = recorder()
    run: toolcell.Run = await hosts.run(
        record, namespaces={"office": {"write": "record"}}, policy=toolcell.Policy(deny=["record"])
    )
    result = await run.exec("return [Object.keys(namespaces.office), typeof namespaces.office.write]")

    assert (result.value, seen) == ([[], "undefined"], [])


async def test_namespaces_are_not_to_be_called_again_in_a_restart_safe_cell(hosts: Any) -> None:
    record, seen = recorder()
    run: toolcell.Run = await hosts.run(record, namespaces={"office": {"write": "record"}})
    result = await run.exec({"code": "return await namespaces.office.write({n: 1})", "restartSafe": True})

    assert (result.reason, seen) == ("side_effect_in_restart_safe", [])
