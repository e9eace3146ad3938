"""The corpus of `tests/cases`, with real workers, in both modes.

The cells are independent, so they run side by side before the first is looked at; each is then a test of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import toolcell
from toolcell.testing import MODES, Case, Mode, load_cases, run_case

pytestmark = pytest.mark.timeout(300)

CASES = {case.id: case for case in load_cases(*sorted((Path(__file__).parents[1] / "cases").glob("*.jsonl")))}
AT_ONCE = 4
"""Cells side by side: enough to fill the time of those that wait, few enough that none of them starves."""
Key = tuple[str, Mode]

USERS = [(1, "Ana", "red", None), (2, "Bo", "blue", 1), (3, "Cy", "red", 1), (4, "Di", "green", 2)]
ORDERS = [("o1", 1, 20.5), ("o2", 2, 7), ("o3", 1, 9.5), ("o4", 9, 100)]


async def sleep(given: Any) -> Any:
    await asyncio.sleep(given["ms"] / 1000)
    return given.get("value")


async def never(given: Any) -> None:
    await asyncio.Event().wait()


def fail(given: dict[str, Any] | None) -> None:
    raise RuntimeError((given or {}).get("message", "failed"))


def items(given: Any) -> list[dict[str, Any]]:
    return [
        {"id": n, "name": f"item{n}", "price": (n * 37) % 101, "tags": ["odd"] if n % 2 else ["even", "x"]}
        for n in range(given["n"])
    ]


def page(given: dict[str, Any] | None) -> dict[str, Any]:
    start = (given or {}).get("cursor") or 0
    return {"items": [start, start + 1, start + 2], "next": start + 3 if start < 6 else None}


def lookup(given: Any) -> dict[str, str] | None:
    key = given["key"]
    return None if key.startswith("missing") else {"key": key, "value": f"v:{key}"}


def make_tools() -> list[toolcell.Tool]:
    """The tools that cells of the corpus may call, for one cell: ``counter`` begins at 1."""
    count = iter(range(1, 10_000))
    functions: dict[str, Callable[[Any], Any]] = {
        "echo": lambda given: given,
        "add": lambda given: given["a"] + given["b"],
        "upper": lambda given: given["text"].upper(),
        "big": lambda given: "x" * given["n"],
        "bigint_id": lambda given: {"id": 2**53},
        "counter": lambda given: next(count),
        "users": lambda given: [dict(zip(("id", "name", "team", "manager"), row, strict=True)) for row in USERS],
        "orders": lambda given: [dict(zip(("id", "user", "total"), row, strict=True)) for row in ORDERS],
        "sleep": sleep,
        "never": never,
        "fail": fail,
        "items": items,
        "page": page,
        "lookup": lookup,
    }
    return [
        toolcell.tool(name=name, description=name, input_schema={}, raw_input=True)(function)
        for name, function in functions.items()
    ]


async def run_all(keys: Iterable[Key]) -> dict[Key, list[str] | Exception]:
    """What is wrong with each case. Calls of tools that never answer count as suspended, hence the large bound."""
    places = asyncio.Semaphore(AT_ONCE)

    async def run_one(case: Case, mode: Mode) -> list[str] | Exception:
        async with places:
            try:
                return await run_case(code_mode, case, make_tools(), mode=mode)
            except Exception as error:  # belongs to this case alone
                return error

    async with toolcell.CodeMode({"maxSuspended": 1000}, warm_workers=AT_ONCE) as code_mode:
        ordered = list(keys)
        outcomes = await asyncio.gather(*(run_one(CASES[name], mode) for name, mode in ordered))
    return dict(zip(ordered, outcomes, strict=True))


@pytest.fixture(scope="module")
def problems(request: pytest.FixtureRequest) -> dict[Key, list[str] | Exception]:
    chosen = [item for item in request.session.items if item.path == request.path and isinstance(item, pytest.Function)]
    parameters: list[Any] = [item.callspec.params for item in chosen]
    return asyncio.run(run_all((each["name"], each["mode"]) for each in parameters))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_the_cell_does_what_the_case_says(problems: dict[Key, list[str] | Exception], name: str, mode: Mode) -> None:
    assert problems[name, mode] == []
