"""Deadlines hold whatever a cell does.

Here the time is the rule under test, so it is measured. The rule allows half a second beyond the deadline; an idle
machine needs a tenth, which is the grace before the kill from outside.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

import toolcell

TIMEOUT_S = 0.5
LATE_AT_MOST_S = 0.5
AT_ONCE = 20

ENDLESS = {
    "a native loop that asks nobody": "return Array.prototype.reverse.call({length: 2 ** 53 - 1})",
    "a native loop over nothing": "return Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)",
    "a native loop over a typed array's sort": "return new Uint32Array(1e5).sort(() => { for (;;); })",
    "powers of a big integer": "const n = 3n ** 300000n; for (;;) n ** 2n",
    "a big integer as text": "const n = 7n ** 300000n; for (;;) n.toString()",
    "a regular expression that backtracks": "return /^(a+)+$/.test('a'.repeat(50) + 'b')",
    "a regular expression with lookahead that backtracks": "return /^(?=(x+x+)+y)/u.test('x'.repeat(60))",
    "a replacement that never ends": "return 'a'.repeat(100).replace(/a/g, () => { for (;;); })",
    "recursion that catches its overflow": "function f() { try { f() } finally { f() } } f()",
    "a loop": "for (;;);",
    "a loop of promises": "for (;;) await null",
}
"""Cells that only the deadline ends."""
GREEDY = {
    "an array of single characters": "return 'x'.repeat(2 ** 28).split('').length",
    "deep recursion": "function f(n) { return 1 + f(n + 1) } return f(0)",
    "deep recursion through a native function": "const f = () => [1].map(f); return f()",
    "deep nesting": "let o; for (;;) o = [o]",
    "powers of powers of a big integer": "let n = 3n; for (;;) n = n ** 2n",
    "a big integer beyond the engine's bound": "return 2n ** (2n ** 40n)",
}
"""Cells that run into another limit first, or into the deadline."""


@pytest.fixture
async def run() -> AsyncIterator[toolcell.Run]:
    config = {"timeoutMs": int(TIMEOUT_S * 1000)}
    async with toolcell.CodeMode(config) as code_mode, code_mode.run(force=True) as run:
        yield run


async def timed(run: toolcell.Run, code: str) -> tuple[toolcell.CellResult, bool]:
    """Run a cell; returns its result, and whether that came in time."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    result = await run.exec({"code": code})
    return result, loop.time() - began <= TIMEOUT_S + LATE_AT_MOST_S


@pytest.mark.parametrize("name", ENDLESS)
async def test_a_cell_that_never_ends_is_ended_in_time_and_the_next_one_runs(run: toolcell.Run, name: str) -> None:
    result, in_time = await timed(run, ENDLESS[name])
    after, _ = await timed(run, "return 1")

    assert (result.code, in_time, after.value) == ("timeout", True, 1)


@pytest.mark.parametrize("name", GREEDY)
async def test_a_cell_that_runs_into_another_limit_is_ended_in_time_and_the_next_one_runs(run: toolcell.Run, name: str) -> None:
    result, in_time = await timed(run, GREEDY[name])
    after, _ = await timed(run, "return 1")

    assert (result.code in ("internal_error", "timeout"), in_time, after.value) == (True, True, 1)


@pytest.mark.parametrize("name", ENDLESS)
async def test_twenty_at_once_are_all_ended_in_time(run: toolcell.Run, name: str) -> None:
    ended = await asyncio.gather(*(timed(run, ENDLESS[name]) for _ in range(AT_ONCE)))
    after, _ = await timed(run, "return 1")

    assert [(result.code, in_time) for result, in_time in ended] == [("timeout", True)] * AT_ONCE
    assert after.value == 1


async def test_twenty_different_ones_at_once_are_all_ended_in_time(run: toolcell.Run) -> None:
    codes = [*ENDLESS.values(), *GREEDY.values(), *ENDLESS.values()][:AT_ONCE]
    ended = await asyncio.gather(*(timed(run, code) for code in codes))
    after, _ = await timed(run, "return 1")

    assert [(result.status, in_time) for result, in_time in ended] == [("failed", True)] * AT_ONCE
    assert after.value == 1
