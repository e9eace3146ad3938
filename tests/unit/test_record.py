"""The stored record of a suspended cell."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from toolcell import EnvelopeError
from toolcell.executor.protocol import Limits
from toolcell.policy.nested_call import NestedCall
from toolcell.runtime.journal import decode_decision, encode_decision
from toolcell.runtime.pending import Pending, Stage
from toolcell.runtime.record import CellRecord, decode_outcome, decode_record, encode_outcome, encode_record
from toolcell.settlement import CallFailure

LIMITS = Limits(64 << 20, 65536, False, 10 << 20, 16 << 20, 1040, 512, "bigint")
FAILURE = CallFailure("ToolError", "no", "tool_failed", "pay", True, b'{"n":1}')


def record(*pending: Pending) -> CellRecord:
    return CellRecord(
        build="b",
        title="t",
        restart_safe=False,
        limits=LIMITS,
        spent_bytes=7,
        legs=2,
        restored=1,
        untrusted=True,
        created=1.5,
        owner="boot:1:2",
        pending=list(pending),
        settled=[(1, b'{"big":12345678901234567890}'), (2, FAILURE)],
        summaries=[(1, "pay", "ok", 3)],
    )


def test_a_record_comes_back_as_it_was() -> None:
    call = NestedCall("cell_1", 3, "pay", b'{"a":1}', "call")
    original = record(Pending(3, Stage.QUEUED, call), Pending(4, Stage.TIMER, due=9.5), Pending(5, Stage.YIELD, reason="r"))

    assert decode_record("cell_1", encode_record(original)) == original


def test_an_edited_input_may_have_any_number_of_digits() -> None:
    call = NestedCall("cell_1", 3, "pay", b"1", "call", value=10**5_000)
    call.entry = cast("Any", object())
    written = encode_record(record(Pending(3, Stage.APPROVAL, call)))

    (pending,) = decode_record("cell_1", written).pending
    assert pending.call is not None
    assert pending.call.value == 10**5_000
    assert decode_decision(encode_decision("edit", 10**5_000)) == ("edit", 10**5_000)


@pytest.mark.parametrize("stage", [Stage.RUNNING, Stage.AUTHORISING])
def test_a_call_that_was_running_belongs_to_the_process_that_wrote_it(stage: Stage) -> None:
    written = encode_record(record(Pending(3, stage, NestedCall("cell_1", 3, "pay", None, "call_value"))))

    (pending,) = decode_record("cell_1", written).pending

    assert (pending.stage, pending.owner) == (Stage.REMOTE, "boot:1:2")


@pytest.mark.parametrize("outcome", [b"null", b'"\\ud800"', FAILURE])
def test_an_outcome_comes_back_as_it_was(outcome: bytes | CallFailure) -> None:
    assert decode_outcome(encode_outcome(outcome)) == outcome


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"v":1}', b"\xff", b'{"v":1,"pending":5}'])
def test_what_is_no_record_is_refused(data: bytes) -> None:
    with pytest.raises(EnvelopeError, match="malformed"):
        decode_record("cell_1", data)


def test_another_version_is_refused_by_name() -> None:
    wire = json.loads(encode_record(record())) | {"v": 2}

    with pytest.raises(EnvelopeError, match="record version 2"):
        decode_record("cell_1", json.dumps(wire).encode())


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        (("limits", "heap_bytes"), -1),
        (("limits", "big_integers"), "bigInt"),
        (("limits", "snapshot_bytes"), 2**64),
        (("spent",), "many"),
        (("created",), float("inf")),
        (("pending", 0, "n"), [3]),
        (("pending", 0, "stage"), "NOWHERE"),
        (("settled", 0), ["one", "null"]),
        (("summaries", 0, 2), "perhaps"),
    ],
)
def test_a_record_with_a_field_of_another_kind_is_refused(place: tuple[str | int, ...], wrong: object) -> None:
    wire: Any = json.loads(encode_record(record(Pending(3, Stage.YIELD))))
    at = wire
    for step in place[:-1]:
        at = at[step]
    at[place[-1]] = wrong

    with pytest.raises(EnvelopeError, match="malformed record"):
        decode_record("cell_1", json.dumps(wire).encode())
