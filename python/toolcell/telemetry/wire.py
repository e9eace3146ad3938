"""Events as JSON objects: what a trajectory holds and a transcript is made of."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from pydantic.alias_generators import to_camel
from pydantic_core import to_jsonable_python

from toolcell.results import CellResult
from toolcell.telemetry.events import Event


def to_wire(event: Event) -> dict[str, Any]:
    """Return an event as plain JSON data: ``event`` is its name, fields are in camelCase, absent ones left out."""
    wire: dict[str, Any] = {"event": type(event).__name__}
    for field in fields(event):
        value: Any = getattr(event, field.name)
        if isinstance(value, CellResult):
            wire |= _result(value)
        elif value is not None:
            wire[to_camel(field.name)] = to_jsonable_python(value, fallback=_nameless)
    return wire


def _result(result: CellResult) -> dict[str, Any]:
    """What a model was told, and the counters beside it."""
    given = {
        "status": result.status,
        "runId": result.run_id,
        "code": result.code,
        "reason": result.reason,
        "text": result.for_model(),
        "telemetry": result.telemetry.model_dump(by_alias=True, mode="json"),
    }
    return {name: value for name, value in given.items() if value is not None}


def _nameless(value: object) -> str:
    return f"<{type(value).__name__}>"
