"""How a tool that can't be registered is refused."""

from __future__ import annotations

from toolcell.errors import ToolDefinitionError


def refusal(name: str, problem: str) -> ToolDefinitionError:
    """Return the error that names the tool and says what is wrong and what to change."""
    return ToolDefinitionError(f"tool {name}: {problem}", tool=name)
