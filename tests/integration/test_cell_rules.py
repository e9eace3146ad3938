"""What `exec` accepts as a cell and what its value is, with real workers."""

from __future__ import annotations

from typing import Any

import pytest

import toolcell


@pytest.fixture
async def run(hosts: Any) -> toolcell.Run:
    @toolcell.tool
    async def add(a: int, b: int) -> int:
        return a + b

    @toolcell.tool
    async def ls(path: str) -> list[str]:
        raise AssertionError("no cell here may call it")

    entered: toolcell.Run = await hosts.run(add, ls)
    return entered


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("return await add({a: 1, b: 2})", 3),
        ("```js\nreturn 1\n```", 1),
        ("\ufeffreturn 1", 1),
        ("async () => { return await add({a: 1, b: 1}) }", 2),
        ("(function () { return 1 })", 1),
        ("export default 1", 1),
        ("const n: number = 1; return n", 1),
    ],
)
async def test_what_models_write_around_a_cell_is_accepted(run: toolcell.Run, code: str, value: object) -> None:
    result = await run.exec({"code": code})

    assert (result.status, result.value) == ("completed", value)


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("1 + 1", 2),
        ("if (true) { 'a' } else { 'b' }", "a"),
        ("try { JSON.parse('{') } catch { 'caught' }", "caught"),
        ("const n = 1; n", 1),
        ("add({a: 1, b: 2})", 3),
        ("return undefined", None),
        ("return Promise.resolve(4)", 4),
    ],
)
async def test_without_a_return_the_value_is_that_of_the_last_statement(run: toolcell.Run, code: str, value: object) -> None:
    result = await run.exec({"code": code})

    assert (result.status, result.value) == ("completed", value)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import fs from 'fs'; return 1", "module_access_denied"),
        ("return await import('fs')", "module_access_denied"),
        ("return require('fs')", "module_access_denied"),
        ("ls -la", "shell_command"),
        ("git status && git log", "shell_command"),
        ("return (", "syntax_error"),
        ("@sealed class A {}; return 1", "typescript_transform_failed"),
    ],
)
async def test_what_is_no_cell_is_refused_with_its_reason_and_runs_nothing(run: toolcell.Run, code: str, reason: str) -> None:
    said = code if reason == "shell_command" else f"text('ran');\n{code}"
    language = "typescript" if reason == "typescript_transform_failed" else "javascript"

    result = await run.exec({"code": said, "language": language})

    assert (result.status, result.code, result.reason, result.phase, result.output) == (
        "failed",
        "invalid_input",
        reason,
        "input",
        None,
    )


@pytest.mark.parametrize("code", ["'import x from \"y\"'", "({require: 1}).require", "'ls -la'", "true || false"])
async def test_words_that_only_look_like_it_are_not_refused(run: toolcell.Run, code: str) -> None:
    assert (await run.exec({"code": code})).status == "completed"


async def test_work_that_was_not_awaited_is_done_before_the_cell_completes(run: toolcell.Run) -> None:
    result = await run.exec({"code": "add({a: 1, b: 2}).then(text); setTimeout(() => text('timer'), 1); return 'value'"})

    texts = [item.text for item in result.output or () if isinstance(item, toolcell.TextOutput)]
    assert (result.value, sorted(texts)) == ("value", ["3", "timer"])


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("Promise.reject(new Error('nobody')); return 1", "unhandled_rejection"),
        ("await new Promise(() => {})", "never_settles"),
        ("throw new Error('interrupted')", "guest_error"),
        ("throw new Error('timeout')", "guest_error"),
    ],
)
async def test_a_cell_that_fails_says_why(run: toolcell.Run, code: str, reason: str) -> None:
    result = await run.exec({"code": code})

    assert (result.status, result.code, result.reason) == ("failed", "internal_error", reason)
