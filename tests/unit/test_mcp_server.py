"""Where an MCP server is and how it is started."""

from __future__ import annotations

from typing import Any

import pytest

from toolcell.errors import ConfigError
from toolcell.mcp import McpServer


@pytest.mark.parametrize(
    ("name", "command"), [("", ["x"]), ("a:b", ["x"]), ("a\nb", ["x"]), ("git", []), ("git", "mcp-server-git")]
)
def test_a_server_that_cannot_be_meant_is_refused(name: str, command: Any) -> None:
    with pytest.raises(ConfigError):
        McpServer.stdio(name, command)


def test_variables_for_a_server_are_not_printed() -> None:
    assert "secret" not in repr(McpServer.stdio("git", ["x"], env={"TOKEN": "secret"}))
