"""A tool that an MCP server offers."""

from __future__ import annotations

import copy
import functools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, cast

from toolcell.catalog.context import CallContext
from toolcell.catalog.contract import MismatchError
from toolcell.catalog.tool import Tool, ToolResult
from toolcell.mcp.content import detach_binary
from toolcell.mcp.contract import RemoteContract
from toolcell.values import Json, JsonSchema, object_or_empty

MAX_DEFAULTS_DEPTH = 4
"""Objects in objects whose defaults are filled in."""
MAX_NAMED_KEYS = 20
"""Missing keys that are named."""


class Request(Protocol):
    """Sends a request to a server and returns the result object, keys as the server spelled them."""

    def __call__(self, method: str, params: Mapping[str, Any], context: CallContext, /) -> Awaitable[dict[str, Any]]:
        """Raise ``CallFailedError`` if it was not answered, or by an error."""
        ...


class McpTool(Tool):
    """A tool of an MCP server. Its words and schemas are a stranger's: a schema that can't be used is not used.

    ``details`` of its results is the MCP result object ``{content, structuredContent?, isError}``, with handles for bytes.
    """

    def __init__(
        self,
        *,
        server: str,
        name: str,
        description: str,
        label: str | None,
        input_schema: JsonSchema,
        output_schema: JsonSchema | None,
        request: Request,
    ) -> None:
        super().__init__(
            name=name,
            description=description,
            label=label,
            kind="mcp",
            owner=server,
            input_schema=input_schema,
            output_schema=output_schema,
            is_async=True,
        )
        self._request = request
        self._contract = RemoteContract(input_schema)

    def prepare(self, input: Json, context: CallContext) -> Callable[[], Any]:
        """Validate ``input`` where the server's schema can be used, and fill in its defaults; ``None`` is an empty object."""
        try:
            arguments = self._accepted(plain_arguments(input))
        except MismatchError as mismatch:
            raise self._refuse_input(mismatch.problems) from None
        return functools.partial(self._body, arguments, context)

    def _accepted(self, arguments: dict[str, Any]) -> dict[str, Any]:
        missing = _missing(self.input_schema, arguments)
        if missing:
            raise MismatchError([f"required but missing: {', '.join(missing)}"])
        filled = with_defaults(self.input_schema, arguments)
        try:
            self._contract.accept(filled)
        except MismatchError:
            # Servers declare defaults that they themselves would refuse, null for a string above all.
            self._contract.accept(arguments)
            return arguments
        except ValueError:
            pass  # a broken schema: the server validates, as it must anyway
        return filled

    async def _body(self, arguments: dict[str, Any], context: CallContext) -> ToolResult:
        """Call the server; ``isError`` in its answer makes it a failed call."""
        result = await self._request("tools/call", {"name": self.name, "arguments": arguments}, context)
        is_error = result.get("isError") is True
        given = result.get("content")
        content = cast("list[object]", given) if isinstance(given, list) else []
        details = detach_binary({**result, "content": content, "isError": is_error}, context.contents)
        return ToolResult(details["content"], details, is_error)


def plain_arguments(input: Json) -> dict[str, Any]:
    """Return the one object that a server takes.

    Raises:
        MismatchError: it is something else.
    """
    if input is None:
        return {}
    if not isinstance(input, dict):
        raise MismatchError(["pass one object with named values"])
    return cast("dict[str, Any]", input)


def with_defaults(schema: JsonSchema, given: dict[str, Any], depth: int = MAX_DEFAULTS_DEPTH) -> dict[str, Any]:
    """Return ``given`` with the defaults of absent properties, in objects inside of it too where their schema is plain.

    Source: JSON Schema's ``default`` is a hint; a server may rely on its clients to fill it in.

    Limits: properties behind ``$ref``, ``anyOf`` and their like are left as they are.
    """
    filled = dict(given)
    for name, part in object_or_empty(schema.get("properties")).items():
        inner = object_or_empty(part)
        if name not in given:
            if "default" in inner:
                filled[name] = copy.deepcopy(inner["default"])
        elif depth > 1 and "properties" in inner and isinstance(given[name], dict):
            filled[name] = with_defaults(inner, given[name], depth - 1)
    return filled


def _missing(schema: JsonSchema, given: dict[str, Any]) -> list[str]:
    """Names of required keys that are absent and have no default, quoted."""
    required = schema.get("required")
    properties = object_or_empty(schema.get("properties"))
    names: list[str] = []
    for name in cast("list[object]", required) if isinstance(required, list) else []:
        if isinstance(name, str) and name not in given and "default" not in object_or_empty(properties.get(name)):
            names.append(f'"{name[:100]}"')
    return names if len(names) <= MAX_NAMED_KEYS else [*names[:MAX_NAMED_KEYS], "and more"]
