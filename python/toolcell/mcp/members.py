"""Names under which a cell reaches servers and their tools: ``MCP.<member>.<member>``."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

RESERVED = frozenset(
    ["then", "toJSON", "toString", "valueOf", "constructor", "prototype", "hasOwnProperty", "resources", "prompts"]
)
"""Members that the language itself looks up, and those that every server has."""

_SEPARATORS = re.compile(r"[^\w$]+|_+")
_HASH_CHARS = (8, 16)


def members(names: Sequence[str]) -> list[str]:
    """Return the camelCase identifier of each name, in order.

    Where several names give one identifier, a name that is spelled like it keeps it, else the first one does. The others,
    and those whose identifier is reserved or begins with ``$``, get ``<identifier>_<8 hex>`` of the SHA-256 of the name.
    It is more of the hash, then a hash of it and so on, if somebody chose names for which that is taken.

    Args:
        names: Of one level, all different: the servers of a run, or the tools of a server.

    Returns:
        As many members, all different. None is another one's raw name, unless that one is spelled like an identifier.
    """
    identifiers = [to_member(name) for name in names]
    owners: dict[str, str] = {}
    for name, identifier in zip(names, identifiers, strict=True):
        if name == identifier or identifier not in owners:
            owners[identifier] = name
    taken = {*names, *owners}
    found: list[str] = []
    for name, identifier in zip(names, identifiers, strict=True):
        if owners[identifier] == name and not is_reserved(identifier):
            found.append(identifier)
            continue
        suffixed = next(member for suffix in _suffixes(name) if (member := f"{identifier}_{suffix}") not in taken)
        taken.add(suffixed)
        found.append(suffixed)
    return found


def _suffixes(name: str) -> Iterator[str]:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    yield from (digest[:chars] for chars in _HASH_CHARS)
    while True:
        yield digest
        digest = hashlib.sha256(digest.encode()).hexdigest()


def is_reserved(name: str) -> bool:
    """Whether a name is not a server's or tool's to take, not even in brackets: ``await MCP.words`` looks ``then`` up."""
    return name in RESERVED or name == "__proto__" or name.startswith("$")


def to_member(name: str) -> str:
    """Return ``name`` as a camelCase JavaScript identifier; a word in capitals counts as one in small letters.

    Source:
        ECMAScript IdentifierName; Python's ``isidentifier`` knows the same Unicode classes.
    """
    words = [word.lower() if word.isupper() else word for word in _SEPARATORS.split(name) if word]
    text = "".join([word[0].lower() + word[1:] for word in words[:1]] + [word[0].upper() + word[1:] for word in words[1:]])
    kept = "".join(char for char in text if char == "$" or f"a{char}".isidentifier())
    return kept if kept.replace("$", "a").isidentifier() else f"_{kept}"
