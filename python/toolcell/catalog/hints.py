"""JSON Schema as TypeScript: one-line hints for the model, whole declarations for those who ask."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import unquote

from toolcell.values import object_or_empty

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
_NOT_WORD = re.compile(r"\W+")
_SIMPLE = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}
_OPEN = "{[key: string]: unknown}"
_REFINEMENTS = frozenset({"enum", "const", "nullable", "$ref", "allOf", "anyOf", "oneOf"})
_APPLICATORS_THAT_ADD = frozenset({"if", "then", "else", "dependentSchemas", "dependencies", "unevaluatedProperties"})

_MAX_NESTING = 40
"""Levels of any kind; a type of this depth helps nobody, and rendering recurses."""
_MAX_NODES = 5_000
"""Schemas visited; references can make a small document a huge type."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A type in one line of TypeScript."""

    text: str
    complete: bool
    """Nothing of the schema was left out, and every object is closed."""


UNKNOWN = Hint("unknown", complete=False)


def render_hint(schema: Any, *, max_chars: int, max_depth: int, max_properties: int) -> Hint:
    """Render a JSON Schema as one line of TypeScript.

    Where it doesn't fit, ``...`` stands for what was left out: deep objects first, then properties.

    Args:
        schema: A JSON Schema, draft-07 or 2020-12; anything else is ``unknown``.
        max_chars: Longest text, in code points.
        max_depth: Levels of objects that are written out.
        max_properties: Properties of one object that are written out.

    Returns:
        The hint. Unreadable schemas give ``unknown``, never an error.

    Source:
        JSON Schema 2020-12; ``anyOf`` and ``oneOf`` both become unions, so "exactly one" is not expressed. A recursive
        type is written out once and named within itself.
    """
    properties = max_properties
    for depth in range(max_depth, 0, -1):
        hint = _render(schema, depth, properties)
        if len(hint.text) <= max_chars:
            return hint
    while properties > 1:
        properties //= 2
        hint = _render(schema, 1, properties)
        if len(hint.text) <= max_chars:
            return hint
    return UNKNOWN


def render_declaration(schema: Any, *, indent: int = 0) -> str:
    """Render a whole JSON Schema as a TypeScript type over several lines, with its texts as comments.

    Returns:
        The type; continued lines are indented by ``indent`` spaces. What is unreadable, or nested absurdly deep, is
        ``unknown``.
    """
    return _Renderer(schema, _MAX_NESTING, _MAX_NODES, lines=True).render(schema, indent)


def _render(schema: Any, max_depth: int, max_properties: int) -> Hint:
    renderer = _Renderer(schema, max_depth, max_properties, lines=False)
    text = renderer.render(schema, 0)
    return Hint(text, renderer.complete)


class _Renderer:
    """One rendering of one schema document."""

    def __init__(self, root: Any, max_depth: int, max_properties: int, *, lines: bool) -> None:
        self._root = root
        self._max_depth = max_depth
        self._max_properties = max_properties
        self._lines = lines
        self._depth = 0
        self._nesting = 0
        self._nodes = 0
        self._open_references = ["#"]
        self.complete = True

    def render(self, schema: Any, indent: int) -> str:
        if schema is False:
            return "never"
        self._nodes += 1
        if not isinstance(schema, dict) or not schema or self._nesting >= _MAX_NESTING or self._nodes > _MAX_NODES:
            return self._unknown()
        node = cast("dict[str, Any]", schema)
        kind = node.get("type")
        if isinstance(kind, str) and kind in _SIMPLE and _REFINEMENTS.isdisjoint(node):
            return _SIMPLE[kind]
        self._nesting += 1
        try:
            return self._node(node, indent)
        finally:
            self._nesting -= 1

    def _node(self, node: dict[str, Any], indent: int) -> str:
        if not _APPLICATORS_THAT_ADD.isdisjoint(node):
            self.complete = False
        parts: list[str] = []
        if isinstance(reference := node.get("$ref"), str):
            parts.append(self._reference(reference, indent))
        if isinstance(members := node.get("allOf"), list):
            parts += [self.render(member, indent) for member in cast("list[Any]", members)]
        for key in ("anyOf", "oneOf"):
            if isinstance(choices := node.get(key), list):
                parts.append(_union([self.render(choice, indent) for choice in cast("list[Any]", choices)]))
        if "const" in node:
            parts.append(self._enum([node["const"]]))
        elif isinstance(values := node.get("enum"), list):
            parts.append(self._enum(cast("list[Any]", values)))
        elif (own := self._own_type(node, indent, alone=not parts)) is not None:
            parts.append(own)
        text = _intersection(parts) if parts else self._unknown()
        return _union([text, "null"]) if node.get("nullable") is True else text

    def _own_type(self, node: dict[str, Any], indent: int, *, alone: bool) -> str | None:
        kind = node.get("type")
        if isinstance(kind, str):
            if kind == "object" and not alone and "properties" not in node:
                return None
            return self._typed(kind, node, indent)
        if isinstance(kind, list):
            return _union([self._typed(member, node, indent) for member in cast("list[Any]", kind)])
        if "properties" in node or "patternProperties" in node or (alone and "additionalProperties" in node):
            return self._object(node, indent)
        if "items" in node or "prefixItems" in node:
            return self._array(node, indent)
        return None

    def _typed(self, kind: Any, node: dict[str, Any], indent: int) -> str:
        if kind == "object":
            return self._object(node, indent)
        if kind == "array":
            return self._array(node, indent)
        return _SIMPLE[kind] if isinstance(kind, str) and kind in _SIMPLE else self._unknown()

    def _object(self, node: dict[str, Any], indent: int) -> str:
        properties = object_or_empty(node.get("properties"))
        rest = self._rest(node, indent)
        if not properties:
            return rest or "{}"
        if self._depth >= self._max_depth:
            self.complete = False
            return "{...}"
        required = node.get("required")
        needed = cast("list[Any]", required) if isinstance(required, list) else []
        self._depth += 1
        members: list[str] = []
        for name, inner in properties.items():
            if len(members) == self._max_properties:
                self.complete = False
                members.append("...")
                break
            members.append(self._member(str(name), inner, name in needed, indent))
        self._depth -= 1
        if rest is not None and rest != _OPEN:
            members.append(rest[1:-1])
        if not self._lines:
            return "{" + "; ".join(members) + "}"
        pad = " " * (indent + 2)
        return "{\n" + "".join(f"{pad}{member};\n" for member in members) + " " * indent + "}"

    def _member(self, name: str, schema: Any, required: bool, indent: int) -> str:
        key = name if _IDENTIFIER.match(name) else _literal(name)
        text = f"{key}{'' if required else '?'}: {self.render(schema, indent + 2)}"
        return _comment(schema, " " * (indent + 2)) + text if self._lines else text

    def _rest(self, node: dict[str, Any], indent: int) -> str | None:
        """Return what properties beyond the named ones hold, as an object type; ``None`` if there are none."""
        extra = node.get("additionalProperties", True)
        patterns = list(object_or_empty(node.get("patternProperties")).values())
        if extra is not False:
            self.complete = False
        if extra is not False and extra is not True:
            patterns.append(extra)
        if patterns:
            return "{[key: string]: " + _union([self.render(pattern, indent) for pattern in patterns]) + "}"
        return None if extra is False else _OPEN

    def _array(self, node: dict[str, Any], indent: int) -> str:
        leading, rest = node.get("prefixItems"), node.get("items", True)
        if isinstance(rest, list):
            leading, rest = cast("list[Any]", rest), node.get("additionalItems", True)
        if not isinstance(leading, list):
            return _array_of(self.render(rest, indent))
        items = [self.render(item, indent) for item in cast("list[Any]", leading)]
        if rest is not False and node.get("maxItems") != len(items):
            items.append(f"...{_array_of(self.render(rest, indent))}")
        return "[" + ", ".join(items) + "]"

    def _enum(self, values: list[Any]) -> str:
        if len(values) > self._max_properties * 2:
            self.complete = False
            return _union([_literal(value) for value in values[: self._max_properties]] + ["..."])
        text = _union([_literal(value) for value in values])
        return self._unknown() if text == "unknown" else text

    def _reference(self, reference: str, indent: int) -> str:
        if reference in self._open_references:
            name = _NOT_WORD.sub("_", reference.rpartition("/")[2]).strip("_")
            return name if _IDENTIFIER.match(name) else "Self"
        found, target = _resolve(self._root, reference)
        if not found:
            return self._unknown()
        self._open_references.append(reference)
        try:
            return self.render(target, indent)
        finally:
            self._open_references.pop()

    def _unknown(self) -> str:
        self.complete = False
        return "unknown"


def _resolve(root: Any, reference: str) -> tuple[bool, Any]:
    """Follow a JSON Pointer within the document."""
    if not reference.startswith("#"):
        return False, None
    target = root
    for part in unquote(reference[1:]).split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(target, dict) or key not in target:
            return False, None
        target = cast("dict[str, Any]", target)[key]
    return True, target


def _literal(value: Any) -> str:
    try:
        return json.dumps(value, allow_nan=False) if isinstance(value, (str, int, float, bool, type(None))) else "unknown"
    except ValueError:
        return "unknown"


def _union(members: list[str]) -> str:
    different = list(dict.fromkeys(members))
    if "unknown" in different:
        return "unknown"
    return " | ".join(different) if different else "never"


def _intersection(members: list[str]) -> str:
    different = [member for member in dict.fromkeys(members) if member != "unknown"]
    if len(different) < 2:
        return different[0] if different else "unknown"
    return " & ".join(f"({member})" if _is_compound(member, "|") else member for member in different)


def _array_of(item: str) -> str:
    return f"({item})[]" if _is_compound(item, "|") or _is_compound(item, "&") else f"{item}[]"


def _is_compound(text: str, operator: str) -> bool:
    """Whether an operator stands outside of brackets and strings."""
    if f" {operator} " not in text:
        return False
    level, quoted, escaped = 0, False, False
    for index, char in enumerate(text):
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char in "{[(":
            level += 1
        elif char in "}])":
            level -= 1
        elif char == operator and level == 0 and text[index - 1] == " ":
            return True
    return False


def _comment(schema: Any, pad: str) -> str:
    """Say in a doc comment what the type can't: description, format, default."""
    node = object_or_empty(schema)
    notes = [str(node["description"])] if isinstance(node.get("description"), str) else []
    notes += [f"{key}: {_literal(node[key])}" for key in ("format", "default", "minimum", "maximum") if _plain(node.get(key))]
    text = " ".join(" ".join(notes).split()).replace("*/", "* /")
    return f"/** {text} */\n{pad}" if text else ""


def _plain(value: Any) -> bool:
    return isinstance(value, (str, int, float))
