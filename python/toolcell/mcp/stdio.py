"""A server as a child process: bounded lines both ways, a tail of what it wrote to stderr, and a sure end.

The ``mcp`` package has a transport of its own for this. It keeps a line of any length in memory and copies it at every
read, gives the server the host's own stderr, and does not say that the process has ended; so only what lies above
lines of JSON is the package's.
"""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from typing import cast

from toolcell.mcp.lines import LineAssembler, TooLong

STDERR_TAIL_BYTES = 8_192
EXIT_GRACE_S = 2.0
"""Time for a server to end by itself after its input was closed, and again after SIGTERM."""
KILL_S = 0.5
"""Time for what was killed to be gone; nobody may be there to take the exit status of a server's own children."""

_CHUNK = 1 << 16
_POLL_S = 0.01


class Diagnostics:
    """What a server says outside of the protocol, for the host only: the end of its stderr, lines that were no messages."""

    def __init__(self) -> None:
        self._tail = bytearray()
        self.garbage_lines = 0
        self.exit_status: int | None = None
        self.http_status: int | None = None

    def add_stderr(self, chunk: bytes) -> None:
        """Keep the end of it."""
        self._tail += chunk
        del self._tail[:-STDERR_TAIL_BYTES]

    @property
    def stderr(self) -> str:
        """The last 8 KiB of what it wrote to stderr."""
        return self._tail.decode("utf-8", "replace")


class ServerProcess:
    """A running server. Made by `start`; `stop` leaves nothing of it running."""

    def __init__(self, process: Process, diagnostics: Diagnostics) -> None:
        self._process = process
        self._diagnostics = diagnostics
        self._stderr = asyncio.create_task(self._keep_stderr())

    @classmethod
    async def start(
        cls, command: Sequence[str], env: Mapping[str, str], cwd: str | None, diagnostics: Diagnostics
    ) -> ServerProcess:
        """Start a server in a process group of its own, with ``env`` as its whole environment.

        Raises:
            OSError: it can't be started.
        """
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=env, cwd=cwd, start_new_session=True, limit=_CHUNK
        )
        return cls(process, diagnostics)

    async def lines(self, max_bytes: int) -> AsyncIterator[bytes | TooLong]:
        """Lines of its output until that ends."""
        stdout = cast("asyncio.StreamReader", self._process.stdout)
        assembler = LineAssembler(max_bytes)
        while chunk := await stdout.read(_CHUNK):
            for line in assembler.feed(chunk):
                yield line

    async def send(self, line: bytes) -> None:
        """Write to its input.

        Raises:
            OSError: it no longer reads.
        """
        stdin = cast("asyncio.StreamWriter", self._process.stdin)
        stdin.write(line)
        await stdin.drain()

    async def stop(self) -> None:
        """Close its input, wait for its end, then end it and whatever it started in its process group."""
        try:
            with suppress(OSError):
                cast("asyncio.StreamWriter", self._process.stdin).close()
            if not await self._ended():
                self._signal(signal.SIGTERM)
                await self._ended()
        finally:
            left = self._signal(signal.SIGKILL)  # also what the server left behind
            self._stderr.cancel()
        await self._ended()
        for _ in range(int(KILL_S / _POLL_S) if left else 0):
            if not self._signal(0):
                break
            await asyncio.sleep(_POLL_S)
        self._diagnostics.exit_status = self._process.returncode
        # A descendant outside of the group may hold the pipes; the transport must not wait for it.
        transport = getattr(self._process, "_transport", None)
        if transport is not None:
            with suppress(OSError):
                transport.close()

    async def _ended(self) -> bool:
        """Whether the process ends in time. ``Process.wait`` would wait for its pipes too, which descendants may hold."""
        for _ in range(int(EXIT_GRACE_S / _POLL_S)):
            if self._process.returncode is not None:
                return True
            await asyncio.sleep(_POLL_S)
        return self._process.returncode is not None

    def _signal(self, number: int) -> bool:
        """Send a signal to the process group; returns whether there still is one."""
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    async def _keep_stderr(self) -> None:
        stderr = cast("asyncio.StreamReader", self._process.stderr)
        with suppress(OSError):
            while chunk := await stderr.read(_CHUNK):
                self._diagnostics.add_stderr(chunk)
