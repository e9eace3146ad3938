"""The examples, as people run them, and what they print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(*arguments: str | Path) -> str:
    ended = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=50)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    plain = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True, env=plain)
    for author in ["Ada", "Ben", "Ada"]:
        who = {f"GIT_{role}_{part}": author for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
        command = ["git", "-C", tmp_path, "commit", "--quiet", "--allow-empty", "--message", "change"]
        subprocess.run(command, check=True, env={**plain, **who})
    return tmp_path


def test_a_script_prints_what_its_cell_computed() -> None:
    assert run(EXAMPLES / "script.py") == "in stock: 152.75\n"


def test_an_agent_loop_gives_results_to_the_model_until_it_answers() -> None:
    assert run(EXAMPLES / "agent_loop.py").splitlines() == [
        'exec: {"status":"completed","value":15.5}',
        "Rome is 15.5 degrees warmer.",
    ]


def test_an_approval_may_pass_change_or_refuse_a_call() -> None:
    assert run(EXAMPLES / "approvals.py").splitlines() == ["paid 20 to Ada", "paid 100 to Ben", "ToolDeniedError"]


def test_a_cell_counts_in_the_log_of_a_real_git_server(repository: Path) -> None:
    assert run(EXAMPLES / "git_authors.py", repository).splitlines() == ["    2 Ada", "    1 Ben"]


def test_the_demo_joins_fails_moves_to_another_process_and_stops_loops() -> None:
    printed = run(EXAMPLES / "demo")

    results = re.findall(r"^  (?:process \d+: )?((?:completed|failed|waiting) .*)$", printed, re.MULTILINE)
    assert [re.sub(r"cell_\w+", "cell", result) for result in results] == [
        'completed [{"ticket": "SHOP-40", "customer": "Nordlicht", "by": ["Cem"], "at": "01:00 Asia/Tokyo"}, '
        '{"ticket": "SHOP-7", "customer": "Polaris", "by": ["Ada", "Ben"], "at": "19:45 Asia/Kathmandu"}, '
        '{"ticket": "SHOP-12", "customer": "Nordlicht", "by": ["Cem", "Ada"], "at": "21:00 Asia/Tokyo"}]',
        'completed ["Payments fail at night", "ToolError: there is no ticket SHOP-999"]',
        "waiting cell (approval)",
        'completed {"answer": "sent to #releases", "next": "2. SHOP-12 is fixed"}',
        "failed timeout: the time limit was reached while the cell was running",
        "failed timeout/worker_killed: the cell ran past its deadline and was killed.",
        'completed "the next cell runs"',
    ]
    assert printed.count("outbox: #releases: 1. SHOP-7 is fixed") == 1
    shown, schemas = (
        int(number.replace(",", "")) for number in re.findall(r"(?:wait|tools): ([\d,]+)", printed.splitlines()[-1])
    )
    assert shown < schemas / 2
