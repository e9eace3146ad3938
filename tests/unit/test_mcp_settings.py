"""MCP servers out of configuration files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolcell.errors import ConfigError
from toolcell.mcp import McpServer
from toolcell.mcp.settings import load_servers

ENVIRON = {"TOKEN": "t0k", "EMPTY": "", "HOME": "/home/me"}


def one(entry: dict[str, Any]) -> McpServer:
    [server] = load_servers({"mcpServers": {"git": entry}}, ENVIRON)
    return server


def refused(configuration: Any) -> ConfigError:
    with pytest.raises(ConfigError) as raised:
        load_servers(configuration, ENVIRON)
    return raised.value


def test_local_and_remote_servers_are_read_in_order() -> None:
    servers = load_servers(
        {
            "mcpServers": {
                "git": {"command": "uvx", "args": ["mcp-server-git"], "env": {"DEBUG": "1"}, "cwd": "/tmp"},
                "web": {"type": "http", "url": "https://example.com/mcp", "headers": {"X-Key": "k"}},
            }
        },
        ENVIRON,
    )

    assert servers == [
        McpServer.stdio("git", ["uvx", "mcp-server-git"], env={"DEBUG": "1"}, cwd="/tmp"),
        McpServer.http("web", "https://example.com/mcp", headers={"X-Key": "k"}),
    ]


@pytest.mark.parametrize("path", [["mcpServers"], ["servers"], ["mcp", "servers"], ["mcp", "mcpServers"]])
def test_the_places_where_programs_keep_their_servers_are_known(path: list[str]) -> None:
    configuration: dict[str, Any] = {"git": {"command": "x"}}
    for key in reversed(path):
        configuration = {key: configuration}

    assert load_servers(configuration) == [McpServer.stdio("git", ["x"])]


@pytest.mark.parametrize("key", ["url", "serverUrl", "httpUrl"])
def test_an_address_may_be_spelled_in_several_ways(key: str) -> None:
    assert one({key: "http://localhost/mcp"}) == McpServer.http("git", "http://localhost/mcp")


def test_variables_are_filled_in_everywhere_and_other_dollars_stay() -> None:
    server = one(
        {
            "command": "${HOME}/bin/run",
            "args": ["--token=${env:TOKEN}", "${MISSING:-a b}", "${EMPTY:-used}", "$HOME", "${EMPTY}"],
            "env": {"A": "${TOKEN}${TOKEN}", "N": 5, "B": True},
            "cwd": "${HOME}",
        }
    )

    assert server == McpServer.stdio(
        "git",
        ["/home/me/bin/run", "--token=t0k", "a b", "used", "$HOME", ""],
        env={"A": "t0kt0k", "N": "5", "B": "true"},
        cwd="/home/me",
    )
    assert one({"url": "https://h/${TOKEN}", "headers": {"Authorization": "Bearer ${TOKEN}"}}) == McpServer.http(
        "git", "https://h/t0k", headers={"Authorization": "Bearer t0k"}
    )


def test_a_value_that_was_filled_in_is_not_expanded_again() -> None:
    [server] = load_servers({"mcpServers": {"git": {"command": "${A}"}}}, {"A": "${B}", "B": "no"})

    assert server.command == ("${B}",)


@pytest.mark.parametrize("entry", [{"command": "x", "disabled": True}, {"command": "x", "enabled": False}, {"disabled": True}])
def test_a_disabled_server_is_left_out_whatever_else_is_wrong_with_it(entry: dict[str, Any]) -> None:
    assert load_servers({"mcpServers": {"git": entry}}) == []


@pytest.mark.parametrize(
    ("entry", "milliseconds"), [({}, 60_000), ({"timeout": 30}, 30_000), ({"timeout": 45_000}, 45_000), ({"timeoutMs": 500}, 500)]
)
def test_a_timeout_below_a_thousand_counts_as_seconds(entry: dict[str, Any], milliseconds: int) -> None:
    assert one({"command": "x", **entry}).timeout_ms == milliseconds


@pytest.mark.parametrize("allow", ["allow", "allowedTools", "enabledTools", "includeTools", "tools"])
@pytest.mark.parametrize("deny", ["deny", "disabledTools", "excludeTools"])
def test_lists_of_tools_may_be_spelled_in_several_ways(allow: str, deny: str) -> None:
    server = one({"command": "x", allow: ["git_*", "other"], deny: ["git_push"]})

    assert [name for name in ("git_log", "git_push", "other", "rest") if server.admits(name)] == ["git_log", "other"]


def test_keys_of_other_programs_are_passed_over() -> None:
    assert one({"command": "x", "autoApprove": ["a"], "alwaysAllow": [], "gallery": True, "env": None}) == McpServer.stdio(
        "git", ["x"]
    )


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        ("x", "mcpServers.git"),
        ({}, "mcpServers.git.command"),
        ({"command": "x", "url": "http://h"}, "mcpServers.git.command"),
        ({"command": 5}, "mcpServers.git.command"),
        ({"command": "x", "args": "a b"}, "mcpServers.git.args"),
        ({"command": "x", "env": ["A=1"]}, "mcpServers.git.env"),
        ({"command": "x", "env": {"A": None}}, "mcpServers.git.env.A"),
        ({"command": "x", "env": {"A": "${NOT_SET}"}}, "mcpServers.git.env.A"),
        ({"command": "${input:key}"}, "mcpServers.git.command"),
        ({"command": "x", "envFile": ".env"}, "mcpServers.git.envFile"),
        ({"command": "x", "disabled": "yes"}, "mcpServers.git.disabled"),
        ({"command": "x", "timeout": 0}, "mcpServers.git.timeout"),
        ({"command": "x", "timeout": float("nan")}, "mcpServers.git.timeout"),
        ({"command": "x", "timeoutMs": "5"}, "mcpServers.git.timeoutMs"),
        ({"command": "x", "type": "http"}, "mcpServers.git.command"),
        ({"command": "x", "type": "carrier pigeon"}, "mcpServers.git.type"),
        ({"url": "http://h", "type": "sse"}, "mcpServers.git.type"),
        ({"url": "ftp://h"}, "mcp.url"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_server_and_field(entry: Any, field: str) -> None:
    error = refused({"mcpServers": {"git": entry}})

    assert (error.field, "git" in str(error)) == (field, True)


def test_a_missing_variable_is_named() -> None:
    error = refused({"mcpServers": {"git": {"command": "x", "args": ["${NOT_SET}"]}}})

    assert str(error) == (
        "mcpServers.git.args is '${NOT_SET}'; give a value for the environment variable NOT_SET, which is not set"
    )


@pytest.mark.parametrize("configuration", [{}, {"mcpServers": []}, {"mcp": {}}, {"mcp": []}])
def test_a_configuration_without_servers_is_refused(configuration: dict[str, Any]) -> None:
    assert refused(configuration).field == "mcpServers"


def test_files_may_be_json_or_json5(tmp_path: Path) -> None:
    configuration = {"mcpServers": {"git": {"command": "x"}}}
    (tmp_path / "a.json").write_text(json.dumps(configuration))
    (tmp_path / "b.json").write_text("// mine\n{mcpServers: {git: {command: 'x',}}}")
    (tmp_path / "c.json").write_text("{mcpServers:")

    assert load_servers(tmp_path / "a.json") == load_servers(str(tmp_path / "b.json")) == [McpServer.stdio("git", ["x"])]
    assert "is not JSON5" in str(refused(tmp_path / "c.json"))
    assert "No such file" in str(refused(tmp_path / "d.json"))
