"""What must hold for the package as it was installed, wherever from."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import toolcell
from toolcell import _native
from toolcell.executor.worker_path import find_worker

COMMAND = Path(sys.executable).with_name("toolcell")


def test_the_command_is_installed_and_finds_a_locked_down_worker() -> None:
    ended = subprocess.run([COMMAND, "doctor"], capture_output=True, text=True, timeout=50)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert "sandbox   active" in ended.stdout


def test_the_worker_lies_beside_the_package_and_is_the_one_built_with_it() -> None:
    path, sha256 = find_worker(None, _native.BUNDLED_WORKER_SHA256)

    assert Path(path) == Path(toolcell.__file__).parent / "_bin" / "toolcell-worker"
    assert sha256 is not None


def test_the_package_is_typed_and_its_versions_agree() -> None:
    assert Path(toolcell.__file__).with_name("py.typed").exists()
    assert distribution("toolcell").version == toolcell.__version__ == _native.__version__


def test_a_cell_runs() -> None:
    assert toolcell.run_cell("return 6 * 7").value == 42


def test_importing_the_package_imports_no_adapter() -> None:
    code = "import sys, toolcell; print(sorted({'mcp', 'numpy', 'json5'} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ended.stdout == "[]\n"
