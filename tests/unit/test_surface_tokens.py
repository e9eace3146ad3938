"""What the model has to read, in tokens."""

from __future__ import annotations

import re
from typing import Any

import pytest

from support.tokens import count_tokens, count_tool_tokens
from toolcell.catalog import Catalog, FunctionTool, tool
from toolcell.config import CodeModeConfig
from toolcell.surface import Surface
from toolcell.token_estimate import _COMMON_WORDS  # pyright: ignore[reportPrivateUsage]

SERVERS = [f"server{number:04}" for number in range(1_000)]
PARTS = ["list", "createSub", "x9_", "repository", "qzx", "get_by_", "東京", "A"]


def same(given: Any) -> Any:
    return given


def described(number: int) -> FunctionTool[..., Any]:
    part = PARTS[number % len(PARTS)]
    properties = {f"{part}{key}": {"type": ["string", "null"], "enum": [f"{part}-{key}", "*"]} for key in range(number % 7)}
    return tool(
        name=f"{part}{number}",
        description="never shown",
        input_schema={"type": "object", "properties": properties, "additionalProperties": False},
        output_schema={"type": "string"} if number % 2 else None,
        raw_input=True,
    )(same)


def surface(*tools: Any) -> Surface:
    return Surface(Catalog(tools), CodeModeConfig(), mcp_members=SERVERS)


def test_the_surface_of_ten_thousand_tools_is_at_most_3200_tokens() -> None:
    shown = surface(*map(described, range(10_000)))

    assert count_tool_tokens(shown.model_tools) <= 3_200
    assert count_tool_tokens(shown.strict_model_tools) <= 3_200


def test_of_a_thousand_servers_some_are_named_and_the_others_counted() -> None:
    named = re.search(r"functions of its own: (.*?)\. Look", surface().description)

    assert named is not None
    *names, rest = named[1].split(", ")
    assert names == [f"MCP.{server}" for server in SERVERS[: len(names)]]
    assert (len(names) > 10, rest) == (True, f"{len(SERVERS) - len(names)} more")
    assert count_tool_tokens(surface().strict_model_tools) <= 800


@pytest.mark.parametrize("before", [" ", "_", "(", "{"])
def test_each_common_word_is_one_token_or_two_with_the_sign_before_it(before: str) -> None:
    assert {word: count_tokens(before + word) for word in _COMMON_WORDS if count_tokens(before + word) > 2} == {}
