"""The corpus runner notices what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import toolcell
from toolcell.testing import Case, FakeCall, FakeExecutor, all_of, load_cases, run_case
from toolcell.testing.corpus import is_same

CALLING = all_of(FakeCall(1, target="noop"))
VALUE = {"1": None}


@toolcell.tool
async def noop() -> None:
    return None


async def problems_of(expect: dict[str, Any]) -> list[str]:
    async with toolcell.CodeMode(executor=FakeExecutor(CALLING)) as code_mode:
        return await run_case(code_mode, Case("a case", "an area", "code", expect), [noop])


def test_cases_are_read_from_several_files(tmp_path: Path) -> None:
    wire: dict[str, Any] = {"area": "state", "code": "return 1", "expect": {"status": "completed"}}
    paths = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for path in paths:
        path.write_text(json.dumps(wire | {"id": path.stem}) + "\n\n")

    assert load_cases(*paths) == [Case(name, **wire) for name in ("one", "two")]


def test_an_unknown_field_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "a", "area": "b", "code": "", "expect": {}, "expects": {}}')

    with pytest.raises(TypeError, match="expects"):
        load_cases(path)


@pytest.mark.parametrize(
    "expect",
    [
        {"status": "completed", "value": VALUE},
        {"status": "completed", "value_any": [1, VALUE], "reason": None},
        {"status": "failed", "also_ok": [{"status": "completed"}]},
    ],
)
async def test_what_is_expected_passes_but_for_the_cell_that_comes_after(expect: dict[str, Any]) -> None:
    (problem,) = await problems_of(expect)  # the fake guest runs the same program for every cell, so it never returns 1

    assert problem.startswith("the next cell did not run")


@pytest.mark.parametrize(
    "expect",
    [
        {"status": "waiting"},
        {"status": "completed", "value": {"1": 0}},
        {"status": "completed", "value_any": [1, None]},
        {"status": "completed", "reason": "guest_error"},
        {"status": "completed", "output": ["text"]},
    ],
)
async def test_what_is_not_expected_is_a_problem(expect: dict[str, Any]) -> None:
    first, _ = await problems_of(expect)

    assert first.startswith('got {"status":"completed"')


@pytest.mark.parametrize(("found", "wanted"), [(1, 1.0), (0.1 + 0.2, 0.3), ([{"a": 2**80}], [{"a": 2**80}]), (True, True)])
def test_equal_values_are_the_same(found: object, wanted: object) -> None:
    assert is_same(found, wanted)


@pytest.mark.parametrize(
    ("found", "wanted"), [(1, True), (2**53, 2**53 + 1), ([1], [1, 2]), ({"a": 1}, {"b": 1}), ("1", 1), (None, 0)]
)
def test_other_values_are_not(found: object, wanted: object) -> None:
    assert not is_same(found, wanted)
