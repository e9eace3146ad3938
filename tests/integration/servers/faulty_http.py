"""A server that speaks streamable HTTP with a tool for each fault. Its first line of output is its port."""

from __future__ import annotations

import gzip
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FILLER = "x" * 50_000_000
TOOLS = ["echo", "headers", "huge", "huge_event", "packed", "hang", "broken", "forget", "bare", "die"]
sessions: list[str] = []


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a message."""
        message: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if len(sys.argv) > 1 and self.headers["authorization"] != sys.argv[1]:
            self.reply(401, b"{}")
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
        """Offer no stream."""
        self.reply(405, b"")

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
