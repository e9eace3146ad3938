"""Input of tools of MCP servers: defaults, required keys, schemas that can't be used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from toolcell.catalog import CallContext
from toolcell.errors import ToolInputError
from toolcell.mcp import McpTool
from toolcell.values import Json

CONTEXT = CallContext(call_id="cell/1", tool_id="mcp:s:t")


class Remote:
    """Stands where the connection would."""

    def __init__(self, result: dict[str, Any] | None = None) -> None:
        self.sent: list[Mapping[str, Any]] = []
        self.result = result or {"content": []}

    async def __call__(self, method: str, params: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        self.sent.append(params["arguments"])
        return self.result


def tool(schema: dict[str, Any], remote: Remote) -> McpTool:
    return McpTool(server="s", name="t", description="", label=None, input_schema=schema, output_schema=None, request=remote)


async def sent(schema: dict[str, Any], given: Json) -> Mapping[str, Any]:
    remote = Remote()
    await tool(schema, remote).prepare(given, CONTEXT)()
    [arguments] = remote.sent
    return arguments


async def test_nothing_counts_as_an_empty_object() -> None:
    assert await sent({"type": "object"}, None) == {}


@pytest.mark.parametrize("given", ["x", 5, True, [], [{}]])
async def test_anything_but_one_object_is_refused(given: Json) -> None:
    remote = Remote()
    with pytest.raises(ToolInputError, match=r"^invalid input for t: pass one object with named values$"):
        tool({}, remote).prepare(given, CONTEXT)
    assert remote.sent == []


async def test_missing_keys_are_named_in_one_message() -> None:
    schema = {"required": ["a", "b", "c", 5], "properties": {"c": {"default": 1}}}
    with pytest.raises(ToolInputError, match=r'^invalid input for t: required but missing: "a", "b"$'):
        tool(schema, Remote()).prepare({}, CONTEXT)

    assert await sent(schema, {"a": None, "b": 0}) == {"a": None, "b": 0, "c": 1}


async def test_defaults_are_copies_and_what_was_given_is_not_changed() -> None:
    schema = {"properties": {"list": {"default": [1]}, "deep": {"properties": {"on": {"default": True}}}}}
    given: dict[str, Any] = {"deep": {}}
    first, second = await sent(schema, given), await sent(schema, given)

    assert first == second == {"list": [1], "deep": {"on": True}}
    assert (given, first["list"] is second["list"]) == ({"deep": {}}, False)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "file:///etc/hostname"},
        {"$ref": "http://127.0.0.1:1/schema.json"},
        {"properties": {"a": {"$ref": "#/nowhere"}}},
        {"type": "nonsense"},
        {"properties": 5, "required": "a", "type": "object"},
        {"properties": {"a": True, "b": None, "c": {"pattern": "("}}},
        {"properties": {"a": {"pattern": "(a{1000}){1000}{1000}"}}},
    ],
)
async def test_a_schema_that_cannot_be_used_lets_the_server_judge(schema: dict[str, Any]) -> None:
    assert await sent(schema, {"a": "x"}) == {"a": "x"}


@pytest.mark.parametrize(
    ("result", "details"),
    [
        ({}, {"content": [], "isError": False}),
        ({"content": "x", "isError": "yes", "more": None}, {"content": [], "isError": False, "more": None}),
        ({"content": [{"type": "text"}], "isError": True}, {"content": [{"type": "text"}], "isError": True}),
    ],
)
async def test_a_result_has_its_two_keys_whatever_was_sent(result: dict[str, Any], details: dict[str, Any]) -> None:
    found = await tool({}, Remote(result or {"content": None})).prepare({}, CONTEXT)()

    assert (found.details, found.is_error) == (details, details["isError"])
