"""Cells in real workers: values, calls, failures, limits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import toolcell
from toolcell.telemetry import Event

LIMIT_S = 2.0


@toolcell.tool
async def add(a: int, b: int) -> int:
    return a + b


@toolcell.tool
def rows(n: int) -> list[dict[str, int]]:
    return [{"id": number} for number in range(n)]


@toolcell.tool
async def never() -> None:
    await asyncio.Event().wait()


async def test_a_cell_joins_what_several_tools_return(hosts: Any) -> None:
    run = await hosts.run(add, rows)
    result = await run.exec(
        {
            "code": "const [n, list] = await Promise.all([add({a: 1, b: 2}), tools.rows({n: 3})]);"
            "return {n, ids: list.map(r => r.id)}"
        }
    )

    assert result.value == {"n": 3, "ids": [0, 1, 2]}


async def test_text_json_and_console_are_output(hosts: Any) -> None:
    run = await hosts.run(add)
    result = await run.exec({"code": "text('a'); json({b: null}); console.log('c'); return 1"})

    assert result.output == [
        toolcell.TextOutput(text="a"),
        toolcell.JsonOutput(value={"b": None}),
        toolcell.TextOutput(text="c"),
    ]


async def test_integers_of_any_size_keep_their_digits(hosts: Any) -> None:
    @toolcell.tool
    async def big() -> int:
        return 2**80

    run = await hosts.run(big)

    assert (await run.exec({"code": "return (await big()) + 1n"})).value == 2**80 + 1


async def test_an_uncaught_error_is_placed_in_the_models_own_lines(hosts: Any) -> None:
    run = await hosts.run(add)
    result = await run.exec({"code": "const a = 1;\nthrow new TypeError('boom');"})

    assert (result.code, result.reason, result.phase, result.location and result.location.line) == (
        "internal_error",
        "guest_error",
        "guest",
        2,
    )
    assert (result.error or "").startswith("TypeError: boom")


async def test_an_uncaught_tool_failure_keeps_the_tools_message(hosts: Any) -> None:
    @toolcell.tool
    async def fail() -> None:
        raise RuntimeError("disk full")

    run = await hosts.run(fail)
    result = await run.exec({"code": "await fail()"})

    assert (result.reason, "disk full" in (result.error or "")) == ("nested_tool_failed", True)
    assert [(c.tool, c.outcome) for c in result.calls or ()] == [("fail", "error")]


@pytest.mark.parametrize(
    ("code", "config", "expected"),
    [
        ("for (;;);", {"timeoutMs": 200}, ("timeout", None)),
        ("Array.prototype.reverse.call({length: 2**53-1})", {"timeoutMs": 200}, ("timeout", "worker_killed")),
        (
            "const a = []; for (;;) a.push(new Array(1000).fill(a.length));",
            {"memoryLimitBytes": 4 << 20},
            ("internal_error", "memory_limit_exceeded"),
        ),
        ("for (;;) text('x'.repeat(1000));", {"maxOutputBytes": 65536}, ("output_limit_exceeded", None)),
        ("return 'x'.repeat(100000)", {"maxOutputBytes": 65536}, ("output_limit_exceeded", None)),
        ("function f() { return f() + 1 } f()", {}, ("internal_error", "stack_overflow")),
        ("await new Promise(() => {})", {}, ("internal_error", "never_settles")),
        ("Promise.reject(new Error('x')); return 1", {}, ("internal_error", "unhandled_rejection")),
        ("for (let i = 0; i < 2000; i++) add({a: 1, b: 1}); await 0", {}, ("invalid_input", "too_many_pending_tool_calls")),
        ("return 1 }); (async () => { await 0", {}, ("invalid_input", "syntax_error")),
        ("import fs from 'fs'", {}, ("invalid_input", "module_access_denied")),
        ("const keep = Array.from({length: 9}, Math.random); await yield_control(); return keep", {"maxSnapshotBytes": 1024},
         ("snapshot_limit_exceeded", None)),
    ],
)  # fmt: skip
async def test_a_limit_or_fault_has_its_code_and_the_next_cell_runs(
    hosts: Any, code: str, config: dict[str, Any], expected: tuple[str, str | None]
) -> None:
    run = await hosts.run(add, config=config)
    result = await run.exec({"code": code})
    after = await run.exec({"code": "return 1"})

    assert ((result.code, result.reason), after.value) == (expected, 1)


async def test_output_survives_the_hard_kill(hosts: Any) -> None:
    run = await hosts.run(add, config={"timeoutMs": 200})
    result = await run.exec({"code": "text('before'); Array.prototype.reverse.call({length: 2**53-1})"})

    assert (result.reason, result.output) == ("worker_killed", [toolcell.TextOutput(text="before")])


async def test_a_flood_of_calls_dispatches_none(hosts: Any) -> None:
    seen = list[int]()

    @toolcell.tool
    async def count(n: int) -> None:
        seen.append(n)

    run = await hosts.run(count)
    await run.exec({"code": "for (let n = 0; n < 2000; n++) count({n}); await 0"})

    assert seen == []


async def test_truncate_keeps_head_and_tail(hosts: Any) -> None:
    run = await hosts.run(add, config={"maxOutputBytes": 2048, "outputOverflow": "truncate"})
    result = await run.exec({"code": "for (let i = 0; i < 5000; i++) text('line ' + i); return 'ok'"})

    texts = [item.text for item in result.output or () if isinstance(item, toolcell.TextOutput)]
    assert (result.value, "output truncated" in texts[0], texts[1], texts[-1]) == ("ok", True, "line 0", "line 4999")


async def test_a_wait_resumes_from_bytes_in_another_worker(hosts: Any) -> None:
    run = await hosts.run(add, config={"workerReuse": "never"})
    first = await run.exec(
        {"code": "class P { #n = 41; inc() { return ++this.#n } }; const p = new P();await yield_control('r'); return p.inc()"}
    )
    second = await run.wait({"runId": first.run_id})

    assert (first.reason, second.value, second.telemetry.cell.restored) == ("yield", 42, 1)


async def test_timers_survive_suspension(hosts: Any) -> None:
    run = await hosts.run(add)
    code = (
        "let done = 0; setTimeout(() => { done = 1 }, 30); await yield_control();"
        "await new Promise(r => setTimeout(r, 60)); return done"
    )
    first = await run.exec({"code": code})

    assert (await run.wait({"runId": first.run_id})).value == 1


async def test_a_cleared_timer_does_not_hold_up_the_cell(hosts: Any) -> None:
    run = await hosts.run(add)
    result = await run.exec({"code": "const t = setTimeout(() => text('no'), 60000); clearTimeout(t); return 1"})

    assert (result.value, result.output) == (1, None)


async def test_a_slow_call_leaves_the_cell_waiting_within_the_deadline(hosts: Any) -> None:
    run = await hosts.run(never, config={"timeoutMs": 200})
    result = await run.exec({"code": "return await never()"})

    assert (result.status, result.reason, [p.tool for p in result.pending_tool_calls or ()]) == (
        "waiting",
        "pending_tools",
        ["never"],
    )


async def test_many_cells_run_at_once_in_one_run(hosts: Any) -> None:
    run = await hosts.run(add)
    results = await asyncio.gather(*(run.exec({"code": f"return await add({{a: {n}, b: 1}})"}) for n in range(40)))

    assert [result.value for result in results] == [n + 1 for n in range(40)]


async def test_abort_ends_an_endless_cell(hosts: Any) -> None:
    run = await hosts.run(add, config={"timeoutMs": 60_000})
    started = asyncio.Event()

    def listener(event: Event) -> None:
        started.set()

    run.subscribe(listener)
    running = asyncio.create_task(run.exec({"code": "text('x'); for (;;);"}))
    await started.wait()
    await asyncio.sleep(0)
    await run.abort()

    assert (await running).reason == "aborted"


async def test_workers_end_with_their_code_mode() -> None:
    async with toolcell.CodeMode() as code_mode, code_mode.run(tools=[add], force=True) as run:
        await run.exec({"code": "return 1"})
        executor = code_mode.executor

    with pytest.raises(toolcell.RuntimeUnavailableError):
        executor.pool  # type: ignore[attr-defined]  # noqa: B018


async def test_a_missing_worker_is_named_when_the_run_is_entered() -> None:
    async with toolcell.CodeMode(worker="/nowhere/toolcell-worker") as code_mode:
        with pytest.raises(toolcell.RuntimeUnavailableError):
            async with code_mode.run(tools=[add], force=True):
                pass


def test_run_cell_needs_no_event_loop() -> None:
    assert toolcell.run_cell("return await add({a: 1, b: 2})", tools=[add]).value == 3


async def test_run_cell_works_inside_a_running_loop() -> None:
    assert toolcell.run_cell("const n: number = 1; return n", language="typescript").value == 1
