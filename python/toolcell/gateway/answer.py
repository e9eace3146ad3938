"""What a client is shown: the two tools, and results."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from mcp_types import CallToolResult, ContentBlock, Tool, ToolAnnotations
from pydantic import TypeAdapter

from toolcell.results import CellResult
from toolcell.surface import ModelTool
from toolcell.values import Json, json_text

MAX_LEVELS = 128
"""Nesting of structured content, of which clients bear less than cells; what is deeper is its JSON as a string."""

TITLES = {"exec": "Run a program over tools", "wait": "Continue a program"}

# A program may do whatever the tools can, so that nothing better can be said in general; a `wait` goes on with one.
ANNOTATIONS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True)

# Short, because some clients check a schema each time they connect, and show it to their model.
OUTPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "status": {"enum": ["completed", "waiting", "failed"]},
        "value": {"description": "completed: what the program returned"},
        "runId": {"type": "string", "description": "waiting: what to give to wait"},
        "reason": {"type": "string"},
        "pendingToolCalls": {"type": "array"},
        "error": {"type": "string"},
        "output": {"type": "array"},
    },
    "required": ["status"],
}


def declare(tools: Iterable[ModelTool]) -> list[Tool]:
    """The tools of a run's surface as MCP declares them."""
    return [
        Tool(
            name=tool.name,
            title=TITLES[tool.name],
            description=tool.description,
            input_schema=tool.input_schema,
            output_schema=OUTPUT_SCHEMA,
            annotations=ANNOTATIONS,
        )
        for tool in tools
    ]


def answer(result: CellResult) -> CallToolResult:
    """A result as MCP knows it: the text for the model with the images and files that it names, and the same as data.

    A failed cell is an error of the tool, which the model is meant to see.

    Limits:
        The envelope around words of untrusted tools stands in the text only.
    """
    plain = result.model_copy()
    plain.set_envelope(None)
    return CallToolResult(
        content=_BLOCKS.validate_python(result.for_model_blocks()),
        structured_content=_shallow(json.loads(plain.for_model()), MAX_LEVELS),
        is_error=result.status == "failed",
    )


_BLOCKS: TypeAdapter[list[ContentBlock]] = TypeAdapter(list[ContentBlock])


def _shallow(value: Json, levels: int) -> Json:
    if not isinstance(value, (dict, list)):
        return value
    if levels == 0:
        return json_text(value)
    if isinstance(value, list):
        return [_shallow(item, levels - 1) for item in value]
    return {key: _shallow(item, levels - 1) for key, item in value.items()}
