"""A server that knows the protocol of 2026 only: no handshake, questions inside of results, a stream of changes."""

from __future__ import annotations

from typing import Any

from rpc import Answered, RpcError, Server, text, tool

CACHE = {"ttlMs": 0, "cacheScope": "private", "resultType": "complete"}
tools = [tool("echo"), tool("ask"), tool("grow"), tool("insist")]
listeners: list[Any] = []


def refuse(*_: Any) -> dict[str, Any]:
    """Know no handshake."""
    raise RpcError("unsupported protocol version", -32022, {"supported": ["2026-07-28"], "requested": "2025-11-25"})


def discover(*_: Any) -> dict[str, Any]:
    """Say what is offered."""
    return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": True}}, **CACHE}


def listen(params: dict[str, Any], number: Any) -> dict[str, Any]:
    """Begin a stream of changes."""
    listeners.append(number)
    tell("notifications/subscriptions/acknowledged", {"notifications": params["notifications"]})
    raise Answered


def tell(method: str, params: dict[str, Any]) -> None:
    """Send a notification to whoever listens."""
    for number in listeners:
        server.notify(method, {**params, "_meta": {"io.modelcontextprotocol/subscriptionId": number}})


def call_tool(params: dict[str, Any], _: Any) -> dict[str, Any]:
    """Answer a call, or ask something first."""
    question = {"message": "Which colour?", "requestedSchema": {"type": "object", "properties": {"colour": {"type": "string"}}}}
    asked: dict[str, Any] = {"resultType": "input_required", "requestState": "s1"}
    asked["inputRequests"] = {"q": {"method": "elicitation/create", "params": question}}
    match params["name"]:
        case "ask" if "inputResponses" in params:
            return {**text([params["requestState"], params["inputResponses"]["q"]]), "resultType": "complete"}
        case "ask" | "insist":
            return asked
        case "grow":
            tools.append(tool("grown"))
            tell("notifications/tools/list_changed", {})
            return {**text("ok"), "resultType": "complete"}
        case _:
            return {**text(params["arguments"]), "resultType": "complete"}


def list_tools(*_: Any) -> dict[str, Any]:
    """List the tools as they are now."""
    return {"tools": tools, **CACHE}


server = Server(
    "modern",
    {
        "initialize": refuse,
        "server/discover": discover,
        "subscriptions/listen": listen,
        "tools/list": list_tools,
        "tools/call": call_tool,
    },
    {},
)
server.run()
