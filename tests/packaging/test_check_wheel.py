"""What the check of a release refuses."""

from __future__ import annotations

import importlib.util
import struct
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from toolcell.executor.worker_path import find_worker

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_wheel.py"


def load() -> Any:
    specification = importlib.util.spec_from_file_location("check_wheel", SCRIPT)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


check_wheel = load()


def worker() -> bytearray:
    path, _ = find_worker(None, None)
    return bytearray(Path(path).read_bytes())


def machine() -> int:
    return struct.unpack_from("<H", worker(), 18)[0]


def test_the_worker_of_this_build_passes() -> None:
    check_wheel.check_worker(bytes(worker()), machine())


def test_a_program_that_needs_a_loader_is_refused() -> None:
    interpreter = bytearray(Path(sys.executable).resolve().read_bytes())
    struct.pack_into("<H", interpreter, 16, check_wheel.ET_EXEC)

    with pytest.raises(check_wheel.CheckError, match=r"^the worker is not statically linked$"):
        check_wheel.check_worker(bytes(interpreter), machine())


def test_a_position_independent_worker_is_refused() -> None:
    moved = worker()
    struct.pack_into("<H", moved, 16, 3)

    with pytest.raises(check_wheel.CheckError, match="position-dependent"):
        check_wheel.check_worker(bytes(moved), machine())


def test_a_worker_for_another_processor_is_refused() -> None:
    with pytest.raises(check_wheel.CheckError, match="machine"):
        check_wheel.check_worker(bytes(worker()), machine() + 1)


def test_a_script_in_the_workers_place_is_refused() -> None:
    with pytest.raises(check_wheel.CheckError, match="not a little-endian 64-bit ELF file"):
        check_wheel.check_worker(b"#!/bin/sh\n", machine())


@pytest.mark.skipif(not (SCRIPT.parents[1] / ".git").exists(), reason="the list of files comes from version control")
@pytest.mark.parametrize(
    ("left_out", "added", "message"),
    [
        (check_wheel.WORKER, None, "missing in the wheel: .*toolcell-worker"),
        (None, "toolcell/secret.env", "too much in the wheel: .*secret.env"),
    ],
)
def test_a_wheel_holds_exactly_the_expected_files(tmp_path: Path, left_out: str | None, added: str | None, message: str) -> None:
    info = "toolcell-0.dist-info"
    files = {path.removeprefix("python/") for path in check_wheel.tracked("python")}
    files |= {check_wheel.WORKER, check_wheel.NATIVE}
    files |= {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")}
    with zipfile.ZipFile(tmp_path / "wheel.whl", "w") as archive:
        for file in sorted((files - {left_out}) | ({added} if added else set())):
            archive.writestr(file, "")

        with pytest.raises(check_wheel.CheckError, match=message):
            check_wheel.check_files(archive, info)
