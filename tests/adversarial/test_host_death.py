"""A host that is killed while its cells run leaves no worker behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

CELLS = [
    "for (;;);",
    "Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)",
    "for (;;) await null",
    "await new Promise(() => setTimeout(() => {}, 1e9))",
]
PROGRAM = """
import asyncio, json, sys
import toolcell

async def main():
    began = asyncio.Semaphore(0)

    @toolcell.tool
    async def begin() -> None:
        began.release()

    cells = json.loads(sys.argv[1])
    async with toolcell.CodeMode({"timeoutMs": 60_000}) as code_mode, code_mode.run(tools=[begin], force=True) as run:
        running = [asyncio.create_task(run.exec({"code": f"await begin({{}}); {code}"})) for code in cells]
        for _ in cells:
            await began.acquire()
        print("all run", flush=True)
        await asyncio.gather(*running)

asyncio.run(main())
"""
ALIVE_AT_MOST_S = 1.0
"""The rule under test. Workers die by the kernel's own hand within milliseconds; the rest is for a busy machine."""


async def test_no_worker_is_alive_one_second_after_its_host_was_killed_while_cells_run() -> None:
    arguments = [sys.executable, "-c", PROGRAM, json.dumps(CELLS * 2)]
    host = await asyncio.create_subprocess_exec(*arguments, stdout=asyncio.subprocess.PIPE)
    assert host.stdout is not None
    assert await host.stdout.readline() == b"all run\n"
    descriptors = [os.pidfd_open(pid) for pid in children_of(host.pid)]
    loop = asyncio.get_running_loop()
    ended = [loop.create_future() for _ in descriptors]
    for descriptor, future in zip(descriptors, ended, strict=True):
        loop.add_reader(descriptor, end, descriptor, future)

    host.send_signal(signal.SIGKILL)
    done, alive = await asyncio.wait(ended, timeout=ALIVE_AT_MOST_S)

    await host.wait()
    for descriptor in descriptors:
        loop.remove_reader(descriptor)
        os.close(descriptor)
    assert (len(alive), len(done) >= len(CELLS)) == (0, True)


def end(descriptor: int, future: asyncio.Future[None]) -> None:
    asyncio.get_running_loop().remove_reader(descriptor)
    future.set_result(None)


def children_of(pid: int) -> list[int]:
    """Children of all threads of a process."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]
