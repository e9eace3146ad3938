"""Every claim of docs/contract.md names a test that exists."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "contract.md"
LINK = re.compile(r"\[test\]\((?P<file>[^)#]+)#(?P<name>\w+)\)")


def rows(text: str) -> list[str]:
    """Rows of tables, without their heads."""
    return [line for line in text.splitlines() if line.startswith("|") and not re.match(r"\|( claim \| test |---|---)\|", line)]


def faults(row: str) -> list[str]:
    """What is wrong with a claim: no link, or links to tests that do not exist."""
    claim, tests = row.strip("|").rsplit("|", 1)
    links = LINK.findall(tests)
    if not links or LINK.sub("", tests).strip():
        return [f"no test: {claim.strip()}"]
    return [f"{file}#{name}" for file, name in links if name not in defined_in((PAGE.parent / file).resolve())]


@cache
def defined_in(file: Path) -> set[str]:
    """Names of the tests and state machines in a file."""
    if not file.is_file():
        return set()
    nodes = ast.parse(file.read_text(encoding="utf-8")).body
    functions = {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.name.startswith("test_")}
    return functions | {n.name for n in nodes if isinstance(n, ast.ClassDef) and {"RuleBasedStateMachine"} & base_names(n)}


def base_names(node: ast.ClassDef) -> set[str]:
    return {base.id for base in node.bases if isinstance(base, ast.Name)}


def test_every_claim_is_linked_to_a_test_that_exists() -> None:
    found = rows(PAGE.read_text(encoding="utf-8"))

    assert len(found) > 80
    assert [fault for row in found for fault in faults(row)] == []


def test_what_stands_under_a_heading_with_claims_is_a_table_and_nothing_else() -> None:
    sections = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    with_claims = [section for section in sections if "| claim | test |" in section]

    loose = [line for section in with_claims for line in section.splitlines()[1:] if line and not line.startswith("|")]
    assert (len(with_claims), loose) == (9, [])


@pytest.mark.parametrize(
    "row",
    [
        "| A claim without a link. | |",
        "| A claim with a promise. | to be tested |",
        "| Another file. | [test](../tests/unit/test_nowhere.py#test_a_thing) |",
        "| Another name. | [test](../tests/unit/test_run.py#test_that_was_renamed) |",
        "| Good, bad. | [test](../tests/unit/test_run.py#test_output_is_delivered_once) [test](../tests/unit/test_run.py#gone) |",
    ],
)
def test_a_claim_without_a_test_is_a_fault(row: str) -> None:
    assert len(faults(row)) == 1
