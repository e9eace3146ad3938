"""Tools that the client executes."""

from __future__ import annotations

from typing import Any

import pytest

from toolcell.catalog import CallContext, ClientTool
from toolcell.errors import ToolDefinitionError, ToolInputError

CONTEXT = CallContext(call_id="cell/1", tool_id="client:app:pick")
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}


def test_its_id_names_the_application() -> None:
    tools = [ClientTool(name="pick"), ClientTool(name="pick", app="desk")]

    assert [(tool.id("host"), tool.trusted) for tool in tools] == [
        ("client:app:pick", False),
        ("client:desk:pick", False),
    ]


@pytest.mark.parametrize("given", [None, {}, {"n": 1}])
def test_a_good_input_is_accepted_and_there_is_no_body_to_run(given: Any) -> None:
    body = ClientTool(name="pick", input_schema=SCHEMA).prepare(given, CONTEXT)

    with pytest.raises(TypeError, match="pick is executed by the client"):
        body()


@pytest.mark.parametrize(
    ("given", "message"), [({"n": "x"}, 'n: "x" is not of type "integer"'), ([], '[] is not of type "object"')]
)
def test_a_wrong_input_is_refused_before_the_client_sees_it(given: Any, message: str) -> None:
    with pytest.raises(ToolInputError) as refused:
        ClientTool(name="pick", input_schema=SCHEMA).prepare(given, CONTEXT)

    assert refused.value.message == f"invalid input for pick: {message}"


def test_without_a_schema_anything_is_accepted() -> None:
    assert callable(ClientTool(name="pick").prepare([1, "x"], CONTEXT))


def test_a_broken_schema_is_refused() -> None:
    with pytest.raises(ToolDefinitionError, match="tool pick: input_schema is not a valid JSON Schema"):
        ClientTool(name="pick", input_schema={"type": 5})
