"""A worker that can't be started: the reason and what to do, in the program's exception and from `toolcell doctor`."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import toolcell
from toolcell import _native
from toolcell.executor import worker_path
from toolcell.executor.worker_path import find_worker

STACK_START = (0x2000_0000_0000 if os.uname().machine == "x86_64" else 0x20_0000_0000) + (1 << 33)
"""Where a worker wants the stack of its engine (rust/arena/src/layout.rs)."""
PT_LOAD, PT_NOTE = 1, 4
READABLE = 4


@toolcell.tool
async def noop() -> None:
    return None


def copied(folder: Path) -> Path:
    """A copy of the worker under test."""
    path, _ = find_worker(None, None)
    return Path(shutil.copy(path, folder / "toolcell-worker"))


def missing(folder: Path) -> Path:
    return folder / "nothing"


def a_folder(folder: Path) -> Path:
    return folder


def not_executable(folder: Path) -> Path:
    path = copied(folder)
    path.chmod(0o644)
    return path


def cut_short(folder: Path) -> Path:
    path = copied(folder)
    os.truncate(path, 100_000)
    return path


def not_a_worker(folder: Path) -> Path:
    path = folder / "toolcell-worker"
    path.write_text("#!/bin/sh\necho hello, world >&0\n")
    path.chmod(0o755)
    return path


def of_another_build(folder: Path) -> Path:
    """A worker that states another fingerprint of its sources."""
    path = copied(folder)
    ours = _native.SOURCE_FINGERPRINT.encode()
    program = path.read_bytes()
    assert program.count(ours) == 1
    path.write_bytes(program.replace(ours, ours[::-1]))
    return path


def with_its_address_taken(folder: Path) -> Path:
    """A worker whose executable file lies where its engine's stack must be: the file's note becomes one more segment."""
    path = copied(folder)
    program = bytearray(path.read_bytes())
    (table,) = struct.unpack_from("<Q", program, 32)
    (count,) = struct.unpack_from("<H", program, 56)
    headers = [table + 56 * index for index in range(count)]
    (note,) = [header for header in headers if struct.unpack_from("<I", program, header) == (PT_NOTE,)]
    struct.pack_into("<IIQQQQQQ", program, note, PT_LOAD, READABLE, 0, STACK_START, STACK_START, 4096, 4096, 4096)
    path.write_bytes(program)
    return path


FAULTS: dict[Callable[[Path], Path], tuple[str, str]] = {
    missing: ("there is no worker at", "reinstall toolcell"),
    a_folder: ("is not a regular file", "name a worker executable"),
    not_executable: ("is not executable", "chmod +x"),
    cut_short: ("ended before it was ready (signal", ""),
    not_a_worker: ("does not speak as a toolcell worker", "name a worker executable"),
    of_another_build: ("is of another build", "reinstall toolcell"),
    with_its_address_taken: (f"address {STACK_START:#x} is taken", ""),
}
"""Ways to break a worker: what the message says of the reason, and of what to do."""


async def enter(worker: Path | None = None) -> None:
    async with toolcell.CodeMode(True, worker=worker) as code_mode, code_mode.run(tools=[noop]):
        pass


def doctor(worker: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TOOLCELL_WORKER": str(worker)}
    command = [sys.executable, "-m", "toolcell.cli", "doctor"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=50, check=False)


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_run_is_not_entered_and_doctor_says_the_same(fault: Callable[[Path], Path], tmp_path: Path) -> None:
    worker = fault(tmp_path)

    with pytest.raises(toolcell.RuntimeUnavailableError) as caught:
        await enter(worker)
    seen = doctor(worker)

    assert [part for part in FAULTS[fault] if part not in caught.value.message] == []
    assert (seen.returncode, seen.stdout.splitlines()[-1]) == (1, f"worker    unavailable: {caught.value.message}")
    assert caught.value.code == "runtime_unavailable"


async def test_a_package_without_its_worker_says_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOOLCELL_WORKER", raising=False)
    monkeypatch.setattr(worker_path, "_BUNDLED", tmp_path / "toolcell-worker")

    with pytest.raises(toolcell.RuntimeUnavailableError, match="missing from the package; reinstall toolcell"):
        await enter()


async def test_another_file_in_the_place_of_the_packages_worker_is_never_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    impostor = tmp_path / "toolcell-worker"
    impostor.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    impostor.chmod(0o755)
    monkeypatch.delenv("TOOLCELL_WORKER", raising=False)
    monkeypatch.setattr(worker_path, "_BUNDLED", impostor)

    with pytest.raises(toolcell.RuntimeUnavailableError, match=r"of another build \(SHA-256 .*reinstall toolcell"):
        await enter()

    assert sorted(tmp_path.iterdir()) == [impostor]


async def test_a_worker_lost_for_good_while_the_program_runs_fails_its_cells_and_only_those(tmp_path: Path) -> None:
    worker = copied(tmp_path)
    config = {"enabled": True, "workerReuse": "never"}
    async with (
        toolcell.CodeMode(config, worker=worker, warm_workers=1) as code_mode,
        code_mode.run(tools=[noop]) as run,
    ):
        first = await run.exec({"code": "return 1"})
        worker.unlink()
        lost = [await run.exec({"code": "return 1"}) for _ in range(5)][-1]
        copied(tmp_path)
        again = await run.exec({"code": "return 1"})

    assert (first.value, again.value) == (1, 1)
    assert (lost.status, lost.code, lost.reason) == ("failed", "runtime_unavailable", "start_failed")


async def test_an_unsupported_platform_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the native module says is played here: which platforms it refuses is tested where it decides."""
    words = "workers don't run on macos aarch64; use Linux on x86-64 or aarch64"

    def refuse(*_: object, **__: object) -> None:
        raise _native.WorkerStartError(words)

    monkeypatch.setattr(_native, "Pool", refuse)

    with pytest.raises(toolcell.RuntimeUnavailableError) as caught:
        await enter()

    assert caught.value.message == words
