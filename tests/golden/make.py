"""Write a golden continuation with the toolcell that is installed: ``python tests/golden/make.py tests/golden/NAME.json``."""

from __future__ import annotations

import asyncio
import base64
import json
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import toolcell
from toolcell.store import SqliteStore

KEY = "golden key, no secret"
SCOPE = toolcell.Scope("agent", "session", "key", "run")
CODE = "let n = 41; await yield_control(); await record({n}); return n + 1"


@toolcell.tool
async def record(n: int) -> None:
    return None


async def stored(path: Path) -> tuple[str, bytes]:
    """Suspend a cell; returns its id and the bytes that the store holds."""
    store = SqliteStore(path, key=KEY)
    async with toolcell.CodeMode(store=store) as code_mode, code_mode.run(tools=[record], force=True, scope=SCOPE) as run:
        cell = await run.exec({"code": CODE})
    with closing(sqlite3.connect(path)) as database:
        (sealed,) = database.execute("SELECT sealed FROM continuation WHERE cell_id = ?", (cell.run_id,)).fetchone()
    return str(cell.run_id), bytes(sealed)


def main() -> None:
    """Write the file named by the first argument."""
    with tempfile.TemporaryDirectory() as folder:
        cell_id, sealed = asyncio.run(stored(Path(folder) / "cells.db"))
    golden = {"cell_id": cell_id, "key": KEY, "sealed": base64.b64encode(sealed).decode()}
    Path(sys.argv[1]).write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
