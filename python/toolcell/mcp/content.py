"""Takes the bytes out of what an MCP server returned, and leaves handles."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from toolcell.content import ContentStore

MIN_REPEATED_CHARS = 64
"""Shorter texts of base64 stay where ``structuredContent`` repeats them: they may be there by chance."""
MAX_REPEATED_DEPTH = 32
"""Levels of ``structuredContent`` that are looked at."""

_ADDED = ("size", "handle", "unavailable")


def detach_binary(result: Mapping[str, Any], contents: ContentStore) -> dict[str, Any]:
    """Return a result of ``tools/call``, ``resources/read`` or ``prompts/get`` without the bytes in its blocks.

    In place of ``data`` or ``blob`` a block has ``size`` in bytes and the ``handle`` that ``contents`` gave for them;
    ``unavailable`` says why there is none. Where ``structuredContent`` repeats such text, the handle stands for it there.
    All else stays as the server sent it.

    Limits:
        Other base64 text, in ``structuredContent`` or in text blocks, is not recognised.
    """
    detached = dict(result)
    keeper = _Keeper(contents)
    for key in ("content", "contents"):
        if key in detached:
            detached[key] = _blocks(detached[key], keeper)
    messages = detached.get("messages")
    if isinstance(messages, list):
        detached["messages"] = [_message(message, keeper) for message in cast("list[object]", messages)]
    if keeper.handles and "structuredContent" in detached:
        detached["structuredContent"] = _with_handles(detached["structuredContent"], keeper.handles, MAX_REPEATED_DEPTH)
    return detached


@dataclass(frozen=True, slots=True)
class _Keeper:
    contents: ContentStore
    handles: dict[str, str] = field(default_factory=dict[str, str])
    """By the longer texts whose place they took."""


def _with_handles(value: Any, handles: Mapping[str, str], depth: int) -> Any:
    """Return a value in which the texts that have handles are replaced."""
    if isinstance(value, str):
        return handles.get(value, value)
    if depth > 0 and isinstance(value, list):
        return [_with_handles(item, handles, depth - 1) for item in cast("list[Any]", value)]
    if depth > 0 and isinstance(value, dict):
        return {key: _with_handles(item, handles, depth - 1) for key, item in cast("dict[str, Any]", value).items()}
    return value


def _message(message: object, keeper: _Keeper) -> object:
    if not isinstance(message, dict) or "content" not in message:
        return cast("object", message)
    given = cast("dict[str, Any]", message)
    return {**given, "content": _blocks(given["content"], keeper)}


def _blocks(given: object, keeper: _Keeper) -> object:
    if isinstance(given, list):
        return [_block(block, keeper) for block in cast("list[object]", given)]
    return _block(given, keeper)


def _block(block: object, keeper: _Keeper) -> object:
    if not isinstance(block, dict):
        return block
    given = cast("dict[str, Any]", block)
    if isinstance(given.get("resource"), dict):
        given = {**given, "resource": _detach(given["resource"], keeper)}
    return _detach(given, keeper)


def _detach(block: dict[str, Any], keeper: _Keeper) -> dict[str, Any]:
    key = _binary_key(block)
    if key is None:
        return block
    kept = {name: value for name, value in block.items() if name != key and name not in _ADDED}
    return kept | _metadata(block[key], block.get("mimeType"), keeper)


def _binary_key(block: Mapping[str, Any]) -> str | None:
    """Where a block has its bytes; ``data`` of blocks that MCP does not know counts if it has a MIME type."""
    if "blob" in block:
        return "blob"
    binary = block.get("type") in ("image", "audio") or (block.get("type") != "text" and "mimeType" in block)
    return "data" if binary and "data" in block else None


def _metadata(encoded: object, mime_type: object, keeper: _Keeper) -> dict[str, Any]:
    data = _decode(encoded)
    if data is None:
        return {"size": 0, "unavailable": "the server's data is not base64"}
    content = keeper.contents.add(data, mime_type)
    if content is None:
        return {"size": len(data), "unavailable": "too large to be kept"}
    if isinstance(encoded, str) and len(encoded) >= MIN_REPEATED_CHARS:
        keeper.handles[encoded] = content.handle
    return {"size": len(data), "handle": content.handle}


def _decode(encoded: object) -> bytes | None:
    """Decode base64, whose line breaks or padding some servers get wrong."""
    if not isinstance(encoded, str):
        return None
    text = "".join(encoded.split())
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
