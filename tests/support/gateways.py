"""Gateways that run as processes of their own, as clients find them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

TOOLS = """
import toolcell

@toolcell.tool
async def add(a: int, b: int) -> int:
    return a + b

@toolcell.tool(requires_approval=True)
async def pay(amount: int) -> str:
    return f"paid {amount}"

tools = [add, pay]
deny_all = toolcell.Policy(allow=[])
"""

Headers = Mapping[str, str]
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def command(name: str, *arguments: str) -> list[str]:
    """The command line of a command of `toolcell` over `TOOLS`."""
    return [sys.executable, "-m", "toolcell.cli", name, "--tools", "shop:tools", *arguments]


def write_tools(folder: Path) -> Path:
    """Write the module `shop` with `TOOLS`."""
    (folder / "shop.py").write_text(TOOLS)
    return folder


@contextmanager
def serving(folder: Path, *arguments: str, **variables: str) -> Generator[str, None, None]:
    """Start a gateway over HTTP; gives its URL."""
    process = subprocess.Popen(
        command("serve", "--http", "127.0.0.1:0", *arguments),
        cwd=write_tools(folder),
        env={**os.environ, **variables},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        assert said.startswith("toolcell: serving "), said + process.stderr.read()
        yield said.split()[-1]
    finally:
        process.terminate()
        process.communicate(timeout=20)


def send(url: str, method: str, body: Any = None, headers: Headers | None = None) -> tuple[int, Headers, Any]:
    """Send one HTTP request over a connection of its own; gives status, headers and the JSON-RPC message answered."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=50)
    sent = {"content-type": "application/json", "accept": "application/json, text/event-stream", **(headers or {})}
    try:
        connection.request(method, parts.path, None if body is None else json.dumps(body), sent)
        response = connection.getresponse()
        return response.status, dict(response.headers), _message(response.read().decode())
    finally:
        connection.close()


def open_session(url: str, headers: Headers | None = None) -> dict[str, str]:
    """Shake hands; gives the headers of the session's later requests."""
    _, answered, _ = send(url, "POST", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": CLIENT}, headers)
    session = {"mcp-session-id": answered["mcp-session-id"], "mcp-protocol-version": "2025-11-25", **(headers or {})}
    send(url, "POST", {"jsonrpc": "2.0", "method": "notifications/initialized"}, session)
    return session


def call(url: str, session: Headers, tool: str, **arguments: Any) -> Any:
    """Call a tool in a session; gives the structured result."""
    params = {"name": tool, "arguments": arguments}
    _, _, message = send(url, "POST", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, session)
    return message["result"]["structuredContent"]


def _message(text: str) -> Any:
    """The last message of an answer, which may be a stream of events."""
    data = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
    try:
        return json.loads(data[-1] if data else text)
    except ValueError:
        return text
