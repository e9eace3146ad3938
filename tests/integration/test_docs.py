"""Examples in the README and in docs/ run as they stand.

A ``python`` block runs as a program. A ``js`` block runs as a cell over the tools below and, if it mentions ``MCP``, a git
server in a repository of three commits; if it ends with a comment ``// → …``, that is its value as JSON.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import toolcell

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language: str) -> list[Any]:
    pattern = re.compile(rf"^```{language}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return [
        pytest.param(block, id=f"{page.name}-{number}")
        for page in PAGES
        for number, block in enumerate(pattern.findall(page.read_text()), 1)
    ]


@toolcell.tool
async def shipping_list(unpaid: bool = False) -> list[dict[str, Any]]:
    """List shipments."""
    shipments = [
        {"id": "s1", "customer": 7, "total": 9.5, "paid": False},
        {"id": "s2", "customer": 8, "total": 20.0, "paid": True},
    ]
    return [shipment for shipment in shipments if not (unpaid and shipment["paid"])]


@toolcell.tool
async def customer_get(id: int) -> dict[str, Any]:
    """Get a customer."""
    if id not in (7, 8):
        raise LookupError(f"there is no customer {id}")
    return {"id": id, "name": {7: "Nordlicht", 8: "Aurora"}[id]}


@pytest.mark.parametrize("example", blocks("python"))
def test_a_program_runs_as_it_stands(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    exec(compile(example, "<example>", "exec"), {"__name__": "__main__"})


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    plain = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = {f"GIT_{role}_{part}": "Ada" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    for command in [["init"], *[["commit", "--allow-empty", "--message", "change"]] * 3]:
        subprocess.run(["git", *command, "--quiet"], cwd=tmp_path, env=plain | who, check=True)
    return tmp_path


@pytest.mark.parametrize("example", blocks("js"))
async def test_a_cell_runs_as_it_stands(hosts: Any, example: str, repository: Path) -> None:
    git = toolcell.McpServer.stdio("git", [sys.executable, "-m", "mcp_server_git"], cwd=str(repository))
    run = await hosts.run(shipping_list, customer_get, mcp=[git] if "MCP" in example else [])
    result = await run.exec({"code": example})

    expected = re.search(r"// → (.*)\n\Z", example)
    assert result.error is None
    if expected is not None:
        assert result.value == json.loads(expected[1])
