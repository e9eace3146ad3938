"""The host's record of a suspended cell, as a durable store keeps it: JSON, one version, refused otherwise."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any, cast

from pydantic import Field, TypeAdapter
from typing_extensions import TypedDict

from toolcell import _native
from toolcell.errors import EnvelopeError
from toolcell.executor.protocol import BigIntegers, Limits
from toolcell.policy.nested_call import CallForm, NestedCall
from toolcell.results import Outcome
from toolcell.runtime.pending import Pending, Stage
from toolcell.settlement import CallFailure, Settled
from toolcell.values import json_text

RECORD_VERSION = 1


@dataclass(frozen=True, slots=True)
class CellRecord:
    """Everything of a suspended cell but its image."""

    build: str
    """Build of the executor that made the image."""
    title: str | None
    restart_safe: bool
    limits: Limits
    spent_bytes: int
    legs: int
    restored: int
    untrusted: bool
    created: float
    owner: str
    """Process whose pending work this is."""
    pending: list[Pending]
    settled: list[Settled]
    summaries: list[tuple[int, str, Outcome, int]]


Count = Annotated[int, Field(ge=0, lt=2**53)]
Seconds = Annotated[float, Field(allow_inf_nan=False)]


class _HostRow(TypedDict):
    """A pending timer or yield."""

    n: Count
    stage: str
    due: Seconds
    reason: str | None


class _CallRow(TypedDict):
    """A pending call of a tool."""

    n: Count
    stage: str
    target: str
    input: str | None
    form: CallForm
    value: Any
    approved: bool
    owner: str | None


class _LimitsRow(TypedDict):
    heap_bytes: Count
    output_bytes: Count
    truncate_output: bool
    snapshot_bytes: Count
    bridge_bytes: Count
    outstanding_calls: Count
    value_depth: Count
    big_integers: BigIntegers


class _Row(TypedDict):
    """The record on disk. Its seal says who wrote it, not that it was written without a fault."""

    build: str
    title: str | None
    restartSafe: bool
    limits: _LimitsRow
    spent: Count
    legs: Count
    restored: Count
    untrusted: bool
    created: Seconds
    owner: str
    pending: list[_CallRow | _HostRow]
    settled: list[tuple[Count, str | dict[str, Any]]]
    summaries: list[tuple[Count, str, Outcome, Count]]


_ROW = TypeAdapter(_Row)


def encode_record(record: CellRecord) -> bytes:
    """Encode a record."""
    wire = {
        "v": RECORD_VERSION,
        "build": record.build,
        "title": record.title,
        "restartSafe": record.restart_safe,
        "limits": asdict(record.limits),
        "spent": record.spent_bytes,
        "legs": record.legs,
        "restored": record.restored,
        "untrusted": record.untrusted,
        "created": record.created,
        "owner": record.owner,
        "pending": [_pending_out(pending) for pending in record.pending],
        "settled": [[number, _outcome_out(outcome)] for number, outcome in record.settled],
        "summaries": record.summaries,
    }
    return json_text(wire).encode()


def decode_record(cell_id: str, data: bytes) -> CellRecord:
    """Decode a record of a cell.

    Raises:
        EnvelopeError: another version, or not a record.
    """
    try:
        given: dict[str, Any] = _native.decode_json(data)
        if given["v"] != RECORD_VERSION:
            raise EnvelopeError(f"the stored continuation has record version {given['v']}, this toolcell reads {RECORD_VERSION}")
        wire = _ROW.validate_python(given)
        return CellRecord(
            build=wire["build"],
            title=wire["title"],
            restart_safe=wire["restartSafe"],
            limits=Limits(**wire["limits"]),
            spent_bytes=wire["spent"],
            legs=wire["legs"],
            restored=wire["restored"],
            untrusted=wire["untrusted"],
            created=wire["created"],
            owner=wire["owner"],
            pending=[_pending_in(cell_id, row, wire["owner"]) for row in wire["pending"]],
            settled=[(number, _outcome_in(outcome)) for number, outcome in wire["settled"]],
            summaries=wire["summaries"],
        )
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        raise EnvelopeError("the stored continuation has a malformed record") from None


def encode_outcome(outcome: bytes | CallFailure) -> bytes:
    """Encode how a call ended, for a note."""
    return json_text(_outcome_out(outcome)).encode()


def decode_outcome(payload: bytes) -> bytes | CallFailure:
    """Decode a result note."""
    return _outcome_in(_native.decode_json(payload))


def _outcome_out(outcome: bytes | CallFailure) -> Any:
    if isinstance(outcome, bytes):
        return outcome.decode("utf-8", "surrogatepass")
    data = None if outcome.data is None else outcome.data.decode("utf-8", "surrogatepass")
    return {**asdict(outcome), "data": data}


def _outcome_in(wire: Any) -> bytes | CallFailure:
    if isinstance(wire, str):
        return wire.encode("utf-8", "surrogatepass")
    data = cast("str | None", wire["data"])
    return CallFailure(
        wire["name"],
        wire["message"],
        wire["code"],
        wire["tool"],
        wire["retryable"],
        None if data is None else data.encode("utf-8", "surrogatepass"),
    )


def _pending_out(pending: Pending) -> dict[str, Any]:
    row: dict[str, Any] = {"n": pending.number, "stage": pending.stage.name}
    call = pending.call
    if call is None:
        return row | {"due": pending.due, "reason": pending.reason}
    # Before validation only the guest's own input exists; later it is the value with the edits of hooks.
    value = call.value if call.entry is not None else None
    return row | {
        "target": call.target,
        "input": None if call.input is None else call.input.decode("utf-8", "surrogatepass"),
        "form": call.form,
        "resolved": call.entry is not None,
        "value": value,
        "approved": pending.approved,
        "owner": pending.owner,
    }


def _pending_in(cell_id: str, row: _CallRow | _HostRow, owner: str) -> Pending:
    stage = Stage[row["stage"]]
    if "target" not in row:
        return Pending(row["n"], stage, due=row["due"], reason=row["reason"])
    given = row["input"]
    call = NestedCall(
        cell_id,
        row["n"],
        row["target"],
        None if given is None else given.encode("utf-8", "surrogatepass"),
        row["form"],
        value=row["value"],
    )
    pending = Pending(row["n"], stage, call, approved=row["approved"])
    if stage in (Stage.AUTHORISING, Stage.RUNNING):
        pending.stage = Stage.REMOTE
        pending.owner = owner
    elif stage is Stage.REMOTE:
        pending.owner = row["owner"]
    return pending
