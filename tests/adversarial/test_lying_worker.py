"""What a worker that was taken over could still say in right frames: the cell fails, the host goes on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import toolcell
from toolcell.executor.protocol import CellSource
from toolcell.testing import FakeCall, FakeExecutor, FakeText, Guest

DEEP = b"[" * 100_000 + b"]" * 100_000
TIMER = FakeCall(1, "timer", delay_ms=0)


@toolcell.tool(name="echo", input_schema={}, raw_input=True)
async def echo(given: object) -> object:
    return given


WORDS = toolcell.McpServer.stdio("words", [sys.executable, str(Path(__file__).parent / "servers/words.py"), "harmless"])


async def exec_legs(
    *legs: list[FakeCall | FakeText], value: bytes = b"1", mcp: Sequence[toolcell.McpServer] = ()
) -> toolcell.CellResult:
    def program(source: CellSource) -> Guest:
        for leg in legs:
            _ = yield leg
        return value

    config = {"enabled": True, "timeoutMs": 5_000}
    async with (
        toolcell.CodeMode(config, executor=FakeExecutor(program)) as code_mode,
        code_mode.run(tools=[echo], mcp=mcp, force=True) as run,
    ):
        result = await run.exec({"code": "x"})
        assert code_mode.cells == {}
        return result


VALUES = [b"", b"{", b"NaN", b"1e999", b'"\xff"', b'"\\ud800"', DEEP, b'"' + b"x" * (1 << 17) + b'"']


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value[:8])
async def test_a_value_that_can_not_be_one_fails_the_cell(value: bytes) -> None:
    result = await exec_legs([TIMER], value=value)

    assert (result.status, result.code, result.reason) == ("failed", "runtime_unavailable", "worker_crashed")


@pytest.mark.parametrize("item", [b"", b"{", b"NaN", b'"\xff"'])
async def test_output_that_is_not_json_is_text(item: bytes) -> None:
    result = await exec_legs([FakeText(item, "json"), TIMER])  # pyright: ignore[reportArgumentType]

    assert (result.status, result.output) == ("completed", [toolcell.TextOutput(text=item.decode("utf-8", "replace"))])


@pytest.mark.parametrize(
    "call",
    [
        FakeCall(1, target="echo", input=b"{"),
        FakeCall(1, target="echo", input=DEEP),
        FakeCall(1, target="echo", input=b'"\xff"'),
        FakeCall(1, target=None, input=b"1"),
        FakeCall(1, target="exec", input=b"1"),
        FakeCall(1, "search", None, limit=-(2**40)),
        FakeCall(1, "describe", None),
        FakeCall(1, "describe", "\ud800"),
        FakeCall(1, "timer", delay_ms=-5),
        FakeCall(2**70, target="echo", input=b"1"),
    ],
    ids=str,
)
async def test_a_call_that_makes_no_sense_settles(call: FakeCall) -> None:
    result = await exec_legs([call])

    assert (result.status, result.value) == ("completed", 1)


@pytest.mark.parametrize(
    "call",
    [
        FakeCall(1, "mcp", "host:core:echo", input=b"1"),
        FakeCall(1, "mcp_raw", None),
        FakeCall(1, "describe", "mcp:words:speak"),
        FakeCall(1, "describe_handle", "mcp:words:resources/read"),
        FakeCall(1, "api", "words", input=b"5"),
        FakeCall(1, "api", "words", input=b"{"),
        FakeCall(1, "api", "nowhere", input=b"[]"),
    ],
    ids=str,
)
async def test_what_no_server_has_settles(call: FakeCall) -> None:
    result = await exec_legs([call], mcp=[WORDS])

    assert (result.status, result.value) == ("completed", 1)


async def test_a_fault_of_the_executor_is_the_hosts_exception_and_leaves_no_cell() -> None:
    def program(source: CellSource) -> Guest:
        yield [TIMER]
        raise OSError("broken")

    async with (
        toolcell.CodeMode(executor=FakeExecutor(program)) as code_mode,
        code_mode.run(tools=[echo], force=True) as run,
    ):
        with pytest.raises(OSError, match="broken"):
            await run.exec({"code": "x"})

        assert code_mode.cells == {}
