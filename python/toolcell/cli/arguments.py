"""What the command line may say."""

from __future__ import annotations

import argparse
from collections.abc import Sequence


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line; exits with status 2 and a message where it is wrong."""
    parser = argparse.ArgumentParser(prog="toolcell", description="Run cells over a catalog of tools.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    execute = commands.add_parser("exec", help="run a cell")
    source = execute.add_mutually_exclusive_group(required=True)
    source.add_argument("file", nargs="?", metavar="FILE", help="file with the cell, - for standard input")
    source.add_argument("-e", dest="code", metavar="CODE", help="the cell itself")
    execute.add_argument("--language", choices=["javascript", "typescript"], help="by default what FILE's name says")
    _tools(execute)
    _shared(execute, store_required=False)

    wait = commands.add_parser("wait", help="go on with a waiting cell")
    wait.add_argument("run_id", metavar="RUN_ID")
    wait.add_argument("--approve", action="append", default=[], metavar="CALL_ID", help="let this call run")
    wait.add_argument("--deny", action="append", default=[], metavar="CALL_ID", help="refuse this call")
    wait.add_argument("--deliver", action="append", default=[], metavar="CALL_ID=JSON", help="result of a client tool")
    _tools(wait)
    _shared(wait, store_required=True)

    catalog = commands.add_parser("catalog", help="list or search the tools that a cell can call")
    catalog.add_argument("--search", metavar="QUERY")
    catalog.add_argument("--json", action="store_true", help="print JSON")
    catalog.add_argument("--config", metavar="FILE", help="configuration, JSON or JSON5")
    _tools(catalog)

    commands.add_parser("doctor", help="check that the worker is there, starts and is locked down")
    return parser.parse_args(arguments)


def _tools(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tools", action="append", default=[], metavar="MODULE:ATTRIBUTE", help="a tool or a list of tools")
    parser.add_argument("--mcp", metavar="CONFIG.json", help='file with {"mcpServers": {…}}')


def _shared(parser: argparse.ArgumentParser, *, store_required: bool) -> None:
    parser.add_argument("--config", metavar="FILE", help="configuration, JSON or JSON5")
    parser.add_argument("--store", metavar="FILE.db", required=store_required, help="database that keeps waiting cells")
    parser.add_argument("--session", default="cli", help="whose cells these are (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
