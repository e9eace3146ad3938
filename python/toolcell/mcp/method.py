"""What an MCP server offers besides tools, as tools that are called but never listed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from toolcell.catalog.context import CallContext
from toolcell.catalog.contract import MismatchError, SchemaContract
from toolcell.catalog.tool import Tool, ToolResult
from toolcell.mcp.content import detach_binary
from toolcell.mcp.tool import Request, plain_arguments
from toolcell.values import Json, JsonSchema

_CURSOR: JsonSchema = {
    "type": "object",
    "properties": {"cursor": {"type": "string"}},
    "additionalProperties": False,
}
_URI: JsonSchema = {
    "type": "object",
    "properties": {"uri": {"type": "string"}},
    "required": ["uri"],
    "additionalProperties": False,
}
_PROMPT: JsonSchema = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "arguments": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "required": ["name"],
    "additionalProperties": False,
}
_METHODS: dict[str, tuple[str, JsonSchema, str]] = {
    "resources/list": ("resources", _CURSOR, "List what the server has to read."),
    "resources/read": ("resources", _URI, "Read one resource."),
    "prompts/list": ("prompts", _CURSOR, "List the server's prompts."),
    "prompts/get": ("prompts", _PROMPT, "Fill a prompt in."),
}


class McpMethod(Tool):
    """A method of the protocol, ``mcp:<server>:resources/read`` and its like: policy and hooks see it as a tool.

    ``details`` of its results is the method's result object, with handles for bytes.
    """

    def __init__(self, server: str, method: str, request: Request) -> None:
        _, schema, description = _METHODS[method]
        super().__init__(
            name=method,
            description=description,
            kind="mcp",
            owner=server,
            input_schema=schema,
            read_only=True,
            is_async=True,
            discoverable=False,
        )
        self._request = request
        self._contract = SchemaContract(schema)

    @staticmethod
    def offered(capabilities: Mapping[str, Any]) -> list[str]:
        """Methods of a server with these capabilities."""
        return [method for method, (capability, _, _) in _METHODS.items() if capabilities.get(capability) is not None]

    def prepare(self, input: Json, context: CallContext) -> Callable[[], Any]:
        """Validate ``input``; ``None`` counts as an empty object."""
        try:
            arguments = plain_arguments(input)
            self._contract.accept(arguments)
        except MismatchError as mismatch:
            raise self._refuse_input(mismatch.problems) from None
        return functools.partial(self._body, arguments, context)

    async def _body(self, arguments: dict[str, Any], context: CallContext) -> ToolResult:
        result = await self._request(self.name, arguments, context)
        return ToolResult(details=detach_binary(result, context.contents))
