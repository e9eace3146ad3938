"""Clients in JavaScript, pinned in `tests/clients`."""

from __future__ import annotations

import functools
import json
import subprocess
from pathlib import Path
from typing import Any

from support.node import find_node, install_locked

FOLDER = Path(__file__).parents[1] / "clients"


@functools.cache
def _install() -> None:
    """Install what the lock file pins, unless that is there already."""
    installed = FOLDER / "node_modules" / ".package-lock.json"
    if not installed.exists() or installed.stat().st_mtime <= (FOLDER / "package-lock.json").stat().st_mtime:
        install_locked(FOLDER)


def drive(script: str, given: Any) -> Any:
    """Run `tests/clients/<script>`, which reads JSON and writes JSON.

    Raises:
        subprocess.CalledProcessError: it failed; what it said is on stderr.
    """
    _install()
    done = subprocess.run(
        [find_node(), FOLDER / script], input=json.dumps(given), stdout=subprocess.PIPE, check=True, encoding="utf-8", timeout=50
    )
    return json.loads(done.stdout)


def conformance(url: str, scenario: str) -> str:
    """Run one scenario of the protocol's conformance suite against a server; gives its report.

    Raises:
        subprocess.CalledProcessError: the server does not conform; the report is in its output.
    """
    _install()
    suite = FOLDER / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    command = [find_node(), suite, "server", "--url", url, "--scenario", scenario]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, encoding="utf-8", timeout=50).stdout
