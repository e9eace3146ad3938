"""A server process as the pair of message streams that a session of the ``mcp`` package takes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol, cast

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment

from toolcell.mcp.http import TOO_LONG
from toolcell.mcp.lines import MAX_MESSAGE_BYTES, TooLong, request_id
from toolcell.mcp.server import McpServer
from toolcell.mcp.stdio import Diagnostics, ServerProcess

MAX_GARBAGE_LINES = 10_000
"""Lines that are no messages; a server that prints more has its connection ended."""
MAX_UNREAD_BYTES = 16 * 1024 * 1024
"""Of requests that a server makes while it doesn't read the answers; one that makes more has its connection ended."""
_REQUEST_BYTES = 16_384
"""What a request takes besides its own bytes until its answer was sent."""

UNREADABLE = "the server's answer can't be read"
UNSENDABLE = "the input can't be sent: it is nested too deeply or is no text"


class Codec(Protocol):
    """Messages of one version of the package."""

    def parse(self, line: bytes) -> Any:
        """Read a message; raises ``ValueError`` if it is none."""
        ...

    def dump(self, message: Any) -> bytes:
        """Write a message, without the end of its line; raises ``ValueError`` if it can't be written."""
        ...

    def number(self, message: Any) -> int:
        """Number of a request; 0 of what is none."""
        ...

    def error(self, number: int, text: str) -> Any:
        """Make the message that answers a request with an error."""
        ...


@asynccontextmanager
async def stdio_streams(
    server: McpServer, codec: Codec, diagnostics: Diagnostics, closed: Callable[[], None]
) -> AsyncGenerator[tuple[MemoryObjectReceiveStream[Any], MemoryObjectSendStream[Any]]]:
    """Start a server; ``closed`` is called when it has ended or no longer reads. Leaving the context ends it."""
    env = {**get_default_environment(), **server.env}
    process = await ServerProcess.start(server.command, env, server.cwd, diagnostics)
    to_session, incoming = anyio.create_memory_object_stream[Any](0)
    outgoing, from_session = anyio.create_memory_object_stream[Any](0)
    tasks = [
        asyncio.create_task(_receive(process, codec, diagnostics, to_session, outgoing, closed)),
        asyncio.create_task(_transmit(process, codec, from_session, to_session)),
    ]
    try:
        yield incoming, outgoing
    finally:
        tasks[1].cancel()
        try:
            await process.stop()  # its output is still read, so that it can end
        finally:
            tasks[0].cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for stream in (to_session, incoming, outgoing, from_session):
                stream.close()


async def _receive(
    process: ServerProcess,
    codec: Codec,
    diagnostics: Diagnostics,
    to_session: MemoryObjectSendStream[Any],
    outgoing: MemoryObjectSendStream[Any],
    closed: Callable[[], None],
) -> None:
    wanted = True
    unread = 0
    async for line in process.lines(MAX_MESSAGE_BYTES):
        if not outgoing.statistics().tasks_waiting_send:
            unread = 0
        if wanted and (message := _read(line, codec, diagnostics)) is not None:
            try:
                await to_session.send(message)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                wanted = False  # the session is gone; the rest is read so that the server can end
            if _is_request(message):
                unread += len(cast("bytes", line)) + _REQUEST_BYTES
        if diagnostics.garbage_lines > MAX_GARBAGE_LINES or unread > MAX_UNREAD_BYTES:
            break
    to_session.close()
    closed()


async def _transmit(
    process: ServerProcess,
    codec: Codec,
    from_session: MemoryObjectReceiveStream[Any],
    to_session: MemoryObjectSendStream[Any],
) -> None:
    try:
        async for message in from_session:
            try:
                line = codec.dump(message)
            except ValueError:
                await to_session.send(codec.error(codec.number(message), UNSENDABLE))
                continue
            await process.send(line + b"\n")
    except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        to_session.close()  # a session that can't send must not wait for answers


def _is_request(message: Any) -> bool:
    """Whether it wants an answer."""
    inner = getattr(message.message, "root", message.message)
    return hasattr(inner, "method") and hasattr(inner, "id")


def _read(line: bytes | TooLong, codec: Codec, diagnostics: Diagnostics) -> Any:
    """A message, or the error that answers the request whose answer can't be used; nothing of other lines."""
    if isinstance(line, TooLong):
        number, text = line.request_id, TOO_LONG
    else:
        if not line.strip():
            return None
        try:
            return codec.parse(line)
        except ValueError:
            number, text = request_id(line[:512], line[-512:]), UNREADABLE
    if number is not None:
        return codec.error(number, text)
    diagnostics.garbage_lines += 1
    return None
