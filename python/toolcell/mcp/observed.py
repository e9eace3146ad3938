"""What the results of MCP tools looked like so far: shapes, never values.

A shape is a JSON Schema: ``{"type": [...]}`` with ``items`` for arrays, and for objects either ``properties``, ``required``
and ``additionalProperties: false``, or, for one that is used as a map, the shape of its values as ``additionalProperties``.
``{}`` is the shape of nothing yet.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import islice
from typing import Any, cast

from toolcell.values import JsonSchema, object_or_empty

MAX_DEPTH = 6
"""Levels of objects and arrays that are looked into."""
MAX_PROPERTIES = 40
"""Properties of an object; one with more is a map."""
MAX_SAMPLES = 50
"""Items of an array, or values of a map, that are looked at."""
MAX_VALUES = 2_000
"""Values of one result that are looked at, and parts of a shape from which on it learns nothing more."""
MAX_TOOLS = 2_000
"""Tools that are remembered."""
MAX_RESULTS = 50
"""Results of one tool that are looked at."""
MAX_TEXT_CHARS = 200_000
"""Longest text that is tried as JSON."""
MAX_STORED_BYTES = 1024 * 1024
"""Bytes of a dump; what does not fit is left out of it."""

_VERSION = 1
_DUMP = f'{{"version": {_VERSION}, "tools": [%s]}}'
_NAME = re.compile(r"[@#$+-]?[^\W\d][\w .:$-]{0,63}\Z")
_DATA = re.compile(r".*\d{4}|(?=.*\d)[0-9a-fA-F-]{8,}\Z")
_TYPES: dict[type[Any], str] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


class ObservedTypes:
    """Shapes of the results of tools, by server and tool."""

    def __init__(self) -> None:
        self._shapes: dict[tuple[str, str], JsonSchema] = {}
        self._results: Counter[tuple[str, str]] = Counter()

    def shape(self, server: str, tool: str) -> JsonSchema | None:
        """Return what results of a tool looked like; ``None`` if nothing was learned."""
        return self._shapes.get((server, tool))

    def learn(self, server: str, tool: str, result: Mapping[str, Any]) -> bool:
        """Learn from an MCP result object: from its structured content, else from a text that is JSON.

        Returns:
            Whether anything is new. From a failed call nothing is learned.
        """
        key = (server, tool)
        if self._results[key] >= MAX_RESULTS:
            return False
        found, value = _data(result)
        if not found:
            return False
        self._results[key] += 1
        return self._add(key, shape_of(value))

    def dump(self) -> bytes:
        """Return what was learned, for `load`: all of it, up to `MAX_STORED_BYTES`."""
        rows: list[str] = []
        left = MAX_STORED_BYTES - len(_DUMP % "")
        for server, tool in sorted(self._shapes):
            row = json.dumps([server, tool, self._shapes[server, tool]])
            if len(row) + 2 <= left:
                rows.append(row)
                left -= len(row) + 2
        return (_DUMP % ", ".join(rows)).encode()

    def load(self, stored: bytes) -> None:
        """Add what another one dumped.

        Raises:
            ValueError: no `dump` gives these bytes; nothing was added.
        """
        for server, tool, shape in _read(stored):
            self._add((server, tool), shape)

    def _add(self, key: tuple[str, str], shape: JsonSchema) -> bool:
        known = self._shapes.get(key)
        if known is None and len(self._shapes) >= MAX_TOOLS:
            return False
        merged = merge(known or {}, shape)
        if merged == known or _size(merged) > MAX_VALUES:
            return False
        self._shapes[key] = merged
        return True


def shape_of(value: Any) -> JsonSchema:
    """Return the shape of a JSON value.

    Limits:
        Of a large value only a part is looked at. Names of properties are kept unless they look like data, such as
        numbers, dates, hashes, addresses and paths; a word is a name.
    """
    return _Observer().observe(value, 0)


def merge(left: JsonSchema, right: JsonSchema) -> JsonSchema:
    """Return the shape of all that either saw. The order of many is the same to it, and so is seeing one twice."""
    if left == right:
        return left
    merged: JsonSchema = {"type": sorted({*left.get("type", ()), *right.get("type", ())})}
    if "array" in merged["type"]:
        merged["items"] = merge(left.get("items", {}), right.get("items", {}))
    if "object" in merged["type"]:
        merged |= _merge_objects([shape for shape in (left, right) if "additionalProperties" in shape])
    return merged


def _merge_objects(shapes: Sequence[JsonSchema]) -> JsonSchema:
    objects = [shape["properties"] for shape in shapes if "properties" in shape]
    maps = [shape["additionalProperties"] for shape in shapes if "properties" not in shape]
    names = sorted({name for properties in objects for name in properties})
    if maps or len(names) > MAX_PROPERTIES:
        return _map([*maps, *(inner for properties in objects for inner in properties.values())])
    found = {name: [properties[name] for properties in objects if name in properties] for name in names}
    required = set(names).intersection(*(shape["required"] for shape in shapes))
    return _object({name: reduce(merge, inner) for name, inner in found.items()}, required)


def _object(properties: dict[str, JsonSchema], required: set[str]) -> JsonSchema:
    return {"properties": properties, "required": sorted(required), "additionalProperties": False}


def _map(values: Sequence[JsonSchema]) -> JsonSchema:
    return {"additionalProperties": reduce(merge, values, {})}


class _Observer:
    """Looks at one value, and not at more than `MAX_VALUES` parts of it."""

    def __init__(self) -> None:
        self._left = MAX_VALUES

    def observe(self, value: Any, depth: int) -> JsonSchema:
        kind = _TYPES.get(cast("type[Any]", type(value)))
        self._left -= 1
        if kind is None or self._left < 0:
            return {}
        shape: JsonSchema = {"type": [kind]}
        if kind == "array":
            shape["items"] = reduce(merge, self._sample(value, depth), {})
        elif kind == "object":
            shape |= self._entries(value, depth)
        return shape

    def _entries(self, value: dict[str, Any], depth: int) -> JsonSchema:
        if depth >= MAX_DEPTH or len(value) > MAX_PROPERTIES or not all(map(_is_name, value)):
            return _map(self._sample(value.values(), depth))
        return _object({name: self.observe(value[name], depth + 1) for name in sorted(value)}, set(value))

    def _sample(self, values: Any, depth: int) -> list[JsonSchema]:
        if depth >= MAX_DEPTH:
            return []
        return [self.observe(value, depth + 1) for value in islice(values, MAX_SAMPLES) if self._left > 0]


def _is_name(key: str) -> bool:
    return _NAME.match(key) is not None and _DATA.match(key) is None


def _data(result: Mapping[str, Any]) -> tuple[bool, Any]:
    """Return whether a result has data, and the data."""
    if result.get("isError"):
        return False, None
    if (structured := result.get("structuredContent")) is not None:
        return True, structured
    content = result.get("content")
    blocks = cast("list[Any]", content) if isinstance(content, list) else []
    text = object_or_empty(blocks[0]).get("text") if len(blocks) == 1 else None
    if not isinstance(text, str) or len(text) > MAX_TEXT_CHARS or not text.lstrip().startswith(("{", "[")):
        return False, None
    try:
        return True, json.loads(text)
    except (ValueError, RecursionError):
        return False, None


def _size(shape: JsonSchema) -> int:
    """Return of how many shapes a shape consists."""
    inner = [shape["items"]] if "items" in shape else []
    inner += shape.get("properties", {}).values() if "properties" in shape else [shape.get("additionalProperties", {})]
    return 1 + sum(_size(part) for part in inner if part)


def _read(stored: bytes) -> list[tuple[str, str, JsonSchema]]:
    try:
        document = json.loads(stored) if len(stored) <= MAX_STORED_BYTES else None
    except (ValueError, RecursionError):
        document = None
    tools = object_or_empty(document).get("tools")
    if object_or_empty(document).get("version") != _VERSION or not isinstance(tools, list):
        raise ValueError("these are no observed types of this version")
    read: list[tuple[str, str, JsonSchema]] = []
    for row in cast("list[Any]", tools):
        match row:
            case [str() as server, str() as tool, shape] if _is_shape(shape, 0):
                read.append((server, tool, shape))
            case _:
                raise ValueError("an observed type is not one that was dumped")
    return read


def _is_shape(shape: Any, depth: int) -> bool:
    """Whether `shape_of` and `merge` could have made it at this depth."""
    if shape == {}:
        return True
    node = object_or_empty(shape)
    types = node.get("type")
    if depth > MAX_DEPTH or not isinstance(types, list) or not types:
        return False
    known = [kind for kind in sorted({*_TYPES.values()}) if kind in cast("list[Any]", types)]
    keys = {"type"}
    if "array" in known:
        keys.add("items")
    if "object" in known:
        keys |= {"properties", "required", "additionalProperties"} if "properties" in node else {"additionalProperties"}
    if types != known or node.keys() != keys:
        return False
    inner = [node["items"]] if "items" in node else []
    if "properties" in node:
        if not _are_properties(node):
            return False
        inner += node["properties"].values()
    elif "additionalProperties" in node:
        inner.append(node["additionalProperties"])
    return all(part == {} if depth == MAX_DEPTH else _is_shape(part, depth + 1) for part in inner)


def _are_properties(node: dict[str, Any]) -> bool:
    properties, required = object_or_empty(node["properties"]), node["required"]
    names = list(properties)
    return (
        node["additionalProperties"] is False
        and isinstance(node["properties"], dict)
        and len(names) <= MAX_PROPERTIES
        and all(map(_is_name, names))
        and isinstance(required, list)
        and required == [name for name in sorted(names) if name in cast("list[Any]", required)]
    )
