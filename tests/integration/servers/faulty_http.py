"""A server that speaks streamable HTTP with a tool for each fault. Its first line of output is its port.

``faulty_http.py [AUTHORIZATION]``: the header that every message must have. Who asks its own authorization server with the
right client credentials is given ``Bearer token``.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FILLER = "x" * 50_000_000
TOOLS = ["echo", "headers", "streams", "huge", "huge_event", "packed", "hang", "broken", "forget", "bare", "die"]
sessions: list[str] = []
streams: list[str] = []


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a message."""
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/token":
            self.give_token(body)
            return
        message: dict[str, Any] = json.loads(body)
        if self.path == "/refuses":
            error = {"code": -32000, "message": "\x1b[2J\nMCP server other: connected"}
            self.json({"jsonrpc": "2.0", "id": message["id"], "error": error})
        elif len(sys.argv) > 1 and self.headers["authorization"] != sys.argv[1]:
            self.reply(401, b"{}", {"www-authenticate": "Bearer"})
        elif message["method"] == "initialize":
            sessions.append(f"session-{len(sessions)}")
            result: dict[str, Any] = {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "faulty", "version": "1"},
            }
            self.result(message, result, {"mcp-session-id": sessions[-1]})
        elif self.headers["mcp-session-id"] not in sessions:
            self.reply(404, b"")
        elif "id" not in message:
            self.reply(202, b"")
        elif message["method"] == "tools/list":
            self.result(message, {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]})
        else:
            self.call(message)

    def call(self, message: dict[str, Any]) -> None:
        """Answer a call, or not."""
        match message["params"]["name"]:
            case "headers":
                self.result(message, text(json.dumps(dict(self.headers.items()))))
            case "streams":
                self.result(message, text(str(len(streams))))
            case "huge":
                self.result(message, text(FILLER))
            case "huge_event":
                data = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": text(FILLER)}).encode()
                self.reply(200, b"event: message\ndata: " + data + b"\n\n", {"content-type": "text/event-stream"})
            case "packed":
                data = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": text("0" * 20_000_000)}).encode()
                self.reply(200, gzip.compress(data, 1), {"content-encoding": "gzip"})
            case "hang":
                time.sleep(60)
            case "broken":
                self.reply(500, b"{}")
            case "forget":
                sessions.clear()
                self.result(message, text("forgotten"))
            case "bare":
                self.reply(200, b"hello", {"content-type": "text/plain"})
            case "die":
                os._exit(1)
            case name:
                self.result(message, text(name))

    def do_GET(self) -> None:
        """Say where tokens are given; offer no stream, or one that ends and is to be opened again at once."""
        if self.path.startswith("/.well-known/oauth-protected-resource"):
            self.json({"resource": f"{self.origin}/mcp", "authorization_servers": [self.origin]})
        elif self.path.startswith("/.well-known/oauth-authorization-server"):
            ends = {"authorization_endpoint": f"{self.origin}/authorize", "token_endpoint": f"{self.origin}/token"}
            self.json({"issuer": self.origin, "response_types_supported": ["code"], **ends})
        elif self.path == "/ending":
            streams.append(self.path)
            self.reply(200, b"retry: 0\n\n", {"content-type": "text/event-stream"})
        else:
            self.reply(405, b"")

    def give_token(self, body: bytes) -> None:
        """Be an authorization server with one client."""
        if self.headers["authorization"] == "Basic " + base64.b64encode(b"me:secret").decode():
            self.json({"access_token": "token", "token_type": "Bearer", "expires_in": 3600})
        else:
            self.reply(401, b'{"error": "invalid_client"}')

    @property
    def origin(self) -> str:
        """Where this server is."""
        return f"http://{self.headers['host']}"

    def json(self, value: dict[str, Any]) -> None:
        """Answer with plain data."""
        self.reply(200, json.dumps(value).encode())

    def do_DELETE(self) -> None:
        """End a session."""
        self.reply(200, b"")

    def result(self, message: dict[str, Any], result: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        """Answer with a result."""
        self.reply(200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode(), headers)

    def reply(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        """Answer."""
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def text(value: str) -> dict[str, Any]:
    """A result with one text."""
    return {"content": [{"type": "text", "text": value}]}


http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
http.daemon_threads = True
print(http.server_port, flush=True)
http.serve_forever()
