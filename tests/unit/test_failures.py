"""The table of codes, reasons and phases."""

from __future__ import annotations

from typing import get_args

import pytest

from toolcell.executor.protocol import Failed, Gone, Refused
from toolcell.results import ErrorCode, Location, Phase, Reason
from toolcell.runtime import failures
from toolcell.runtime.failures import Failure, from_worker


def nobody(name: str) -> list[str]:
    return []


@pytest.mark.parametrize("reason", failures.GUEST_FAILURES)
def test_every_guest_failure_has_a_known_code_reason_and_phase(reason: str) -> None:
    failure = from_worker(Failed(reason, "m"), nobody)

    assert failure.code in get_args(ErrorCode)
    assert failure.reason is None or failure.reason in get_args(Reason)
    assert failure.phase in get_args(Phase)


@pytest.mark.parametrize(
    ("end", "code", "reason"),
    [
        (Gone("deadline"), "timeout", "worker_killed"),
        (Gone("crashed", "signal 11"), "runtime_unavailable", "worker_crashed"),
        (Gone("killed"), "aborted", "aborted"),
        (Refused("checksum"), "internal_error", "snapshot_restore_failed"),
    ],
)
def test_a_worker_that_is_gone_says_why(end: Gone | Refused, code: str, reason: str) -> None:
    failure = from_worker(end, nobody)

    assert (failure.code, failure.reason) == (code, reason)


@pytest.mark.parametrize("end", [Gone("crashed", "signal 11"), Refused("checksum of /secret")])
def test_what_the_host_logs_does_not_reach_the_model(end: Gone | Refused) -> None:
    error = from_worker(end, nobody).error

    assert "signal" not in error
    assert "secret" not in error


def test_the_error_shows_frames_code_hints_and_suggestions() -> None:
    end = Failed(
        "guest_error",
        "ReferenceError: itmes is not defined",
        stack=[("inner", 3, 5), ("", 7, None)],
        location=(3, 5),
        code_frame="3 | itmes()",
        hints=["names have case."],
        missing=["itmes", "zzz"],
    )

    failure = from_worker(end, lambda name: ["items"] if name == "itmes" else [])

    assert failure == Failure(
        "internal_error",
        "guest_error",
        "guest",
        "ReferenceError: itmes is not defined\n    at inner (line 3:5)\n    at line 7\n3 | itmes()\n"
        "names have case.\nitmes does not exist; did you mean items?",
        Location(line=3, column=5),
    )
