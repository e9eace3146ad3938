"""Of all processes that want a stored cell or a call of it, one gets it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

from toolcell.store import SqliteStore, StoredCell

KEY = b"k" * 32
CELLS = 40
PROCESSES = 4
PROGRAM = """
import asyncio, json, sys
from toolcell.store import Note, SqliteStore, StoredCell

async def main():
    store = SqliteStore(sys.argv[1], key=b'k' * 32)
    await store.open()
    print("ready", flush=True)
    sys.stdin.readline()
    taken, noted = [], []
    for number in range(int(sys.argv[2])):
        if await store.add_note(f"cell_{number}", Note(1, "dispatch", b"")):
            noted.append(number)
        if isinstance(await store.take(f"cell_{number}", 1), StoredCell):
            taken.append(number)
    print(json.dumps([taken, noted]), flush=True)
    sys.stdin.readline()

asyncio.run(main())
"""


def start(path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path), str(CELLS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


async def fill(path: Path) -> None:
    store = SqliteStore(path, key=KEY)
    await store.open()
    for number in range(CELLS):
        await store.put(StoredCell(f"cell_{number}", 1, b"s" * 32, b"", b"image", 900.0, None))
    await store.close()


def say(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def hear(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def test_every_cell_is_taken_and_every_call_dispatched_by_exactly_one_process(tmp_path: Path) -> None:
    path = tmp_path / "cells.db"
    asyncio.run(fill(path))
    processes = [start(path) for _ in range(PROCESSES)]
    for process in processes:
        assert hear(process) == "ready\n"

    for process in processes:
        say(process)
    reports = [json.loads(hear(process)) for process in processes]
    for process in processes:
        process.communicate("\n", timeout=30)

    everything = list(range(CELLS))
    assert sorted(number for taken, _ in reports for number in taken) == everything
    assert sorted(number for _, noted in reports for number in noted) == everything
