"""Where the worker executable is: given explicitly, named by ``TOOLCELL_WORKER``, or beside the package.

Never looked up on ``PATH``: what runs hostile code must be the program that was built together with the host's side.
"""

from __future__ import annotations

import os
from pathlib import Path

from toolcell.errors import RuntimeUnavailableError

_BUNDLED = Path(__file__).parent.parent / "_bin" / "toolcell-worker"


def find_worker(explicit: str | os.PathLike[str] | None, bundled_sha256: str | None) -> tuple[str, str | None]:
    """Return the worker's path and the SHA-256 it must have, ``None`` where any worker of this build will do.

    Raises:
        RuntimeUnavailableError: none was named and none is beside the package.
    """
    named = os.fspath(explicit) if explicit is not None else os.environ.get("TOOLCELL_WORKER")
    if named:
        return named, None
    if not _BUNDLED.exists():
        raise RuntimeUnavailableError(
            "the worker executable is missing from the package; reinstall toolcell, or set TOOLCELL_WORKER to the "
            "path of a worker of the same build"
        )
    return str(_BUNDLED), bundled_sha256
