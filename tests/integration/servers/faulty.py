"""An MCP server with a tool for each fault that may happen in a call, and a way of starting for those that happen before.

``faulty.py MARK [FAULT]``: ``MARK`` is only there to be found in the list of processes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

from rpc import Answered, RpcError, Server, text, tool

MARK, FAULT = sys.argv[1], (sys.argv[2] if len(sys.argv) > 2 else "")
NAMES = [
    "echo",
    "env",
    "pid",
    "die",
    "hang",
    "huge",
    "garbage",
    "change",
    "refuse",
    "slow",
    "progress",
    "cancelled",
    "odd",
    "deep",
]
tools: list[dict[str, Any]] = [tool(name) for name in NAMES]
lists = 0


def list_tools(params: dict[str, Any], _: Any) -> dict[str, Any]:
    """List the tools as they are now."""
    global lists
    lists += 1
    match FAULT:
        case "loop":
            return {"tools": tools, "nextCursor": "again"}
        case "endless":
            return {"tools": [tool(f"tool_{lists}")], "nextCursor": str(lists)}
        case "no-list":
            raise Answered
        case _:
            return {"tools": tools}


def call_tool(params: dict[str, Any], number: Any) -> dict[str, Any]:
    """Answer a call, or not."""
    arguments: dict[str, Any] = params["arguments"]
    match params["name"]:
        case "echo":
            return text(arguments)
        case "env":
            return text(dict(os.environ))
        case "pid":
            return text(str(os.getpid()))
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
            raise Answered
        case "hang":
            raise Answered
        case "huge":
            filler = "x" * arguments.get("bytes", 50_000_000)
            if arguments.get("id") == "last":
                server.write(f'{{"result":{{"content":[{{"type":"text","text":"{filler}"}}]}},"jsonrpc":"2.0","id":{number}}}')
            else:
                server.write(f'{{"jsonrpc":"2.0","id":{number},"result":{{"content":[{{"type":"text","text":"{filler}"}}]}}}}')
            raise Answered
        case "garbage":
            for line in ("hello", "", "{", '{"jsonrpc":"2.0"}', "[1]", b"\xff\xfe", '{"jsonrpc":"2.0","id":[],"result":5}'):
                server.write(line)
            print("said on stderr", file=sys.stderr, flush=True)
            return text("after garbage")
        case "change":
            tools.append(tool("later"))
            tools[:] = [each for each in tools if each["name"] != "odd"]
            server.notify("notifications/tools/list_changed")
            return text("changed")
        case "refuse":
            raise RpcError("not today", arguments.get("code", -32001))
        case "slow":
            time.sleep(arguments.get("ms", 100) / 1000)
            return text("slept")
        case "progress":
            token = params["_meta"]["progressToken"]
            for step in (1, 2):
                report = {"progressToken": token, "progress": step, "total": 2, "message": f"step {step}"}
                server.notify("notifications/progress", report)
                time.sleep(0.05)
            return text("done")
        case "cancelled":
            return text(server.cancelled)
        case "odd":
            return {"content": "none", "isError": "yes", "more": {"kept": None}}
        case "deep":
            server.write(f'{{"jsonrpc":"2.0","id":{number},"result":{{"content":[],"x":{"[" * 5000}{"]" * 5000}}}}}')
            raise Answered
        case name:
            return text(name)


def never(*_: Any) -> Any:
    """Never answer."""
    raise Answered


server = Server("faulty", {"tools/list": list_tools, "tools/call": call_tool}, {"tools": {"listChanged": True}})
match FAULT:
    case "silent":
        server.methods["initialize"] = never
    case "noisy":
        threading.Thread(target=lambda: [server.write(f"line {n}") for n in range(2_000)], daemon=True).start()
    case "flood":
        threading.Thread(target=lambda: [server.write("y" * 200) for _ in range(1_000_000)], daemon=True).start()
    case "child":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", MARK])
    case "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    case _:
        pass
server.run()
if FAULT == "stubborn":
    time.sleep(600)
