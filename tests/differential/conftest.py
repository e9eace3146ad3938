"""Says after a run which features of the language were compared."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from support.programs import load_programs


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    ran = {report.nodeid for outcome in ("passed", "failed") for report in terminalreporter.getreports(outcome)}
    if not any("test_programs.py" in name for name in ran):
        return
    programs = load_programs(Path(__file__).parent / "programs")
    features = sorted({feature for program in programs for feature in program.features}, key=str.lower)
    terminalreporter.write_sep("-", f"{len(programs)} programs compared with Node.js, {len(features)} features")
    terminalreporter.write_line(textwrap.fill("; ".join(features), width=120))
