"""The commands by name."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from toolcell.cli.catalog import catalog
from toolcell.cli.cells import decide, execute, wait
from toolcell.cli.doctor import doctor
from toolcell.cli.serve import serve

COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "exec": execute,
    "wait": wait,
    "decide": decide,
    "catalog": catalog,
    "serve": serve,
    "doctor": doctor,
}
