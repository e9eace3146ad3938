"""What a model gives to `exec` and `wait`."""

from __future__ import annotations

from typing import Any

import pytest

from toolcell import CodeModeConfig
from toolcell.runtime.arguments import MAX_CODE_BYTES, ExecArguments, read_exec, read_wait
from toolcell.runtime.failures import Failure

CONFIG = CodeModeConfig()


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"code": "1"}, ExecArguments("1", "javascript", False, None)),
        ({"command": "1"}, ExecArguments("1", "javascript", False, None)),
        ({"code": "1", "command": "  "}, ExecArguments("1", "javascript", False, None)),
        ({"code": "1", "command": "1"}, ExecArguments("1", "javascript", False, None)),
        ({"code": "1", "language": "typescript", "restartSafe": True}, ExecArguments("1", "typescript", True, None)),
        (
            {"code": "1", "language": None, "restartSafe": None, "title": None},
            ExecArguments("1", "javascript", False, None),
        ),
        ({"code": "1", "title": "t" * 200}, ExecArguments("1", "javascript", False, "t" * 120)),
    ],
)
def test_arguments_are_read(given: dict[str, Any], read: ExecArguments) -> None:
    assert read_exec(given, CONFIG) == read


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([], "object of arguments"),
        ("return 1", "object of arguments"),
        ({"code": "1", "lang": "x", "extra": 1}, "extra, lang"),
        ({"code": "1", "command": "2"}, "two names"),
        ({"code": 1}, "code must be a string"),
        ({"code": "1", "command": 2}, "command must be a string"),
        ({}, "non-blank"),
        ({"code": " \n"}, "non-blank"),
        ({"code": "x" * (MAX_CODE_BYTES + 1)}, "at most"),
        ({"code": "é" * (MAX_CODE_BYTES // 2 + 1)}, "at most"),
        ({"code": "1", "restartSafe": 1}, "restartSafe"),
        ({"code": "1", "title": 1}, "title"),
    ],
)
def test_wrong_arguments_are_a_failure_that_says_what_is_wrong(given: object, says: str) -> None:
    failure = read_exec(given, CONFIG)

    assert isinstance(failure, Failure)
    assert (failure.code, failure.reason, failure.phase, says in failure.error) == (
        "invalid_input",
        None,
        "input",
        True,
    )


@pytest.mark.parametrize("language", ["python", 5, "TypeScript"])
def test_a_language_that_is_not_enabled_is_named_with_those_that_are(language: object) -> None:
    failure = read_exec({"code": "1", "language": language}, CONFIG)

    assert isinstance(failure, Failure)
    assert (failure.reason, "javascript, typescript" in failure.error) == ("unsupported_language", True)


def test_the_first_configured_language_is_the_default() -> None:
    config = CodeModeConfig(languages=("typescript",))

    assert read_exec({"code": "1"}, config) == ExecArguments("1", "typescript", False, None)


@pytest.mark.parametrize("given", [{"runId": "cell_1"}, {"run_id": "cell_1"}, {"runId": " cell_1 "}])
def test_both_spellings_of_the_run_id_are_read(given: dict[str, str]) -> None:
    assert read_wait(given) == "cell_1"


@pytest.mark.parametrize("given", [{}, {"runId": 5}, {"runId": ""}, {"runId": "x", "z": 1}, "cell_1"])
def test_wait_without_a_run_id_is_a_failure(given: object) -> None:
    failure = read_wait(given)

    assert isinstance(failure, Failure)
    assert failure.code == "invalid_input"
