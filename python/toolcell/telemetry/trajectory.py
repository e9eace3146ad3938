"""A run's events in a file, one JSON object a line."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from toolcell.telemetry.events import Event
from toolcell.telemetry.wire import to_wire


class Trajectory:
    """A listener for `Run.subscribe` or `CodeMode.subscribe` that appends every event to a JSONL file.

    Each line is whole and written at once, so a process that dies leaves at most its last event out. Lines have the
    event's name, its fields in camelCase, and ``time`` in seconds since the epoch. A file that has to be made gets mode
    0600. Code of cells and redacted inputs of nested calls stand in it; results of nested calls do not.

    Args:
        path: The file; its folder must exist.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def __call__(self, event: Event) -> None:
        """Append one event.

        Raises:
            OSError: the file can't be written.
        """
        if self._file is None:
            self._file = open(self._path, "ab", buffering=0, opener=_private)  # noqa: SIM115
        line = json.dumps({"time": time.time(), **to_wire(event)}, separators=(",", ":"))
        self._file.write(f"{line}\n".encode())

    def close(self) -> None:
        """Close the file; idempotent. A later event opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None


def read_trajectory(path: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    """Read the events of a trajectory; a last line that was cut off is left out.

    Raises:
        OSError: the file can't be read.
        ValueError: a line that is not the last is no JSON object.
    """
    lines = Path(path).read_bytes().split(b"\n")
    for number, line in enumerate(lines[:-1], 1):
        event: Any = json.loads(line)
        if not isinstance(event, dict):
            raise ValueError(f"line {number} of the trajectory is not an object")
        yield event


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
