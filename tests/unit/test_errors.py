"""Exceptions."""

from __future__ import annotations

import pickle

import pytest

from toolcell import errors

EXAMPLES = [
    errors.ToolcellError("plain"),
    errors.ConfigError("x", field="timeoutMs", value=1, allowed="more"),
    errors.ToolDefinitionError("x", tool="t"),
    errors.SurfaceError("x"),
    errors.RuntimeUnavailableError("x"),
    errors.StoreError("x"),
    errors.EnvelopeError("x"),
    errors.CallNotPendingError("x", run_id="cell_1", call_id="cell_1/1"),
    errors.InvalidDecisionError("x"),
    errors.RunClosedError("x"),
    errors.TooManySessionsError("x"),
    errors.UnknownToolError("x", target="t", suggestions=["u"]),
    errors.UnlistedServerError("x", target="t"),
    errors.ToolInputError("x"),
    errors.ToolOutputError("x"),
]


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_every_error_survives_pickling_with_its_data(error: errors.ToolcellError) -> None:
    copy = pickle.loads(pickle.dumps(error))

    assert (type(copy), str(copy), copy.__dict__) == (type(error), str(error), error.__dict__)


def test_codes_are_distinct_and_belong_to_the_class() -> None:
    codes = [type(error).code for error in EXAMPLES]

    assert len(set(codes)) == len(codes)


def test_every_error_is_a_toolcell_error() -> None:
    classes = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, Exception)]

    assert {type(error) for error in EXAMPLES} == set(classes)
