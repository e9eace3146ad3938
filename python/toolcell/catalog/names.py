"""Names under which a cell reaches a tool: ``tools.<safe name>`` and a bare global function."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence

_KEYWORDS = """
    arguments await break case catch class const continue debugger default delete do else enum eval export extends
    false finally for function if implements import in instanceof interface let new null package private protected
    public return static super switch this throw true try typeof undefined var void while with yield
"""
_STANDARD_GLOBALS = """
    AggregateError Array ArrayBuffer AsyncFunction Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date
    Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array
    Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set
    SharedArrayBuffer String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array
    Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly DOMException InternalError
    decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape isFinite isNaN parseFloat parseInt
    globalThis global window self module exports require process
    URL URLSearchParams TextDecoder TextEncoder atob btoa structuredClone queueMicrotask performance console
    setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate gc
"""
_GUEST_API = """
    ALL_TOOLS tools catalog MCP API namespaces text json yield_control unwrap ToolError ToolDeniedError
    nodes agents phase log store load
"""

RESERVED_GLOBALS = frozenset(f"{_KEYWORDS} {_STANDARD_GLOBALS} {_GUEST_API}".split())
"""Names that no tool takes as its bare global."""

LANGUAGE_MEMBERS = frozenset(["then", "toJSON", "constructor", "prototype", "__proto__"])
"""Names that the language itself looks up: ``await tools`` asks for ``then``."""
RESERVED_MEMBERS = LANGUAGE_MEMBERS | {"search", "describe", "call", "callValue"}
"""Names that never become ``tools.<name>``: the API's own, and the language's."""

_ASCII_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")


def to_identifier(name: str) -> str:
    """Map each character of ``name`` that can't stand there in a JavaScript identifier to ``_``.

    Source:
        ECMAScript IdentifierName; Python's ``isidentifier`` knows the same Unicode classes.
    """
    if _ASCII_IDENTIFIER.match(name):
        return name
    return "".join(
        char if char == "$" or (char if index == 0 else f"a{char}").isidentifier() else "_" for index, char in enumerate(name)
    )


def safe_names(names: Sequence[str]) -> list[str | None]:
    """Return each tool's name under ``tools``; ``None`` where two tools map to one name, or where it is reserved."""
    identifiers = [to_identifier(name) for name in names]
    count = Counter(identifiers)
    return [name if count[name] == 1 and name not in RESERVED_MEMBERS else None for name in identifiers]


def bare_names(tools: Iterable[tuple[str, str]]) -> list[str]:
    """Return each tool's global name, all different.

    An exact spelling keeps the name, then catalog order decides; the others get ``_`` and 8 hex digits of their
    id's SHA-256, more where that is taken.

    Args:
        tools: ``(id, name)`` in catalog order.
    """
    rows = [(id, name, to_identifier(name)) for id, name in tools]
    owners: dict[str, str] = {}
    for exact in (True, False):
        for id, name, identifier in rows:
            if (name == identifier) is exact and identifier not in RESERVED_GLOBALS:
                owners.setdefault(identifier, id)
    for id, _, identifier in rows:
        if owners.get(identifier) != id:
            owners[_suffixed(identifier, id, owners)] = id
    by_id = {id: name for name, id in owners.items()}
    return [by_id[id] for id, _, _ in rows]


def _suffixed(identifier: str, id: str, taken: dict[str, str]) -> str:
    digest = hashlib.sha256(id.encode("utf-8", "surrogatepass")).hexdigest()
    return next(name for digits in range(8, len(digest) + 1) if (name := f"{identifier}_{digest[:digits]}") not in taken)
