"""The output of one cell over all its legs, within its budget."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from toolcell import _native
from toolcell.executor.protocol import GuestOutput
from toolcell.results import JsonOutput, OutputItem, TextOutput

_ITEM_BYTES = len('{"type":"text","text":}')
_PIECE_CHARS = 1 << 20
_NOTICE = "[output truncated: {total} bytes were emitted, {dropped} of them are left out here]"


class CellOutput:
    """Collects what a guest emits. In truncate mode it keeps the head and the tail of each delivery."""

    __slots__ = (
        "_budget",
        "_dropped",
        "_head",
        "_head_bytes",
        "_tail",
        "_tail_bytes",
        "_total",
        "_truncate",
        "spent_bytes",
    )

    def __init__(self, budget_bytes: int, *, truncate: bool, spent_bytes: int = 0) -> None:
        self._budget = budget_bytes
        self._truncate = truncate
        self.spent_bytes = spent_bytes
        """Bytes of JSON emitted so far, delivered or dropped."""
        self._reset()

    @property
    def anything(self) -> bool:
        """Whether the cell has emitted anything at all."""
        return self.spent_bytes > 0

    def add(self, emitted: Iterable[GuestOutput]) -> None:
        """Take what a leg emitted."""
        for event in emitted:
            data = event.data
            size = (_json_bytes(data) if isinstance(data, str) else len(data)) + _ITEM_BYTES
            self.spent_bytes += size
            if self._truncate:
                self._add_truncating(data, size)
            else:
                self._head.append(data)

    def deliver(self) -> list[OutputItem] | None:
        """Return what was not delivered before, ``None`` if there is nothing."""
        if not self._head and not self._tail and not self._dropped:
            return None
        items = [_item(data) for data in (*self._head, *(data for data, _ in self._tail))]
        if self._dropped:
            items.insert(0, TextOutput(text=_NOTICE.format(total=self._total, dropped=self._dropped)))
        self._budget -= self._head_bytes + self._tail_bytes
        self._reset()
        return items

    def truncate_value(self, value: bytes) -> tuple[object, str | None]:
        """Return a cell's value and, if it was too large in truncate mode, the warning that says so.

        Raises:
            ValueError: not JSON, or larger than allowed, which no worker in its right mind sends.
        """
        room = self._budget - self._head_bytes - self._tail_bytes
        if not self._truncate and len(value) > self._budget:
            raise ValueError(f"a value of {len(value)} bytes; the worker may send {self._budget}")
        if not self._truncate or len(value) <= room:
            return _native.decode_json(value), None
        keep = max(room, 512) // 8
        shortened = f"{_text(value[:keep])} … {_text(value[-keep:])}"
        return (
            shortened,
            f"the value was {len(value)} bytes of JSON, over the output limit; head and tail are kept as a string",
        )

    def _add_truncating(self, data: str | bytes, size: int) -> None:
        self._total += size
        self._tail.append((data, size))
        self._tail_bytes += size
        if self._head_bytes + self._tail_bytes <= self._budget:
            return
        half = self._budget // 2
        while not self._dropped and self._head_bytes + self._tail[0][1] <= half:
            self._to_head(*self._pop())
        while self._head_bytes + self._tail_bytes > self._budget:
            data, size = self._pop()
            self._dropped += size
            if not self._tail:
                self._keep_ends(data, half)

    def _keep_ends(self, data: str | bytes, half: int) -> None:
        """Keep head and tail of one item that is too large by itself; a character takes at most 6 bytes of JSON."""
        room = max(half - self._head_bytes - _ITEM_BYTES, 0) // 6
        if room and self._dropped == self._total - self._head_bytes:
            head = _text(data[:room])
            self._to_head(head, self._undrop(head))
        tail = _text(data[-(max(half - _ITEM_BYTES, 6) // 6) :])
        size = self._undrop(tail)
        self._tail.append((tail, size))
        self._tail_bytes += size

    def _undrop(self, text: str) -> int:
        size = _json_bytes(text) + _ITEM_BYTES
        self._dropped -= size
        return size

    def _to_head(self, data: str | bytes, size: int) -> None:
        self._head.append(data)
        self._head_bytes += size

    def _pop(self) -> tuple[str | bytes, int]:
        data, size = self._tail.popleft()
        self._tail_bytes -= size
        return data, size

    def _reset(self) -> None:
        # Text as str, JSON as bytes: what is dropped again is never decoded.
        self._head: list[str | bytes] = []
        self._tail: deque[tuple[str | bytes, int]] = deque()
        self._head_bytes = self._tail_bytes = self._dropped = self._total = 0


def _item(data: str | bytes) -> OutputItem:
    """What a guest emitted as an item; bytes that are not JSON, which only a broken worker sends, as text."""
    if isinstance(data, str):
        return TextOutput(text=data)
    try:
        return JsonOutput(value=_native.decode_json(data))
    except ValueError:
        return TextOutput(text=data.decode("utf-8", "replace"))


def _text(data: str | bytes) -> str:
    """Text of a piece; characters that were cut in two are left out."""
    return data if isinstance(data, str) else data.decode("utf-8", "ignore")


def _json_bytes(text: str) -> int:
    """Bytes of a text as JSON, of which no more than a piece is made at a time."""
    pieces = (text[start : start + _PIECE_CHARS] for start in range(0, len(text), _PIECE_CHARS))
    return 2 + sum(len(_native.encode_json(piece, max_depth=1, max_bytes=1 << 30)) - 2 for piece in pieces)
