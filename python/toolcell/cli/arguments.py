"""What the command line may say."""

from __future__ import annotations

import argparse
from collections.abc import Sequence


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line; exits with status 2 and a message where it is wrong."""
    parser = argparse.ArgumentParser(prog="toolcell", description="Run cells over a catalog of tools.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _exec(commands.add_parser("exec", help="run a cell"))
    _wait(commands.add_parser("wait", help="go on with a waiting cell"))
    _decide(commands.add_parser("decide", help="approve or deny calls of a cell that another process goes on with"))
    _catalog(commands.add_parser("catalog", help="list or search the tools that a cell can call"))
    _serve(commands.add_parser("serve", help="be an MCP server that offers exec and wait over all these tools"))
    _doctor(commands.add_parser("doctor", help="check that the worker is there, starts and is locked down"))
    return parser.parse_args(arguments)


def _exec(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("file", nargs="?", metavar="FILE", help="file with the cell, - for standard input")
    source.add_argument("-e", dest="code", metavar="CODE", help="the cell itself")
    parser.add_argument("--language", choices=["javascript", "typescript"], help="by default what FILE's name says")
    _tools(parser)
    _store(parser, required=False)
    _json(parser, "the result")


def _wait(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_id", metavar="RUN_ID")
    _decisions(parser)
    parser.add_argument("--deliver", action="append", default=[], metavar="CALL_ID=JSON", help="result of a client tool")
    _tools(parser)
    _store(parser, required=True)
    _json(parser, "the result")


def _decide(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_id", metavar="RUN_ID")
    _decisions(parser)
    _tools(parser)
    _store(parser, required=True)


def _catalog(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--search", metavar="QUERY", help="best matches first")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the tools as JSON")
    form.add_argument("--types", action="store_true", help="print the TypeScript declarations of MCP servers")
    _tools(parser)


def _serve(parser: argparse.ArgumentParser) -> None:
    transport = parser.add_mutually_exclusive_group()
    transport.add_argument("--stdio", action="store_true", help="one client, over standard input and output; the default")
    transport.add_argument("--http", metavar="[HOST:]PORT", help="many clients, over streamable HTTP at /mcp")
    _tools(parser)
    _store(parser, required=False)
    parser.add_argument("--own-servers", action="store_true", help="each session starts the MCP servers for itself")
    parser.add_argument("--no-elicit", action="store_true", help="don't ask the person behind the client for approvals")
    parser.add_argument("--max-sessions", type=_count, default=1_000, metavar="N", help="default: %(default)s")
    parser.add_argument("--idle-seconds", type=_count, default=3_600, metavar="N", help="default: %(default)s")
    http = parser.add_argument_group("with --http")
    http.add_argument("--token-env", metavar="NAME", help="variable with the bearer token that every request has to show")
    http.add_argument("--host-name", action="append", default=[], metavar="NAME", help="name by which clients reach this host")
    http.add_argument("--insecure", action="store_true", help="allow an address that others can reach without a token")


def _doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mcp", metavar="SERVERS.json", help="check these MCP servers too")


def _decisions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--approve", action="append", default=[], metavar="CALL_ID", help="let this call run")
    parser.add_argument("--deny", action="append", default=[], metavar="CALL_ID", help="refuse this call")


def _tools(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tools", action="append", default=[], metavar="MODULE:ATTRIBUTE", help="a tool or a list of tools")
    parser.add_argument("--mcp", metavar="SERVERS.json", help='file with {"mcpServers": {…}}')
    parser.add_argument("--policy", metavar="MODULE:ATTRIBUTE", help="what may be seen and called")
    parser.add_argument("--config", metavar="FILE", help="configuration, JSON or JSON5")


def _store(parser: argparse.ArgumentParser, *, required: bool) -> None:
    parser.add_argument("--store", metavar="FILE.db", required=required, help="database that keeps waiting cells")
    parser.add_argument("--session", default="cli", help="whose cells these are (default: %(default)s)")


def _json(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--json", action="store_true", help=f"print {what} as JSON")


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no whole number of at least 1")
    return int(text)
