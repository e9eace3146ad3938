"""Helpers for tests of programs that embed toolcell.

`FakeExecutor` stands in for the workers; `load_cases` and `run_case` check a corpus of cells against real ones.
"""

from toolcell.testing.corpus import MODES, Case, Mode, load_cases, run_case
from toolcell.testing.fake_executor import FakeCall, FakeExecutor, FakeLeg, FakeText, Guest, GuestError, all_of

__all__ = [
    "MODES",
    "Case",
    "FakeCall",
    "FakeExecutor",
    "FakeLeg",
    "FakeText",
    "Guest",
    "GuestError",
    "Mode",
    "all_of",
    "load_cases",
    "run_case",
]
