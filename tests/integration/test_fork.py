"""Code mode and `os.fork`."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import asyncio, os, sys, threading
import toolcell

def in_child(work):
    if (pid := os.fork()) == 0:
        try:
            work()
            sys.stdout.flush()
        finally:
            os._exit(0)
    os.waitpid(pid, 0)

async def main():
    async with toolcell.CodeMode() as code_mode, code_mode.run(force=True) as run:
        print((await run.exec("return 'parent'")).value, flush=True)

        def inherited():
            async def use():
                for attempt in (run.exec("return 1"), code_mode.run(force=True).__aenter__()):
                    try:
                        await attempt
                    except toolcell.RunClosedError as error:
                        print(error.code)
            thread = threading.Thread(target=lambda: asyncio.run(use()))
            thread.start()
            thread.join()

        in_child(inherited)
        in_child(lambda: print(toolcell.run_cell("return 'child'").value))
        print((await run.exec("return 'parent again'")).value, flush=True)

asyncio.run(main())
"""


def test_a_forked_child_opens_code_mode_of_its_own_and_is_refused_that_of_its_parent() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, timeout=50, check=True)

    assert done.stdout.split("\n") == ["parent", "run_closed", "run_closed", "child", "parent again", ""]
