"""Lines out of a stream of bytes, none of them longer than allowed, and whose answer a line was meant to be."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""One message of a server: as much as may cross to a cell."""

_EDGE = 512
_ID_AT_START = re.compile(rb'\A\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,')
_ID_AT_END = re.compile(rb',\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line that was dropped: its edges and its size."""

    start: bytes
    end: bytes
    size: int

    @property
    def request_id(self) -> int | None:
        """Number of the request that it answered, where an edge shows it."""
        return request_id(self.start, self.end)


class LineAssembler:
    """Cuts chunks into lines. Holds at most one line of ``max_bytes``; of a longer one only the edges."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._held = bytearray()  # and no list of parts, of which a server that writes byte by byte makes millions
        self._size = 0
        self._start = b""

    def feed(self, chunk: bytes) -> list[bytes | TooLong]:
        """Return the lines that ``chunk`` completes, without their ends."""
        *complete, rest = chunk.split(b"\n")
        lines: list[bytes | TooLong] = []
        for piece in complete:
            self._add(piece)
            lines.append(self._take())
        self._add(rest)
        return lines

    def _add(self, piece: bytes) -> None:
        self._held += piece
        self._size += len(piece)
        if self._size > self._max_bytes:
            self._start = self._start or bytes(self._held[:_EDGE])
            del self._held[:-_EDGE]

    def _take(self) -> bytes | TooLong:
        line, size, start = bytes(self._held), self._size, self._start
        self._held, self._size, self._start = bytearray(), 0, b""
        return line if size <= self._max_bytes else TooLong(start, line[-_EDGE:], size)


def request_id(start: bytes, end: bytes) -> int | None:
    """Number of the request that a message answers, by the beginning or end of its text.

    Source: implementations write ``id`` either first or last; one that writes it elsewhere is not recognised.
    """
    found = _ID_AT_START.search(start) or _ID_AT_END.search(end)
    return int(found[1]) if found else None
