"""Which process did something, and whether it still lives."""

from __future__ import annotations

import os
from pathlib import Path

_cached: tuple[int, str] | None = None


def this_process() -> str:
    """Identity of this process that no other one has, across restarts of the machine."""
    global _cached
    pid = os.getpid()
    if _cached is None or _cached[0] != pid:
        _cached = (pid, f"{_boot_id()}:{pid}:{_start_time(pid)}")
    return _cached[1]


def is_alive(identity: str) -> bool:
    """Whether the process of an identity made on this machine still runs.

    Limits:
        A process of another machine counts as dead: the stores that use this don't span machines.
    """
    boot, _, rest = identity.partition(":")
    pid_text, _, started = rest.partition(":")
    if boot != _boot_id() or not (pid_text.isascii() and pid_text.isdigit()):
        return False
    return _start_time(int(pid_text)) == started != ""


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return "unknown"


def _start_time(pid: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    state, *fields = stat.rpartition(")")[2].split()
    return "" if state in "ZX" else fields[18]
