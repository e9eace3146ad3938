"""A tool that an MCP server offers."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from toolcell.catalog.context import CallContext
from toolcell.catalog.contract import MismatchError, SchemaContract
from toolcell.catalog.tool import MAX_NAME_CHARS, Tool, ToolResult
from toolcell.values import Json, JsonSchema, object_or_empty

_BINARY_KEYS = ("data", "blob")


class RemoteCall(Protocol):
    """Calls a tool by name on its server and returns the MCP result object."""

    def __call__(self, name: str, arguments: dict[str, Any], context: CallContext, /) -> Awaitable[dict[str, Any]]:
        """Raise what the server or the connection raised."""
        ...


class McpTool(Tool):
    """A tool of an MCP server. Its words and schemas are a stranger's: a schema that can't be used is not used.

    ``details`` of its results is the MCP result object ``{content, structuredContent?, isError}``, without binary data.
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
        call: RemoteCall,
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
        self._call = call
        self._contract = SchemaContract(input_schema)

    @staticmethod
    def accepts_name(name: str) -> bool:
        """Whether a server's name for a tool can stand in an id; tools with other names are left out."""
        return 0 < len(name) <= MAX_NAME_CHARS and name.isprintable()

    def prepare(self, input: Json, context: CallContext) -> Callable[[], Any]:
        """Validate ``input`` where the server's schema can be used; ``None`` counts as an empty object."""
        arguments = {} if input is None else input
        if not isinstance(arguments, dict):
            raise self._refuse_input(["pass one object with named values"])
        try:
            self._contract.accept(arguments)
        except MismatchError as mismatch:
            raise self._refuse_input(mismatch.problems) from None
        except ValueError:
            pass  # a broken schema: the server validates, as it must anyway
        return functools.partial(self._body, arguments, context)

    async def _body(self, arguments: dict[str, Any], context: CallContext) -> ToolResult:
        """Call the server; ``isError`` in its answer makes it a failed call."""
        details = _without_binary(await self._call(self.name, arguments, context))
        return ToolResult(details["content"], details, bool(details.get("isError")))


def _without_binary(result: Mapping[str, Any]) -> dict[str, Any]:
    """Drop the bytes of images, sound and files; what says that they are there stays."""
    blocks = [_without_bytes(block) for block in result.get("content", ())]
    return {**result, "content": blocks}


def _without_bytes(block: object) -> dict[str, Any]:
    kept = {key: value for key, value in object_or_empty(block).items() if key not in _BINARY_KEYS}
    if "resource" in kept:
        kept["resource"] = _without_bytes(kept["resource"])
    return kept
