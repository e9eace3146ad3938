"""Which part of the package may know which, as docs/architecture.md says it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "python/toolcell"
PLAIN = {"_native", "errors", "content", "scope", "settlement", "guest_catalog", "redaction", "values"}
KNOWS = {
    **dict.fromkeys(("errors", "config", "content", "scope", "settlement", "guest_catalog", "values"), PLAIN),
    "threads": set[str](),
    "catalog": PLAIN,
    "executor": PLAIN | {"threads"},
    "store": PLAIN,
    "policy": PLAIN | {"catalog", "threads"},
    "mcp": PLAIN | {"catalog", "config_file", "untrusted"},
    "telemetry": PLAIN | {"results"},
}


@pytest.mark.parametrize("part", KNOWS)
def test_a_part_imports_only_what_it_may_know(part: str) -> None:
    strange = {found for file in files(part) for found in imported(file)} - KNOWS[part] - {part}

    assert strange == set()


def test_every_part_that_is_named_exists() -> None:
    parts = {*KNOWS, *(known for may_know in KNOWS.values() for known in may_know)} - {"_native"}

    assert [part for part in sorted(parts) if not files(part)] == []


def files(part: str) -> list[Path]:
    module = PACKAGE / f"{part}.py"
    return [module] if module.exists() else sorted((PACKAGE / part).rglob("*.py"))


def imported(file: Path) -> Iterator[str]:
    """Parts of the package that a file imports anywhere, for types alone too."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "toolcell":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("toolcell."):
            yield str(node.module).split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("toolcell."))
