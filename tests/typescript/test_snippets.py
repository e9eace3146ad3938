"""TypeScript gives in a cell what the output of the TypeScript compiler gives in Node.js."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import toolcell
from support.node import run_script
from support.programs import load_programs
from support.same import spelled

pytestmark = pytest.mark.timeout(120)

SNIPPETS = {snippet.id: snippet for snippet in load_programs(Path(__file__).parent / "snippets")}


@toolcell.tool(name="tick", description="Does nothing.", input_schema={}, raw_input=True)
async def tick(given: Any) -> Any:
    return given


@pytest.fixture(scope="module")
def said_by_node() -> dict[str, dict[str, Any]]:
    return dict(zip(SNIPPETS, run_script("erase.mjs", [snippet.code for snippet in SNIPPETS.values()]), strict=True))


@pytest.fixture(scope="module")
def results() -> dict[str, toolcell.CellResult]:
    async def run_all() -> dict[str, toolcell.CellResult]:
        async with toolcell.CodeMode() as code_mode, code_mode.run(tools=[tick], force=True) as run:
            return {snippet.id: await run.exec({"code": snippet.code, "language": "typescript"}) for snippet in SNIPPETS.values()}

    return asyncio.run(run_all())


@pytest.mark.parametrize("name", SNIPPETS)
def test_a_snippet_gives_what_the_compilers_output_gives(
    said_by_node: dict[str, dict[str, Any]], results: dict[str, toolcell.CellResult], name: str
) -> None:
    assert said_by_node[name].get("error") is None
    assert results[name].error is None
    assert spelled(results[name].value) == spelled(said_by_node[name]["value"])


def test_no_two_snippets_differ_in_constants_alone() -> None:
    shapes = {snippet.shape: snippet.id for snippet in SNIPPETS.values()}

    assert len(shapes) == len(SNIPPETS) >= 150
