"""A host in a process of its own: begins a cell and waits to be killed, or finishes what another one began.

Run as ``host.py begin FOLDER`` or ``host.py finish FOLDER RUN_ID CALL_ID``. Prints one line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import cells
import shop
from stage import Act, watch

import toolcell
from toolcell.store import SqliteStore

KEY = "a secret of the host, not of this file"
SCOPE = toolcell.Scope(agent_id="demo", session_id="demo", session_key="demo", agent_run_id="demo")


async def main(action: str, folder: Path, *names: str) -> None:
    """Do ``action`` on the cells stored in ``folder``."""
    store = SqliteStore(folder / "cells.db", key=KEY)
    tools = shop.tools(folder / "outbox.txt")
    async with toolcell.CodeMode(True, store=store) as code_mode, code_mode.run(tools=tools, scope=SCOPE) as run:
        if action == "begin":
            tell(await watch(run, run.exec({"code": cells.APPROVAL})))
            await asyncio.Event().wait()
        run_id, call_id = names
        await run.decide(run_id, call_id, "approve")
        tell(await watch(run, run.wait({"runId": run_id})))


def tell(act: Act) -> None:
    """Report to the process that reads our output."""
    print(json.dumps(act.to_dict()), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]))
