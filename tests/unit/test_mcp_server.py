"""Where an MCP server is and how it is reached."""

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


@pytest.mark.parametrize("url", ["", "example.com/mcp", "file:///etc/passwd", "ftp://h"])
def test_only_addresses_of_the_web_are_reached(url: str) -> None:
    with pytest.raises(ConfigError, match="is not an http or https address"):
        McpServer.http("web", url)


@pytest.mark.parametrize("option", ["timeout_ms", "connect_timeout_ms", "max_concurrency"])
@pytest.mark.parametrize("value", [0, -1, 1.5, True, "5"])
def test_numbers_are_integers_of_at_least_one(option: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"git: {option} is"):
        McpServer.stdio("git", ["x"], **{option: value})


def test_a_tool_is_used_if_it_is_allowed_and_not_denied() -> None:
    server = McpServer.stdio("git", ["x"], allow=["git_*"], deny=["*_push"])

    assert [name for name in ("git_log", "git_push", "other", "GIT_LOG") if server.admits(name)] == ["git_log"]
    assert McpServer.stdio("git", ["x"]).admits("anything")
    assert not McpServer.stdio("git", ["x"], allow=[]).admits("anything")


def test_what_may_be_secret_is_not_printed() -> None:
    assert "secret" not in repr(McpServer.stdio("git", ["x"], env={"TOKEN": "secret"}))
    assert "secret" not in repr(McpServer.http("web", "https://h", headers={"Authorization": "secret"}, auth="secret"))
