"""Cells that try to forge, see, stall or fill something of ours, on real workers. Each costs at most itself."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

import toolcell
from toolcell.executor.quickjs import QuickJsExecutor


@toolcell.tool(name="echo", input_schema={}, raw_input=True)
async def echo(given: Any) -> Any:
    return given


@toolcell.tool(name="never", input_schema={}, raw_input=True)
async def never(_: Any) -> None:
    await asyncio.Event().wait()


class Bench:
    """Opens runs, and knows of crashed workers."""

    def __init__(self, stack: AsyncExitStack) -> None:
        self._stack = stack
        self._pools = list[Any]()

    async def run(self, **config: Any) -> toolcell.Run:
        code_mode = await self._stack.enter_async_context(toolcell.CodeMode({"enabled": True, **config}))
        run = await self._stack.enter_async_context(code_mode.run(tools=[echo, never], force=True))
        assert isinstance(code_mode.executor, QuickJsExecutor)
        self._pools.append(code_mode.executor.pool)
        return run

    def crashed(self) -> int:
        return sum(pool.stats()["crashed"] for pool in self._pools)


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    async with AsyncExitStack() as stack:
        yield Bench(stack)


WEIRD: list[tuple[str, object]] = [
    # Buffers that change while they are read.
    (
        "const b = new ArrayBuffer(64, {maxByteLength: 128}), t = new Uint8Array(b);"
        "Object.defineProperty(t, 'length', {get() { b.resize(2); return 4 }}); return t",
        [0, 0, None, None],
    ),
    (
        "const b = new ArrayBuffer(4096), t = new Uint8Array(b);"
        "Object.defineProperty(t, 'length', {get() { b.transfer(0); return 2 }}); return t",
        [None, None],
    ),
    ("const b = new ArrayBuffer(64, {maxByteLength: 128}), t = new Uint32Array(b, 32, 4); b.resize(33); return [t]", [[]]),
    (
        "const b = new ArrayBuffer(1 << 20), o = {t: new Uint8Array(b), get g() { b.transfer(0); return 1 }};"
        "return structuredClone(o).t.length",
        1 << 20,
    ),
    (
        "const b = new ArrayBuffer(64, {maxByteLength: 4096}); let n = 0; const o = {b, get g() { b.resize(4096); return 1 },"
        "get u() { return new Uint32Array(b, 1024, 400) }}; try { structuredClone(o) } catch (e) { return e.name }",
        "RangeError",
    ),
    # Collections that change while they are read.
    ("const m = new Map([['a', {get x() { m.clear(); return 1 }}], ['b', 2]]); return m", {"a": {"x": 1}, "b": 2}),
    ("const a = [1, {get x() { a.length = 0; return 1 }}, 3]; return a", [1, {"x": 1}, None]),
    ("const a = [{get x() { a.length = 2 ** 32 - 1; return 1 }}, 2]; return a", [{"x": 1}, 2]),
    # Proxies.
    (
        "const {proxy, revoke} = Proxy.revocable({}, {}); revoke(); return {proxy}",
        {"proxy": "[Throws: TypeError: revoked proxy]"},
    ),
    (
        "const getOwnPropertyDescriptor = () => ({enumerable: true, configurable: true});"
        "return new Proxy({}, {ownKeys: () => ['a'], getOwnPropertyDescriptor})",
        {},
    ),
    # Replaced built-ins.
    ("Date.prototype.toISOString = () => 'evil'; return new Date(0)", "1970-01-01T00:00:00.000Z"),
    ("Promise.prototype.then = () => { throw 1 }; Promise.resolve = null; return await echo(5)", 5),
    ("JSON.stringify = JSON.parse = () => 'evil'; Array.prototype.push = null; return await echo({a: [1]})", {"a": [1]}),
    (
        "Object.getPrototypeOf(new Map().entries()).next = () => ({done: false, value: ['evil', 1]});"
        "return [new Map([['a', 1]]), new Set([2])]",
        [{"a": 1}, [2]],
    ),
    ("Object.prototype.id = 'evil'; Object.prototype.toJSON = () => 'evil'; return (await tools.search('echo')).length", 1),
    # What is ours stays ours.
    (
        "return [() => { globalThis.echo = 1 }, () => { tools.echo = 1 }, () => delete tools.echo, () => tools.x = 1,"
        "() => Object.defineProperty(tools, 'x', {value: 1}), () => Object.setPrototypeOf(tools, {}), () => { text.x = 1 },"
        "() => { ALL_TOOLS.push(1) }, () => { ALL_TOOLS[0].name = 'x' }]"
        ".map(attempt => { try { attempt(); return 'done' } catch (e) { return e.name } })",
        ["TypeError"] * 9,
    ),
    ("try { (0, eval)('var echo = 1') } catch {} return await tools.echo(2)", 2),
    ("return Function('t', 'with (t) { return [typeof search, typeof nope] }')(tools)", ["function", "undefined"]),
    (
        "Error.prepareStackTrace = (e, frames) => frames.map(f => f.getFunction()); return typeof new Error('x').stack",
        "string",
    ),
    # Recursion through our native code.
    ("const o = {toJSON: () => [o]}; try { await echo(o) } catch (e) { return e.name }", "TypeError"),
    ("const n = () => ({toJSON: () => [n()]}); try { await echo(n()) } catch (e) { return e.name }", "RangeError"),
    ("const o = {get x() { return structuredClone(o) }}; try { structuredClone(o) } catch (e) { return e.name }", "RangeError"),
    (
        "let a = []; for (let i = 0; i < 1999; i++) a = [a];"
        "const f = () => { try { return f() } catch { try { structuredClone(a) } catch {} return 'alive' } }; return f()",
        "alive",
    ),
    # Timers.
    (
        "const ts = [], out = []; const f = i => () => { out.push(i); ts.forEach(clearTimeout) };"
        "for (let i = 0; i < 5; i++) ts.push(setTimeout(f(i), 1));"
        "await new Promise(resolve => setTimeout(resolve, 30)); return out.length >= 1",
        True,
    ),
    ("const p = echo(1); for (let i = 0; i < 9; i++) clearTimeout(i); return await p", 1),
    ("for (let i = 0; i < 1e5; i++) clearTimeout(setTimeout(() => 0, 1e9)); return 1", 1),
    # Names without an end.
    ("try { await tools.call('x'.repeat(2e7)) } catch (e) { return e.name }", "RangeError"),
    ("try { await tools.search('x'.repeat(2e7)) } catch (e) { return e.name }", "RangeError"),
    ("try { await yield_control('x'.repeat(2e7)) } catch (e) { return e.name }", "RangeError"),
    ("return [typeof tools['\\ud800'], typeof tools['x'.repeat(2e7)]]", ["undefined"] * 2),
]


@pytest.mark.parametrize(("code", "value"), WEIRD)
async def test_a_weird_cell_ends_as_the_language_says_and_its_worker_lives(bench: Bench, code: str, value: object) -> None:
    run = await bench.run()

    result = await run.exec({"code": code})
    after = await run.exec({"code": "return [await tools.echo(1), typeof setTimeout, new Date(0), ({}).id === undefined]"})

    assert (result.error, result.value) == (None, value)
    assert (after.value, bench.crashed()) == ([1, "function", "1970-01-01T00:00:00.000Z", True], 0)


FULL: list[tuple[str, dict[str, Any], tuple[str | None, str | None]]] = [
    (
        "const a = Array(1e6).fill({text: 'a'.repeat(1e4)}); return unwrap({content: a}).length",
        {},
        ("internal_error", "memory_limit_exceeded"),
    ),
    ("const a = []; a.length = 4294967295; return unwrap({content: a})", {"timeoutMs": 500}, ("timeout", None)),
    ("const s = 'x'.repeat(2e7); console.log(...Array(200).fill(s))", {}, ("output_limit_exceeded", None)),
    ("for (;;) setTimeout(() => 0, 1)", {}, ("invalid_input", "too_many_pending_tool_calls")),
    (
        "const r = new FinalizationRegistry(() => setTimeout(() => 0, 0)); for (let i = 0; i < 1e5; i++) r.register({}, i);"
        "await yield_control()",
        {},
        ("invalid_input", "too_many_pending_tool_calls"),
    ),
    (
        "const s = 'x'.repeat(1e7); for (;;) { for (let i = 0; i < 4; i++) never(s); await new Promise(r => setTimeout(r, 1)) }",
        {},
        ("invalid_input", "too_many_pending_tool_calls"),
    ),
    ("for (;;) text('x'.repeat(1e6))", {"outputOverflow": "truncate", "timeoutMs": 1000}, ("timeout", None)),
]


@pytest.mark.parametrize(("code", "config", "end"), FULL)
async def test_a_cell_that_floods_ends_by_its_limit_and_does_not_fill_the_host(
    bench: Bench, code: str, config: dict[str, Any], end: tuple[str | None, str | None]
) -> None:
    run = await bench.run(**config)
    before = peak_bytes()

    result = await run.exec({"code": code})
    after = await run.exec({"code": "return 1"})

    assert (result.code, None if result.reason == "worker_killed" else result.reason) == end
    assert (after.value, bench.crashed(), peak_bytes() - before < 300 << 20) == (1, 0, True)


LOUD = [
    "const e = new Error('x'); e.stack = '    at f (cell:2:1)\\n'.repeat(1e6); throw e",
    "const e = new Error('x'); e.stack = `    at ${'f'.repeat(1e7)} (cell:2:1)`; throw e",
    "const e = new Error('x'); e.name = 'n'.repeat(1e7); throw e",
    "const f = {['n'.repeat(2e6)]() { throw new Error('a') }}; Object.values(f)[0]()",
    "for (let i = 0; i < 8; i++) tools['x'.repeat(4e6) + i]; throw new Error('hm')",
    "for (let i = 0; i < 1000; i++) await echo(i); throw new Error('x')",
    "for (let i = 0; i < 1000; i++) never('x'.repeat(10_000)); await yield_control()",
    "for (let i = 0; i < 1000; i++) tools.call('x'.repeat(10_000) + i).catch(() => 0); await yield_control()",
    "throw {a: 'x'.repeat(1e7)}",
]


@pytest.mark.parametrize("code", LOUD)
async def test_what_a_model_reads_is_bounded_whatever_a_cell_does(bench: Bench, code: str) -> None:
    run = await bench.run(maxOutputBytes=1024)

    result = await run.exec({"code": code})

    assert (result.status != "completed", len(result.for_model()) < 100_000, bench.crashed()) == (True, True, 0)


def peak_bytes() -> int:
    """Most memory that this process has ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
