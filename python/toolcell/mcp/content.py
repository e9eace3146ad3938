"""Takes the bytes out of what an MCP server returned, and leaves handles."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, cast

from toolcell.content import ContentStore

_ADDED = ("size", "handle", "unavailable")


def detach_binary(result: Mapping[str, Any], contents: ContentStore) -> dict[str, Any]:
    """Return a result of ``tools/call``, ``resources/read`` or ``prompts/get`` without the bytes in its blocks.

    In place of ``data`` or ``blob`` a block has ``size`` in bytes and the ``handle`` that ``contents`` gave for them;
    ``unavailable`` says why there is none. All else stays as the server sent it.

    Limits:
        Base64 text in ``structuredContent`` or in text blocks is not recognised.
    """
    detached = dict(result)
    for key in ("content", "contents"):
        if key in detached:
            detached[key] = _blocks(detached[key], contents)
    messages = detached.get("messages")
    if isinstance(messages, list):
        detached["messages"] = [_message(message, contents) for message in cast("list[object]", messages)]
    return detached


def _message(message: object, contents: ContentStore) -> object:
    if not isinstance(message, dict) or "content" not in message:
        return cast("object", message)
    given = cast("dict[str, Any]", message)
    return {**given, "content": _blocks(given["content"], contents)}


def _blocks(given: object, contents: ContentStore) -> object:
    if isinstance(given, list):
        return [_block(block, contents) for block in cast("list[object]", given)]
    return _block(given, contents)


def _block(block: object, contents: ContentStore) -> object:
    if not isinstance(block, dict):
        return block
    given = cast("dict[str, Any]", block)
    if isinstance(given.get("resource"), dict):
        given = {**given, "resource": _detach(given["resource"], contents)}
    return _detach(given, contents)


def _detach(block: dict[str, Any], contents: ContentStore) -> dict[str, Any]:
    key = _binary_key(block)
    if key is None:
        return block
    kept = {name: value for name, value in block.items() if name != key and name not in _ADDED}
    return kept | _metadata(block[key], block.get("mimeType"), contents)


def _binary_key(block: Mapping[str, Any]) -> str | None:
    """Where a block has its bytes; ``data`` of blocks that MCP does not know counts if it has a MIME type."""
    if "blob" in block:
        return "blob"
    binary = block.get("type") in ("image", "audio") or (block.get("type") != "text" and "mimeType" in block)
    return "data" if binary and "data" in block else None


def _metadata(encoded: object, mime_type: object, contents: ContentStore) -> dict[str, Any]:
    data = _decode(encoded)
    if data is None:
        return {"size": 0, "unavailable": "the server's data is not base64"}
    content = contents.add(data, mime_type)
    if content is None:
        return {"size": len(data), "unavailable": "too large to be kept"}
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
