"""Programs give in a cell what they give in Node.js: as they stand, and suspended at every place where they may wait.

In the second mode `await tick()` stands before each statement and each `await` of async code, each tick parks the cell, and
each leg goes on from bytes in a worker of its own. Node runs the same changed program.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import toolcell
from support.node import run_script
from support.programs import load_programs
from support.same import spelled

pytestmark = pytest.mark.timeout(300)

PROGRAMS = {program.id: program for program in load_programs(Path(__file__).parent / "programs")}
AT_ONCE = 4
MODES = ["direct", "suspended"]
ONE_LEG_EACH = {"autoDrain": False, "workerReuse": "never"}
MOST_WAITS = 300
REQUIRED = {
    "async iteration", "BigInt arithmetic", "classes", "closures", "dates in UTC", "generators", "getters and setters",
    "JSON.stringify of special values", "labelled loops", "lookbehind", "Map", "named groups", "number formatting",
    "optional chaining", "private fields", "Proxy get and set traps", "Reflect methods", "regular expressions", "Set",
    "stability", "static blocks", "sticky flag", "symbols", "tagged templates", "typed arrays", "unicode flag", "WeakMap",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comparison:
    """What Node said, what the cell said, how often the cell waited."""

    node: dict[str, Any]
    result: toolcell.CellResult
    waits: int


@toolcell.tool(name="tick", description="Does nothing.", input_schema={}, raw_input=True)
async def tick(given: Any) -> Any:
    return given


async def compare_all(names: list[str]) -> dict[tuple[str, str], Comparison]:
    said = await asyncio.to_thread(run_script, "programs.mjs", [PROGRAMS[name].code for name in names])
    places = asyncio.Semaphore(AT_ONCE)

    async def compare(mode: str, node: dict[str, Any]) -> Comparison:
        config = {"enabled": True, "timeoutMs": 60_000, **(ONE_LEG_EACH if mode == "suspended" else {})}
        async with places, code_mode.run(tools=[tick], config=config) as run:
            result = await run.exec({"code": node["code"]})
            waits = 0
            while mode == "suspended" and result.status == "waiting" and waits < MOST_WAITS:
                result = await run.wait({"runId": result.run_id})
                waits += 1
            return Comparison(node, result, waits)

    async with toolcell.CodeMode({"maxSuspended": 1000}, warm_workers=AT_ONCE) as code_mode:
        keys = [(name, mode) for name in names for mode in MODES]
        work = (compare(mode, node[mode]) for node in said for mode in MODES)
        return dict(zip(keys, await asyncio.gather(*work), strict=True))


@pytest.fixture(scope="module")
def comparisons(request: pytest.FixtureRequest) -> dict[tuple[str, str], Comparison]:
    chosen = [item for item in request.session.items if item.path == request.path and isinstance(item, pytest.Function)]
    names = {str(item.callspec.params["name"]) for item in chosen if hasattr(item, "callspec")}
    return asyncio.run(compare_all(sorted(names)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_what_node_gives(comparisons: dict[tuple[str, str], Comparison], name: str) -> None:
    found = comparisons[name, "direct"]

    assert found.node.get("error") is None
    assert found.result.error is None
    assert spelled(found.result.value) == spelled(found.node["value"])


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_suspended_at_each_await_gives_what_node_gives(
    comparisons: dict[tuple[str, str], Comparison], name: str
) -> None:
    found = comparisons[name, "suspended"]

    assert found.node.get("error") is None
    assert found.result.error is None
    assert found.result.telemetry.cell.restored == found.waits > 0
    assert spelled(found.result.value) == spelled(found.node["value"])


def test_no_two_programs_differ_in_constants_alone() -> None:
    shapes = {program.shape: program.id for program in PROGRAMS.values()}

    assert len(shapes) == len(PROGRAMS) >= 300


def test_the_programs_cover_the_language() -> None:
    features = {feature for program in PROGRAMS.values() for feature in program.features}

    assert REQUIRED - features == set()
