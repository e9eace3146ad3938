"""The sealed form of what a durable store writes: a version, an HMAC-SHA-256 with the host's key, the payload.

Whoever can write to the store but has no key can neither make a cell, nor change one, nor pass one off as another: the
seal covers what the bytes are, which cell and generation they belong to, and all of the payload.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import struct
from typing import Any

from toolcell.errors import EnvelopeError
from toolcell.store.protocol import Note, NoteKind, StoredCell

MAGIC = b"toolcell\x01"
MIN_KEY_BYTES = 16
_TAG_BYTES = 32
_LENGTHS = struct.Struct("<II")


def seal(key: bytes, context: tuple[str | int, ...], payload: bytes) -> bytes:
    """Return ``payload`` sealed for ``context``, which must be given again to open it."""
    return MAGIC + _tag(key, context, payload) + payload


def unseal(key: bytes, context: tuple[str | int, ...], sealed: bytes) -> bytes:
    """Return the payload of sealed bytes.

    Raises:
        EnvelopeError: cut, changed, of another version, context or key.
    """
    if not sealed.startswith(MAGIC):
        raise EnvelopeError("what is stored was written by another version of toolcell, or is damaged")
    start = len(MAGIC)
    tag, payload = sealed[start : start + _TAG_BYTES], sealed[start + _TAG_BYTES :]
    if not hmac.compare_digest(tag, _tag(key, context, payload)):
        raise EnvelopeError("what is stored was not written with this key, or was changed since")
    return payload


def seal_cell(key: bytes, cell: StoredCell) -> bytes:
    """Seal a whole cell."""
    header = json.dumps({"scope": cell.scope.hex(), "ttl": cell.ttl_seconds}).encode()
    payload = b"".join((_LENGTHS.pack(len(header), len(cell.record)), header, cell.record, cell.image))
    return seal(key, ("cell", cell.cell_id, cell.generation), payload)


def unseal_cell(key: bytes, cell_id: str, generation: int, expires_at: float | None, sealed: bytes) -> StoredCell:
    """Open a cell that is stored under this id and generation.

    Raises:
        EnvelopeError: it is not what was stored there.
    """
    payload = unseal(key, ("cell", cell_id, generation), sealed)
    try:
        header_bytes, record_bytes = _LENGTHS.unpack_from(payload)
        header_end = _LENGTHS.size + header_bytes
        record_end = header_end + record_bytes
        if record_end > len(payload):
            raise EnvelopeError("the stored continuation is cut")
        header: dict[str, Any] = json.loads(payload[_LENGTHS.size : header_end])
        scope, ttl = bytes.fromhex(header["scope"]), float(header["ttl"])
    except (struct.error, ValueError, KeyError, TypeError):
        raise EnvelopeError("the stored continuation has a malformed header") from None
    record, image = payload[header_end:record_end], payload[record_end:]
    return StoredCell(cell_id, generation, scope, record, image, ttl, expires_at)


def seal_note(key: bytes, cell_id: str, note: Note) -> bytes:
    """Seal a note of a cell."""
    return seal(key, ("note", cell_id, note.call, note.kind), note.payload)


def unseal_note(key: bytes, cell_id: str, call: int, kind: NoteKind, sealed: bytes) -> Note:
    """Open a note that is stored for this call.

    Raises:
        EnvelopeError: it is not what was stored there.
    """
    return Note(call, kind, unseal(key, ("note", cell_id, call, kind), sealed))


def seal_types(key: bytes, owner: bytes, types: bytes) -> bytes:
    """Seal learned types of an owner."""
    return seal(key, ("types", owner.hex()), types)


def unseal_types(key: bytes, owner: bytes, sealed: bytes) -> bytes:
    """Open types that are stored for this owner.

    Raises:
        EnvelopeError: they are not what was stored there.
    """
    return unseal(key, ("types", owner.hex()), sealed)


def _tag(key: bytes, context: tuple[str | int, ...], payload: bytes) -> bytes:
    mac = hmac.new(key, MAGIC, hashlib.sha256)
    named = json.dumps(context).encode()
    mac.update(len(named).to_bytes(4, "little"))
    mac.update(named)
    mac.update(payload)
    return mac.digest()
