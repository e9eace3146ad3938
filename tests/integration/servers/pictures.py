"""An MCP server that returns pictures, sound and files. It speaks JSON-RPC itself, to send broken ones too."""

from __future__ import annotations

import base64
import json
import sys
from typing import Any

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 16
WAV = b"RIFF....WAVE"


def text_of(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


FILE = {"uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": text_of(b"%PDF")}
PICTURE = {"type": "image", "mimeType": "image/png", "data": text_of(PNG)}
BLOCKS: dict[str, list[dict[str, Any]]] = {
    "picture": [{"type": "text", "text": "a picture"}, PICTURE],
    "sound": [{"type": "audio", "mimeType": "audio/wav", "data": text_of(WAV)}],
    "file": [{"type": "resource", "resource": FILE}],
    "broken": [{"type": "image", "mimeType": "image/png", "data": "%%%"}],
}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    params = request.get("params", {})
    match request["method"]:
        case "initialize":
            able: dict[str, dict[str, Any]] = {"tools": {}, "resources": {}, "prompts": {}}
            info = {"name": "pictures", "version": "1"}
            return {"result": {"protocolVersion": params["protocolVersion"], "capabilities": able, "serverInfo": info}}
        case "tools/list":
            return {"result": {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in BLOCKS]}}
        case "tools/call":
            return {"result": {"content": BLOCKS[params["name"]]}}
        case "resources/read":
            return {"result": {"contents": [FILE]}}
        case "prompts/get":
            return {"result": {"messages": [{"role": "user", "content": PICTURE}]}}
        case _:
            return {"error": {"code": -32601, "message": "not here"}}


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer(request)}), flush=True)


if __name__ == "__main__":
    main()
