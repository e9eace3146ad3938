"""Names that a wrong one may have meant."""

from __future__ import annotations

from toolcell.catalog.suggest import MAX_COMPARED, MAX_COMPARED_CHARS, nearest


def test_names_that_are_spelled_alike_are_near_whatever_their_case_and_separators() -> None:
    assert nearest("GitLogs", ["read_file", "git_log", "git-logs"], 3) == ["git-logs", "git_log"]


def test_of_very_many_names_those_of_like_lengths_are_compared() -> None:
    long = [f"git_log_{'x' * 20}{number}" for number in range(MAX_COMPARED)]

    assert nearest("gitLogs", [*long, "git_log"], 3) == ["git_log"]


def test_of_long_names_the_beginnings_are_compared() -> None:
    name = "a" * MAX_COMPARED_CHARS

    assert nearest(f"{name}{'b' * 300}", [f"{name}{'c' * 300}"], 3) == [f"{name}{'c' * 300}"]
