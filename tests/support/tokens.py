"""Tokens of what a model is sent, counted offline."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # of how the package reads its own tables
    from bpe_openai.tokenizer import build_encoding_from_name  # pyright: ignore[reportMissingTypeStubs]

    _ENCODING = build_encoding_from_name("o200k_base")


def count_tokens(text: str) -> int:
    """Tokens of the vocabulary o200k."""
    return len(_ENCODING.encode(text))


def count_tool_tokens(tools: Iterable[Any]) -> int:
    """Tokens of tools as a provider is sent them: name, description and input schema, as JSON.

    Args:
        tools: Whatever has these three as attributes.
    """
    wire = ({"name": tool.name, "description": tool.description, "input_schema": tool.input_schema} for tool in tools)
    return sum(count_tokens(json.dumps(tool, ensure_ascii=False) + ",") for tool in wire)  # one by one: there may be many
