"""``toolcell serve``."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Coroutine
from typing import Any

from toolcell.cli import inputs
from toolcell.cli.imports import load_policy, load_tools
from toolcell.config import CodeModeConfig
from toolcell.host_config import HostConfig
from toolcell.runtime.code_mode import CodeMode


def serve(options: argparse.Namespace) -> int:
    """Serve until the client or the system ends it."""
    try:
        from toolcell import gateway
    except ImportError:
        raise inputs.UsageError("serve needs packages that are not installed: pip install 'toolcell[gateway]'") from None
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="toolcell: %(message)s")
    address = None if options.http is None else gateway.HttpAddress.parse(options.http)
    token = _token(options.token_env)
    config = _config(options)
    store = inputs.open_store(options.store)

    async def run() -> bool:
        async with (
            CodeMode(config, store=store) as code_mode,
            gateway.Gateway(
                code_mode,
                tools=load_tools(options.tools),
                mcp=inputs.load_servers(options.mcp),
                own_servers=options.own_servers,
                policy=load_policy(options.policy),
                elicit=not options.no_elicit,
                session=options.session,
                scope_of=inputs.scope_of,
                max_sessions=options.max_sessions,
                idle_seconds=options.idle_seconds,
            ) as opened,
        ):
            if address is None:
                return await _until_told(gateway.serve_stdio(opened))
            await gateway.serve_http(
                opened, address, token=token, names=options.host_name, insecure=options.insecure, listening=_announce
            )
            return True

    with asyncio.Runner() as runner:
        if not runner.run(run()):
            os._exit(0)  # all is closed; only the thread that reads standard input is left, and nothing can stop it
    return 0


async def _until_told(serving: Coroutine[Any, Any, None]) -> bool:
    """Serve until the client closes standard input (true), or the process is told to end (false)."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    served, stopped = asyncio.ensure_future(serving), asyncio.create_task(told.wait())
    await asyncio.wait([served, stopped], return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if served.done():
        await served
    return served.done()


def _config(options: argparse.Namespace) -> HostConfig:
    """The configuration; each session may have a parked cell unless it says otherwise."""
    host = HostConfig.of(inputs.read_config(options.config))
    if "max_suspended" in host.code_mode.model_fields_set:
        return host
    room = CodeModeConfig(max_suspended=max(options.max_sessions, host.code_mode.max_suspended))
    return host.model_copy(update={"code_mode": host.code_mode.merged_with(room)})


def _token(variable: str | None) -> str | None:
    if variable is None:
        return None
    token = os.environ.get(variable, "")
    if not token or not token.isascii() or not token.isprintable():
        raise inputs.UsageError(f"--token-env {variable}: the variable holds no token; set it to printable ASCII characters")
    return token


def _announce(url: str) -> None:
    print(f"toolcell: serving {url}", file=sys.stderr, flush=True)
