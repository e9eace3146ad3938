"""What cells see of learned types, in the run that learned them and in later ones."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import toolcell
from support.mcp_servers import faulty
from toolcell.store import SqliteStore

CALL = "await MCP.shop.echo({order: {total: 5}}); return null"
READ = "return API.read('mcp/shop.d.ts').match(/observed[^>]*/)?.[0].replace(/\\s+/g, ' ') ?? null"
OBSERVED = "observed */ { order: { total: number; }; }"


async def seen(path: Path, observed_types: str, *cells: str, agent: str = "ada") -> list[object]:
    """What cells return in a host and a run of their own."""
    server, _ = faulty("shop")
    scope = toolcell.Scope(agent_id=agent, session_id="1", session_key="1", agent_run_id="1")
    async with (
        toolcell.CodeMode({"observedTypes": observed_types}, store=SqliteStore(path, key=b"k" * 32)) as code_mode,
        code_mode.run(mcp=[server], scope=scope, force=True) as run,
    ):
        return [(await run.exec({"code": code})).value for code in cells]


@pytest.mark.parametrize(
    ("observed_types", "same_run", "later_run"),
    [("off", None, None), ("run", OBSERVED, None), ("store", OBSERVED, OBSERVED)],
)
async def test_learned_types_are_seen_as_long_as_the_host_wants(
    tmp_path: Path, observed_types: str, same_run: str | None, later_run: str | None
) -> None:
    path = tmp_path / "cells.db"

    first = await seen(path, observed_types, READ, CALL, READ)
    later = await seen(path, observed_types, READ)
    of_another = await seen(path, observed_types, READ, agent="bob")

    with closing(sqlite3.connect(path)) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert (first, later, of_another) == ([None, None, same_run], [later_run], [None])
    assert ("types" in tables) == (observed_types == "store")
