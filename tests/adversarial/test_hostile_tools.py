"""Tools, callers and stores that misbehave: the cell gets plain data, the host goes on."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from typing import Any

import pytest

import toolcell
from toolcell.store import SqliteStore

SCOPE = toolcell.Scope("agent", "session", "key", "run")
KEY = b"k" * 32


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class AlarmError(BaseException):
    pass


@toolcell.tool
def exits() -> None:
    sys.exit(3)


@toolcell.tool
async def exits_async() -> None:
    sys.exit(3)


@toolcell.tool
def stops() -> None:
    raise StopIteration(5)


@toolcell.tool
async def alarms() -> None:
    raise AlarmError("/secret")


@toolcell.tool
async def mute() -> None:
    raise MuteError


@toolcell.tool
async def half_a_character() -> None:
    raise ValueError("name \udcff")


@toolcell.tool
async def half_a_character_in_a_result() -> toolcell.ToolResult:
    return toolcell.ToolResult(content=[{"type": "text", "text": "name \udcff"}], is_error=True)


@toolcell.tool
async def missing_file() -> None:
    Path("/secret/place").read_text()


FAILURES: list[tuple[Any, str, str]] = [
    (exits, "host_error", "exits failed on the host"),
    (exits_async, "host_error", "exits_async failed on the host"),
    (stops, "tool_failed", "StopIteration"),
    (alarms, "host_error", "alarms failed on the host"),
    (mute, "tool_failed", "mute failed"),
    (half_a_character, "tool_failed", "name \ufffd"),
    (half_a_character_in_a_result, "tool_failed", "name \ufffd"),
    (missing_file, "tool_failed", "No such file or directory"),
]


@pytest.mark.parametrize(("tool", "code", "message"), FAILURES, ids=lambda value: getattr(value, "name", ""))
async def test_however_a_tool_fails_its_cell_gets_plain_data(tool: Any, code: str, message: str) -> None:
    async with toolcell.CodeMode() as code_mode, code_mode.run(tools=[tool], force=True) as run:
        result = await run.exec({"code": f"try {{ await {tool.name}() }} catch (e) {{ return [e.name, e.code, e.message] }}"})

    assert result.value == ["ToolError", code, message]


@pytest.mark.parametrize(
    "arguments",
    [
        {"code": "return '\ud800'"},
        {"code": "// \udcff\nreturn '\ufffd'", "title": "\ud800"},
        {"code": "return 1", "\ud800": 1},
        {"code": "return 1", "language": "\ud800"},
    ],
)
async def test_half_a_character_from_a_model_reaches_nobody(arguments: dict[str, object]) -> None:
    async with toolcell.CodeMode() as code_mode, code_mode.run(tools=[mute], force=True) as run:
        result = await run.exec(arguments)

    result.for_model().encode()
    assert (result.value, result.code) in [("\ufffd", None), (None, "invalid_input")]


async def test_an_approval_is_for_the_tool_that_was_shown_not_for_its_name(tmp_path: Path) -> None:
    calls = list[str]()

    def tool(plugin: str) -> toolcell.Tool:
        @toolcell.tool(name="send", plugin=plugin, input_schema={}, raw_input=True, requires_approval=True)
        async def send(given: Any) -> str:
            calls.append(plugin)
            return plugin

        return send

    async with (
        toolcell.CodeMode(store=SqliteStore(tmp_path / "cells.db", key=KEY)) as code_mode,
        code_mode.run(tools=[tool("mail")], force=True, scope=SCOPE) as run,
    ):
        waiting = await run.exec({"code": "try { return await send('x') } catch (e) { return e.code }"})
    assert waiting.run_id is not None
    async with (
        toolcell.CodeMode(store=SqliteStore(tmp_path / "cells.db", key=KEY)) as code_mode,
        code_mode.run(tools=[tool("other")], force=True, scope=SCOPE) as run,
    ):
        with pytest.raises(toolcell.ToolcellError, match="does not have"):
            await run.decide(waiting.run_id, f"{waiting.run_id}/1", "approve")

    assert calls == []


LEDGERS = [
    "state = 'claimed', owner = 'garbage'",
    "state = 'claimed', owner = '{boot}:²:1'",
    "state = 'claimed', owner = '{boot}:99999999999999999999:1'",
    "state = 'weird'",
    "generation = -1",
    "generation = 9223372036854775807",
    "until = -9e999",
]


@pytest.mark.parametrize("change", LEDGERS)
async def test_a_ledger_changed_by_hand_gives_no_cell_and_no_exception(change: str, tmp_path: Path) -> None:
    path = tmp_path / "cells.db"
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    async with (
        toolcell.CodeMode(store=SqliteStore(path, key=KEY)) as code_mode,
        code_mode.run(tools=[mute], force=True, scope=SCOPE) as run,
    ):
        waiting = await run.exec({"code": "await yield_control(); return 1"})
    with closing(connect(path, isolation_level=None)) as database:
        database.execute(f"UPDATE ledger SET {change.format(boot=boot)}")
    async with (
        toolcell.CodeMode(store=SqliteStore(path, key=KEY)) as code_mode,
        code_mode.run(tools=[mute], force=True, scope=SCOPE) as run,
    ):
        result = await run.wait({"runId": waiting.run_id})

    assert (result.code, result.reason in ("unknown_run", "snapshot_expired")) == ("invalid_input", True)
