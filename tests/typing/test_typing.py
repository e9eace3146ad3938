"""The package as a type checker sees it from outside."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent


@pytest.fixture(scope="module")
def flagged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[int]]:
    """Lines (from 1) in which pyright, in its strict mode, finds a fault, by file."""
    project = tmp_path_factory.mktemp("host")
    for name in ("good.py", "bad.py"):
        shutil.copy(FOLDER / name, project)
    (project / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict", "pythonVersion": "3.11"}')
    arguments = [sys.executable, "-m", "pyright", "--project", str(project), "--pythonpath", sys.executable, "--outputjson"]
    report: dict[str, Any] = json.loads(subprocess.run(arguments, capture_output=True, text=True, timeout=100).stdout)
    assert report["summary"]["filesAnalyzed"] == 2
    found: dict[str, set[int]] = {"good.py": set(), "bad.py": set()}
    for fault in report["generalDiagnostics"]:
        found[Path(fault["file"]).name].add(fault["range"]["start"]["line"] + 1)
    return found


def test_typical_code_of_a_host_is_clean(flagged: dict[str, set[int]]) -> None:
    assert flagged["good.py"] == set()


def test_each_mistake_of_a_host_is_flagged_and_nothing_else(flagged: dict[str, set[int]]) -> None:
    lines = (FOLDER / "bad.py").read_text().splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if "# wrong:" in line}

    assert (len(wrong), flagged["bad.py"]) == (14, wrong)
