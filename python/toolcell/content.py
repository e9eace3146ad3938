"""Images, sound and files that tools returned: the bytes stay on the host, cells and models see handles.

A handle is text, so a cell can pass it on like any other value. Only the store that made it can resolve it: its id is
random, and every run has a store of its own.
"""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

CONTENT_BYTES = 64 * 1024 * 1024
"""Bytes that one run keeps by default."""
CONTENT_ITEMS = 4_096
"""Contents that one run keeps, however small."""

_SCHEME = "toolcell-content:"
_HANDLE = re.compile(rf"{_SCHEME}[0-9a-f]{{32}}(?![0-9A-Za-z])")
_MIME_TYPE = re.compile(r"[a-z]{1,30}/[a-z0-9][a-z0-9.+-]{0,99}", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Content:
    """What a handle stands for."""

    handle: str
    data: bytes = field(repr=False)
    mime_type: str
    """``type/subtype`` without parameters; ``application/octet-stream`` if the server's word was none."""

    @property
    def kind(self) -> Literal["image", "audio", "resource"]:
        """The MCP block that it goes to a model in."""
        family = self.mime_type.partition("/")[0]
        return family if family in ("image", "audio") else "resource"

    def block(self) -> dict[str, Any]:
        """Return it as an MCP content block; nothing in it but the bytes was written by a server."""
        encoded = base64.b64encode(self.data).decode("ascii")
        if self.kind == "resource":
            return {"type": "resource", "resource": {"uri": self.handle, "mimeType": self.mime_type, "blob": encoded}}
        return {"type": self.kind, "data": encoded, "mimeType": self.mime_type}


class ContentStore:
    """The contents of one run, in memory alone: neither written to a durable store nor known to another process.

    Args:
        max_bytes: Bytes kept in all. The oldest are dropped for new ones; what is larger by itself is not taken.
    """

    def __init__(self, *, max_bytes: int = CONTENT_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._contents: dict[str, Content] = {}

    @property
    def empty(self) -> bool:
        """Whether nothing is kept, so that no handle can resolve."""
        return not self._contents

    def add(self, data: bytes, mime_type: object) -> Content | None:
        """Keep ``data``; ``None`` if it is larger than the whole store. ``mime_type`` is what a server said."""
        if len(data) > self._max_bytes:
            return None
        said = mime_type.partition(";")[0].strip().lower() if isinstance(mime_type, str) else ""
        known = said if _MIME_TYPE.fullmatch(said) else "application/octet-stream"
        content = Content(f"{_SCHEME}{secrets.token_hex(16)}", data, known)
        self._contents[content.handle] = content
        self._bytes += len(data)
        while self._bytes > self._max_bytes or len(self._contents) > CONTENT_ITEMS:
            oldest = next(iter(self._contents))
            self._bytes -= len(self._contents.pop(oldest).data)
        return content

    def get(self, handle: str) -> Content | None:
        """Resolve a handle; ``None`` for one that was dropped, or never was one of this run's."""
        return self._contents.get(handle)

    def named_in(self, value: Any) -> dict[str, Content]:
        """Resolve every handle of this store that stands in the strings of a JSON value, in order of appearance."""
        return {handle: self._contents[handle] for handle in handles_in(value) if handle in self._contents}

    def clear(self) -> None:
        """Drop everything."""
        self._contents.clear()
        self._bytes = 0


def handles_in(value: Any) -> list[str]:
    """Return what looks like handles in the strings of a JSON value, real or not, each once, in order of appearance."""
    return list(dict.fromkeys(handle for text in _strings(value) for handle in _HANDLE.findall(text)))


def _strings(value: Any) -> Iterator[str]:
    left: list[Any] = [value]
    while left:
        item = left.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            pairs = cast("dict[str, Any]", item)
            left.extend(part for pair in reversed(pairs.items()) for part in reversed(pair))
        elif isinstance(item, (list, tuple)):
            left.extend(reversed(cast("Sequence[Any]", item)))
