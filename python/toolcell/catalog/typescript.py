"""JSON Schema as TypeScript types: in one line that may leave something out, or over several that a compiler takes."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any, cast
from urllib.parse import unquote

from toolcell.catalog.recursive_types import RecursiveTypes, Type
from toolcell.catalog.typescript_text import literal, property_key, schema_text
from toolcell.values import object_or_empty

OPEN_OBJECT = "{[key: string]: unknown}"

_NOT_WORD = re.compile(r"\W+", re.ASCII)
_NAME = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
_REFINEMENTS = frozenset({"enum", "const", "nullable", "$ref", "allOf", "anyOf", "oneOf"})
_APPLICATORS_THAT_ADD = frozenset({"if", "then", "else", "dependentSchemas", "dependencies", "unevaluatedProperties"})

_MAX_NESTING = 40
"""Levels of any kind; a type of this depth helps nobody, and rendering recurses."""
_MAX_REQUIRED = 1_000
"""Names in ``required`` that are looked at."""
_MAX_REFERENCE_CHARS = 512
_MAX_ALTERNATIVES = 256
"""Members of the union that an intersection of unions multiplies out to; compilers refuse large ones."""
_MAX_LITERAL_CHARS = 200
"""Longest name of a property, and longest text in a union, where a compiler must take the type."""
_MAX_PROPERTY_TEXT_CHARS = 200
_FEW_KEYS = 10
"""A node with fewer is looked through whole; a stranger's node may have any number."""
_MIN_TYPE_CHARS = 4
"""What each schema adds to a type at least, but for members of a union that are alike."""
_MAX_WIDENED = 2_000
"""Values of an enumeration that are looked at for what they have in common."""


class TooLongError(Exception):
    """A type is longer than wanted. References can make a small document a huge type, so rendering stops there."""


_UNKNOWN = Type("unknown")
_NEVER = Type("never")
_SIMPLE = {
    "string": Type("string"),
    "number": Type("number"),
    "integer": Type("number"),
    "boolean": Type("boolean"),
    "null": Type("null"),
}


class TypeRenderer:
    """One rendering of one schema document.

    Args:
        root: The document; anything that is no schema is ``unknown``.
        max_chars: Rendering may stop when the text gets longer.
        max_depth: Levels of objects that are written out.
        max_properties: Properties of one object that are written out.
        recursive: Collects the types that contain themselves. With it, types go over several lines and any compiler
            takes them; without, all is one line, a type is named within itself, and ``...`` stands for what is left out.
        root_name: Name of the whole within itself.
        texts: Write descriptions as comments; only over several lines.
        filled_depth: Levels of objects, each a plain property of the one around it, in which a property that has a
            default may be left out.
    """

    def __init__(
        self,
        root: Any,
        *,
        max_chars: int,
        max_depth: int,
        max_properties: int,
        recursive: RecursiveTypes | None = None,
        root_name: str = "Self",
        texts: bool = True,
        filled_depth: int = 0,
    ) -> None:
        self.complete = True
        """Nothing was left out, and every object is closed."""
        self._root = root
        self._chars_left = max_chars
        self._max_depth = max_depth
        self._max_properties = max_properties
        self._recursive = recursive
        self._root_name = root_name
        self._texts = texts
        self._filled_depth = filled_depth
        self._filled_node = root if filled_depth else None
        self._depth = 0
        self._nesting = 0
        self._open_references: set[str] = set()
        self._names: dict[str, str] = {}
        self._declared: dict[str, Type] = {}

    def render(self, indent: int = 0) -> Type:
        """Return the type of the whole document; its continued lines are indented by ``indent`` spaces.

        Raises:
            TooLongError: it is longer than ``max_chars``, or would be if no two members of a union were alike. A type that
                is only a little longer may be returned.
        """
        type = self._reference("#", indent)
        if self._recursive is not None:
            self._recursive.cut_circles()
        return type

    def _schema(self, schema: Any, indent: int) -> Type:
        self._chars_left -= _MIN_TYPE_CHARS
        if self._chars_left < 0:
            raise TooLongError
        if schema is False:
            return _NEVER
        if not isinstance(schema, dict) or not schema or self._nesting >= _MAX_NESTING:
            return self._unknown()
        node = cast("dict[str, Any]", schema)
        kind = node.get("type")
        if isinstance(kind, str) and kind in _SIMPLE and len(node) < _FEW_KEYS and _REFINEMENTS.isdisjoint(node):
            return _SIMPLE[kind]
        self._nesting += 1
        try:
            return self._node(node, indent)
        finally:
            self._nesting -= 1

    def _node(self, node: dict[str, Any], indent: int) -> Type:
        if not node.keys().isdisjoint(_APPLICATORS_THAT_ADD):
            self.complete = False
        parts: list[Type] = []
        if isinstance(reference := node.get("$ref"), str):
            parts.append(self._reference(reference, indent))
        if isinstance(members := node.get("allOf"), list):
            parts += [self._schema(member, indent) for member in cast("list[Any]", members)]
        for key in ("anyOf", "oneOf"):
            if isinstance(choices := node.get(key), list):
                parts.append(_union([self._schema(choice, indent) for choice in cast("list[Any]", choices)]))
        if "const" in node:
            parts.append(self._enum([node["const"]]))
        elif isinstance(values := node.get("enum"), list):
            parts.append(self._enum(cast("list[Any]", values)))
        elif (own := self._own_type(node, indent, alone=not parts)) is not None:
            parts.append(own)
        if not parts:
            return self._unknown()
        type = parts[0] if len(parts) == 1 else self._intersection(parts)
        return _union([type, _SIMPLE["null"]]) if node.get("nullable") is True else type

    def _own_type(self, node: dict[str, Any], indent: int, *, alone: bool) -> Type | None:
        kind = node.get("type")
        if isinstance(kind, str):
            if kind == "object" and not alone and "properties" not in node:
                return None
            return self._typed(kind, node, indent)
        if isinstance(kind, list):
            return _union([self._typed(member, node, indent) for member in cast("list[Any]", kind)[: len(_SIMPLE) + 2]])
        if "properties" in node or "patternProperties" in node or (alone and "additionalProperties" in node):
            return self._object(node, indent)
        if "items" in node or "prefixItems" in node:
            return self._array(node, indent)
        return None

    def _typed(self, kind: Any, node: dict[str, Any], indent: int) -> Type:
        if kind == "object":
            return self._object(node, indent)
        if kind == "array":
            return self._array(node, indent)
        return _SIMPLE[kind] if isinstance(kind, str) and kind in _SIMPLE else self._unknown()

    def _object(self, node: dict[str, Any], indent: int) -> Type:
        properties = object_or_empty(node.get("properties"))
        rest = self._rest(node, indent)
        if not properties:
            closed = rest is None or (self._recursive and "properties" in node and "additionalProperties" not in node)
            text = "{}" if closed else f"{{{rest}}}"
        elif self._depth >= self._max_depth:
            self.complete = False
            text = OPEN_OBJECT if self._recursive else "{...}"
        else:
            text = self._members(node, properties, rest, indent)
        return Type(text)

    def _members(self, node: dict[str, Any], properties: dict[str, Any], rest: str | None, indent: int) -> str:
        needed = required_names(node)
        filled = node is self._filled_node
        members: list[str] = []
        left_out = False
        self._depth += 1
        inner_filled = filled and self._depth < self._filled_depth
        for key, schema in properties.items():
            name = str(key)
            if len(members) == self._max_properties or (self._recursive and len(name) > _MAX_LITERAL_CHARS):
                left_out = True
                break
            optional = name not in needed or (filled and "default" in object_or_empty(schema))
            self._filled_node = schema if inner_filled else None
            members.append(self._member(name, schema, "?" if optional else "", indent + 2))
        self._depth -= 1
        if left_out:
            self.complete = False
            members.append("[key: string]: unknown" if self._recursive else "...")
        elif rest is not None and rest != OPEN_OBJECT[1:-1]:
            # An index type that the named properties don't fit is an error to a compiler.
            members.append("[key: string]: unknown" if self._recursive else rest)
        if self._recursive is None:
            return "{" + "; ".join(members) + "}"
        pad = " " * indent
        return "{\n" + "".join(f"{pad}  {member};\n" for member in members) + pad + "}"

    def _member(self, name: str, schema: Any, mark: str, indent: int) -> str:
        self._chars_left -= len(name)
        text = f"{property_key(name)}{mark}: {self._schema(schema, indent).text}"
        if self._recursive is None or not self._texts:
            return text
        comment = schema_text(object_or_empty(schema), _MAX_PROPERTY_TEXT_CHARS)
        self._chars_left -= len(comment)
        return f"/** {comment} */\n{' ' * indent}{text}" if comment else text

    def _rest(self, node: dict[str, Any], indent: int) -> str | None:
        """Return what properties beyond the named ones hold, as an index member; ``None`` if there are none."""
        extra = node.get("additionalProperties", True)
        others = list(islice(object_or_empty(node.get("patternProperties")).values(), self._max_properties))
        if extra is not False:
            self.complete = False
        if extra is not False and extra is not True:
            others.append(extra)
        if others:
            return f"[key: string]: {_union([self._schema(other, indent) for other in others]).text}"
        return None if extra is False else OPEN_OBJECT[1:-1]

    def _array(self, node: dict[str, Any], indent: int) -> Type:
        leading, rest = node.get("prefixItems"), node.get("items", True)
        if isinstance(rest, list):
            leading, rest = cast("list[Any]", rest), node.get("additionalItems", True)
        if not isinstance(leading, list):
            return _array_of(self._schema(rest, indent))
        items = [self._schema(item, indent).text for item in cast("list[Any]", leading)]
        if rest is not False and node.get("maxItems") != len(items):
            items.append(f"...{_array_of(self._schema(rest, indent)).text}")
        return Type("[" + ", ".join(items) + "]")

    def _enum(self, values: list[Any]) -> Type:
        if self._recursive is not None and (
            len(values) > self._max_properties * 2
            or any(isinstance(value, str) and len(value) > _MAX_LITERAL_CHARS for value in values)
        ):
            return self._widened(values)
        cut = len(values) > self._max_properties * 2
        type = _union([Type(literal(value)) for value in (values[: self._max_properties] if cut else values)])
        self._chars_left -= len(type.text)
        if cut:
            self.complete = False
            return _union([type, Type("...")])
        return self._unknown() if type.text == "unknown" else type

    def _widened(self, values: list[Any]) -> Type:
        self.complete = False
        alike = len(values) <= _MAX_WIDENED and all(isinstance(value, str) for value in values)
        return _SIMPLE["string"] if alike else _UNKNOWN

    def _reference(self, reference: str, indent: int) -> Type:
        if reference in self._declared:
            return self._declared[reference]
        if reference in self._open_references:
            return self._within_itself(reference)
        found, target = (True, self._root) if reference == "#" else _resolve(self._root, reference)
        if not found:
            return self._unknown()
        self._open_references.add(reference)
        try:
            type = self._schema(target, indent)
        finally:
            self._open_references.remove(reference)
        if self._recursive is None or reference not in self._names:
            return type
        name = self._names[reference]
        self._recursive.declare(name, type, indent)
        self._declared[reference] = self._named(name, type.alternatives)
        return self._declared[reference]

    def _within_itself(self, reference: str) -> Type:
        """Name a type that is being written out."""
        if reference not in self._names:
            word = _NOT_WORD.sub("_", reference.rpartition("/")[2]).strip("_")
            name = self._root_name if reference == "#" or not _NAME.match(word) else word
            self._names[reference] = name if self._recursive is None else self._recursive.reserve(name[:60])
        return self._named(self._names[reference])

    def _named(self, name: str, alternatives: int = 1) -> Type:
        if self._recursive is None:
            return Type(name)
        return Type(f"{self._recursive.namespace}.{name}", "", alternatives, frozenset([name]))

    def _intersection(self, parts: list[Type]) -> Type:
        different = [part for part in dict.fromkeys(parts) if part.text != "unknown"]
        kept: list[Type] = []
        alternatives = 1
        for part in different:
            if alternatives * part.alternatives > _MAX_ALTERNATIVES and kept:
                self.complete = False
                continue
            kept.append(part)
            alternatives *= part.alternatives
        if len(kept) < 2:
            return kept[0] if kept else _UNKNOWN
        text = " & ".join(f"({part.text})" if part.operator == "|" else part.text for part in kept)
        return Type(text, "&", alternatives, _heads(kept))

    def _unknown(self) -> Type:
        self.complete = False
        return _UNKNOWN


def required_names(node: dict[str, Any]) -> frozenset[str]:
    """Return the names that an object schema requires."""
    required = node.get("required")
    if not isinstance(required, list):
        return frozenset()
    return frozenset([name for name in cast("list[Any]", required)[:_MAX_REQUIRED] if isinstance(name, str)])


def _resolve(root: Any, reference: str) -> tuple[bool, Any]:
    """Follow a JSON Pointer within the document."""
    if not reference.startswith("#") or len(reference) > _MAX_REFERENCE_CHARS:
        return False, None
    target = root
    for part in unquote(reference[1:]).split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(target, dict) and key in target:
            target = cast("dict[str, Any]", target)[key]
        elif isinstance(target, list) and key.isdecimal() and int(key) < len(cast("list[Any]", target)):
            target = cast("list[Any]", target)[int(key)]
        else:
            return False, None
    return True, target


def _union(members: list[Type]) -> Type:
    texts = list(dict.fromkeys([member.text for member in members]))
    if "unknown" in texts:
        return _UNKNOWN
    if len(texts) < 2:
        return members[0] if members else _NEVER
    return Type(" | ".join(texts), "|", sum([member.alternatives for member in members]), _heads(members))


def _heads(members: list[Type]) -> frozenset[str]:
    return frozenset([head for member in members for head in member.heads])


def _array_of(item: Type) -> Type:
    return Type(f"({item.text})[]" if item.operator else f"{item.text}[]")
