"""The least of an MCP server on standard input and output: no package, so it starts at once and may break every rule."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from typing import Any

ANY: dict[str, Any] = {"type": "object"}
Method = Callable[[dict[str, Any], Any], dict[str, Any]]
"""Gets the parameters and the request's id, and gives the result."""


class Answered(Exception):
    """Raised by a method that has written its own answer, or none."""


class RpcError(Exception):
    """Becomes a JSON-RPC error."""

    def __init__(self, message: str, code: int = -32001, data: Any = None) -> None:
        super().__init__(message)
        self.error: dict[str, Any] = {"code": code, "message": message, **({} if data is None else {"data": data})}


class Server:
    """Answers each request in a thread of its own."""

    def __init__(self, name: str, methods: dict[str, Method], capabilities: dict[str, Any]) -> None:
        self.methods: dict[str, Method] = {"initialize": self.initialize, **methods}
        self.name = name
        self.capabilities = capabilities
        self.cancelled: list[Any] = []
        self.answers: dict[Any, Any] = {}
        self.answered = threading.Condition()
        self._out = threading.Lock()

    def initialize(self, params: dict[str, Any], _: Any) -> dict[str, Any]:
        """Shake hands."""
        self.client = params
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": self.capabilities,
            "serverInfo": {"name": self.name, "version": "1"},
        }

    def write(self, message: dict[str, Any] | str | bytes) -> None:
        """Write a message, or anything at all, as one line."""
        data = json.dumps(message).encode() if isinstance(message, dict) else message
        with self._out:
            sys.stdout.buffer.write((data.encode() if isinstance(data, str) else data) + b"\n")
            sys.stdout.buffer.flush()

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Send a notification."""
        self.write({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request to the client and wait for the whole answer."""
        number = f"ask-{threading.get_ident()}"
        self.write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        with self.answered:
            self.answered.wait_for(lambda: number in self.answers)
            return self.answers.pop(number)

    def run(self) -> None:
        """Serve until the input ends."""
        for line in sys.stdin.buffer:
            message = json.loads(line)
            if "method" not in message:
                with self.answered:
                    self.answers[message["id"]] = message
                    self.answered.notify_all()
            elif "id" in message:
                threading.Thread(target=self._serve, args=(message,), daemon=True).start()
            elif message["method"] == "notifications/cancelled":
                self.cancelled.append(message["params"]["requestId"])

    def _serve(self, message: dict[str, Any]) -> None:
        number = message["id"]
        try:
            result = self.methods[message["method"]](message.get("params") or {}, number)
            self.write({"jsonrpc": "2.0", "id": number, "result": result})
        except Answered:
            pass
        except KeyError as missing:
            self.write({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": f"no method {missing}"}})
        except RpcError as error:
            self.write({"jsonrpc": "2.0", "id": number, "error": error.error})


def text(value: object, **more: Any) -> dict[str, Any]:
    """A result with one text."""
    return {"content": [{"type": "text", "text": value if isinstance(value, str) else json.dumps(value)}], **more}


def tool(name: str, schema: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A line of a list of tools."""
    return {"name": name, "inputSchema": schema or ANY, **more}
