"""Mistakes of models: what each is told, run for real, and the table of them in docs/errors.md.

``python tests/support/mistakes.py`` writes the table anew.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import toolcell

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests/cases/mistakes.toml"
PAGE = ROOT / "docs/errors.md"
BEGIN = "<!-- made by tests/support/mistakes.py from tests/cases/mistakes.toml -->\n"
END = "<!-- end -->\n"
HEAD = "| a model | writes | and is told | instead of |\n|---|---|---|---|\n"
FRAME = re.compile(r"    at .*|[> ] +\d+ \| .*|[> ] +\d+ \||    + \| .*|  +\| +\^")
"""Lines of a message that show the source."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A cell as a model wrote it, and as it should be."""

    title: str
    wrong: str
    right: str
    language: str = "javascript"


def load_mistakes() -> list[Mistake]:
    return [Mistake(**entry) for entry in tomllib.loads(CASES.read_text(encoding="utf-8"))["mistake"]]


@toolcell.tool
async def shipping_list(unpaid: bool = False) -> list[dict[str, Any]]:
    """List shipments."""
    ships = [{"id": "s1", "customer": 7, "total": 9.5, "paid": False, "note": None}]
    return ships if unpaid else [*ships, {"id": "s2", "customer": 8, "total": 20.0, "paid": True, "note": "late"}]


@toolcell.tool
async def customer_get(id: int) -> dict[str, Any]:
    """Get a customer."""
    if id not in (7, 8):
        raise LookupError(f"there is no customer {id}")
    return {"id": id, "name": {7: "Nordlicht", 8: "Aurora"}[id]}


@toolcell.tool
async def file_read(path: str) -> str:
    """Read a file."""
    return "paid\nunpaid\n"


@toolcell.tool
async def note_add(note: dict[str, Any]) -> str:
    """Add a note."""
    return "added"


TOOLS = [shipping_list, customer_get, file_read, note_add]
SERVER = toolcell.McpServer.stdio("paged", [sys.executable, str(ROOT / "tests/integration/servers/paged.py")])


Results = dict[str, tuple[toolcell.CellResult, toolcell.CellResult]]


async def run_all(mistakes: Sequence[Mistake]) -> Results:
    """Run the wrong and the right cell of each, by title."""
    results: Results = {}
    async with toolcell.CodeMode() as code_mode, code_mode.run(tools=TOOLS, mcp=[SERVER], force=True) as run:
        for mistake in mistakes:
            wrong = await run.exec({"code": mistake.wrong, "language": mistake.language})
            right = await run.exec({"code": mistake.right, "language": mistake.language})
            results[mistake.title] = (wrong, right)
    return results


def told(result: toolcell.CellResult) -> list[str]:
    """What the model is told, without the lines that show its own source."""
    lines = (result.error or "\n".join(result.warnings or [])).splitlines()
    return [line for line in lines if not FRAME.fullmatch(line)]


def table(told_wrong: Iterable[tuple[Mistake, toolcell.CellResult]]) -> str:
    return HEAD + "".join(row(mistake, wrong) for mistake, wrong in told_wrong)


def row(mistake: Mistake, wrong: toolcell.CellResult) -> str:
    cells = (mistake.wrong.strip("\n").splitlines(), told(wrong), mistake.right.strip("\n").splitlines())
    return f"| {mistake.title} | {' | '.join('<br>'.join(map(code_span, lines)) for lines in cells)} |\n"


def code_span(line: str) -> str:
    """A line as code inside of a table."""
    ticks = "`" * (1 + max((len(found) for found in re.findall("`+", line)), default=0))
    space = " " if line.startswith("`") or line.endswith("`") else ""
    indent = "&nbsp;" * (len(line) - len(line.lstrip(" ")))
    return indent + ticks + space + line.strip(" ").replace("|", "\\|") + space + ticks


def with_table(page: str, table: str) -> str:
    """The page with this table between its marks."""
    before, rest = page.split(BEGIN)
    return before + BEGIN + table + END + rest.split(END, 1)[1]


async def main() -> None:
    mistakes = load_mistakes()
    results = await run_all(mistakes)
    rows = table((mistake, results[mistake.title][0]) for mistake in mistakes)
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
