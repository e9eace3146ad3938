"""What the text of a cell costs in a worker, against the same work in Node.

The worker's part is the difference between a cell of one kilobyte that returns at once and ``return 1``: checks, types
erased, and the engine's own compilation, which Node's figure includes too.

Usage:
    python -m benches.python.language
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

import toolcell

FOLDER = Path(__file__).resolve().parents[2]
CELLS = FOLDER / "rust" / "source" / "benches" / "cells"
TARGETS_US = {"javascript": 60.0, "typescript": 150.0}
"""What a kilobyte may cost in the worker, in microseconds."""
SAMPLES = 600


async def in_worker() -> dict[str, float]:
    """Measure both languages, and nothing, in turn. Medians in microseconds, the cost of a trivial cell taken off."""
    cells = {
        "trivial": {"code": "return 1"},
        "javascript": {"code": "return 1;\n" + (CELLS / "join.js").read_text(), "language": "javascript"},
        "typescript": {"code": "return 1;\n" + (CELLS / "join.ts").read_text(), "language": "typescript"},
    }
    times: dict[str, list[float]] = {name: [] for name in cells}
    async with toolcell.CodeMode(True) as code_mode, code_mode.run(force=True) as run:
        order = list(cells)
        for _ in range(SAMPLES):
            random.shuffle(order)  # what ran before a cell must not be the same each time
            for name in order:
                cell = cells[name]
                start = time.perf_counter()
                result = await run.exec(cell)
                times[name].append(time.perf_counter() - start)
                if result.value != 1:
                    sys.exit(f"{name}: {result}")
    medians = {name: statistics.median(found[50:]) * 1e6 for name, found in times.items()}
    return {name: medians[name] - medians["trivial"] for name in TARGETS_US}


def in_node() -> dict[str, float]:
    """Measure Node's ``vm.Script``, for TypeScript behind ``ts.transpileModule``. Medians in microseconds."""
    sys.path.insert(0, str(FOLDER))
    from tests.support.node import find_node, install_packages

    install_packages()
    command = [find_node(), str(Path(__file__).with_suffix(".mjs")), str(FOLDER / "tests" / "node")]
    done = subprocess.run([*command, str(CELLS / "join.js"), str(CELLS / "join.ts")], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def main() -> None:
    """Print a row a language."""
    ours, node = asyncio.run(in_worker()), in_node()
    print(f"{'1 KB of':<12} {'worker':>10} {'target':>10} {'Node':>10} {'ratio':>7}")
    for name, target in TARGETS_US.items():
        print(f"{name:<12} {ours[name]:>7.1f} µs {target:>7.1f} µs {node[name]:>7.1f} µs {ours[name] / node[name]:>6.2f}x")


if __name__ == "__main__":
    main()
