"""The faults of the engine that docs/limitations.md names: each is there, and Node does what the page says.

A row that fails is good news, or a page to mend: an engine without that fault.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import toolcell
from support.node import run_script
from support.same import spelled

PAGE = Path(__file__).parents[2] / "docs" / "limitations.md"
ROW = re.compile(r"^\| (`+ ?)(?P<code>.+?)( ?`+) \| `(?P<gives>.+)` \| `(?P<ought>.+)` \|$", re.MULTILINE)
FAULTS = [(row["code"], row["gives"], row["ought"]) for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))]


def returning(code: str) -> str:
    """A cell that returns the value of an expression, or says what it threw."""
    return f"try {{ return ({code}); }} catch (error) {{ return error.name; }}"


@pytest.fixture(scope="module")
def said_by_node() -> dict[str, Any]:
    codes = [code for code, _, _ in FAULTS]
    said = run_script("programs.mjs", [returning(code) for code in codes])
    return {code: each["direct"]["value"] for code, each in zip(codes, said, strict=True)}


@pytest.mark.parametrize(("code", "gives", "ought"), FAULTS)
def test_a_documented_fault_is_as_documented(said_by_node: dict[str, Any], code: str, gives: str, ought: str) -> None:
    result = toolcell.run_cell(returning(code))

    assert (spelled(result.value), spelled(said_by_node[code])) == (spelled(json.loads(gives)), spelled(json.loads(ought)))


def test_the_page_names_faults() -> None:
    assert len(FAULTS) >= 5
