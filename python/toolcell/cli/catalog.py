"""``toolcell catalog``."""

from __future__ import annotations

import argparse
import asyncio
import json

from toolcell.cli import inputs
from toolcell.cli.imports import load_policy, load_tools
from toolcell.runtime.code_mode import CodeMode


def catalog(options: argparse.Namespace) -> int:
    """List or search the tools that a cell can call."""

    async def run() -> list[dict[str, object]]:
        async with CodeMode(inputs.read_config(options.config)) as code_mode:
            tools, servers = load_tools(options.tools), inputs.load_servers(options.mcp)
            policy = load_policy(options.policy)
            async with code_mode.run(tools=tools, mcp=servers, policy=policy, config=False) as entered:
                if options.search is not None:
                    return await entered.search(options.search)
                return [entry.compact() for entry in entered.catalog.tools]

    entries = asyncio.run(run())
    if options.json:
        print(json.dumps(entries, ensure_ascii=False))
    for entry in [] if options.json else entries:
        print(f"{entry['id']}({entry['input']}) -> {entry.get('output', '?')}")
    return 0
