"""The whole Python path against pydantic-monty, in one run on one machine: ``python -m benches.python.peer``.

What each number means is in ``benches/README.md``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sys
from importlib.metadata import version

from benches.python.measure import Row, Spread, in_turn, ratio, stored_size, table
from benches.python.ours import Toolcell, lease_seconds, parked_cell_bytes
from benches.python.theirs import Monty

RATIOS = (
    ("exec of 1+1, clean worker", "trivial", 0.5, 20),
    ("10 sequential calls", "sequential_calls", 0.3, 10),
    ("16 parallel calls", "parallel_calls", 0.2, 10),
    ("stored, finished elsewhere", "stored", 0.5, 10),
    ("  with 10,000 objects alive", "stored_with_objects", 0.15, 2),
    ("10,000 objects host → guest", "objects_in", 0.25, 2),
    ("10,000 objects guest → host", "objects_out", 0.4, 2),
)
"""Title, scenario, ratio to reach, samples in a block."""
STORED_KB = {"stored": 12, "stored_with_objects": 700}
PARKED_CELLS = 1_000
LEASES = 30


async def measure(blocks: int, only: str | None) -> list[Row]:
    """Run every scenario whose name contains ``only``."""
    rows: list[Row] = []
    # First of all: memory that a process has freed hides what it takes next.
    last = await processes() if only is None or only in "process" else []
    async with Toolcell() as ours, Monty() as theirs:
        for title, name, allowed, block in RATIOS:
            if only is not None and only not in name:
                continue
            timings = await in_turn(getattr(ours, name), getattr(theirs, name), blocks=blocks, block=block)
            rows.append(ratio(title, *timings, allowed))
            if name in STORED_KB:
                rows.append(stored_size("  size of what is stored", *timings, STORED_KB[name]))
    return rows + last


async def processes() -> list[Row]:
    """Figures that have no peer: memory of a parked cell, and what a worker costs to get."""
    parked = await parked_cell_bytes(PARKED_CELLS) / 1000
    rows = [Row("a parked cell in the host", f"{parked:.1f} KB", "", parked, 20, "KB")]
    for title, warm, allowed in (("a worker from the warm pool", 2, 0.1), ("a worker from spawn to ready", 0, 3.0)):
        spread = Spread.of(await lease_seconds(warm, LEASES))
        rows.append(Row(title, str(spread), "", spread.median * 1e3, allowed, "ms"))
    return rows


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(prog="python -m benches.python.peer", description=__doc__)
    parser.add_argument("--blocks", type=int, default=12, help="blocks of samples a scenario and side (12)")
    parser.add_argument("--only", help="part of a scenario's name, or 'process'")
    parser.add_argument("--json", action="store_true", help="one JSON object in place of the table")
    arguments = parser.parse_args()
    rows = asyncio.run(measure(arguments.blocks, arguments.only))
    versions = {name: version(name) for name in ("toolcell", "pydantic-monty")}
    if arguments.json:
        facts = {"versions": versions, "python": platform.python_version(), "cpus": os.cpu_count(), "load": os.getloadavg()[0]}
        json.dump(facts | {"rows": [row.wire() for row in rows]}, sys.stdout, indent=1)
        print()
        return
    print(", ".join(f"{name} {number}" for name, number in versions.items()), f"Python {platform.python_version()}", sep=", ")
    print(table(rows))


if __name__ == "__main__":
    main()
