"""Checks of input against a schema that a stranger wrote: as much as can be had without being kept busy by it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from toolcell.catalog.contract import SchemaContract
from toolcell.values import JsonSchema

MAX_STEPS = 1_000_000
"""Parts of a schema that one value may be compared with."""
MAX_PATTERNS = 200
MAX_CHECKS = 5_000_000
"""Comparisons for all parts of a value: a schema of many steps may be meant for each item of a long array."""
_CHARS_A_PART = 100
"""Of a text that is measured or compared in the time that another part takes; a pattern takes that for each character."""

_NO_SCHEMAS = frozenset({"const", "default", "enum", "example", "examples", "required"})
_IN_PLACE = frozenset({"$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"})


class RemoteContract(SchemaContract):
    """A contract given by a server. What would take too long to check is accepted: the server validates as it must anyway.

    A short schema may make a long work of a short value, by definitions that each use another one twice. Regular
    expressions are matched in linear time; a schema that needs others is one that can't be used.
    """

    __slots__ = ("_effort",)

    def __init__(self, schema: JsonSchema) -> None:
        super().__init__(schema, linear_patterns=True)
        self._effort: Effort | None = None

    def accept(self, value: Any) -> Any:
        """Return ``value``; see `SchemaContract.accept`."""
        if self._effort is None:
            self._effort = measure(self._schema)
        return super().accept(value) if self._effort.allows(value) else value


@dataclass(frozen=True, slots=True)
class Effort:
    """What checking by a schema may take."""

    steps: float
    """Parts of it that one value is compared with, each definition counted where it is used."""
    returns: float
    """Ways from a definition back to itself, for one value inside of another."""
    patterns: int

    def allows(self, value: Any) -> bool:
        """Whether this value may be checked."""
        if self.patterns > MAX_PATTERNS or self.steps > MAX_STEPS:
            return False
        if not fits(value, int(MAX_CHECKS / self.steps), 1 if self.patterns else _CHARS_A_PART):
            return False
        return self.returns <= 1 or self.returns ** min(depth(value), 64) * self.steps <= MAX_STEPS


def measure(schema: JsonSchema) -> Effort:
    """Measure a schema; one whose definitions lead to themselves for one and the same value takes forever.

    Limits: an upper bound. References into places that are no definitions count as whole documents.
    """
    return _Measure(schema).effort()


def fits(value: Any, limit: int, chars_a_part: int) -> bool:
    """Whether a value has at most ``limit`` parts; every ``chars_a_part`` characters of a text count as one more."""
    left = [value]
    while left and limit >= 0:
        part = left.pop()
        limit -= 1
        if isinstance(part, str):
            limit -= len(part) // chars_a_part
        elif isinstance(part, dict):
            limit -= sum(map(len, cast("dict[str, Any]", part))) // chars_a_part
            left += cast("dict[str, Any]", part).values()
        elif isinstance(part, list):
            left += cast("list[Any]", part)
    return limit >= 0


def depth(value: Any) -> int:
    """How deep objects and arrays lie in one another."""
    levels, level = 0, [value]
    while level := [part for each in level for part in _parts(each)]:
        levels += 1
    return levels


class _Measure:
    def __init__(self, schema: JsonSchema) -> None:
        self._root = schema
        self._known: dict[int, tuple[float, float]] = {}
        self._active: dict[int, bool] = {}
        self._patterns = 0
        self._is_endless = False

    def effort(self) -> Effort:
        try:
            steps, returns = self._visit(self._root, in_place=True)
        except RecursionError:
            steps, returns = math.inf, 0.0
        return Effort(math.inf if self._is_endless else steps, returns, self._patterns)

    def _visit(self, node: Any, *, in_place: bool) -> tuple[float, float]:
        """Steps and returns of a part; ``in_place`` if it is compared with the same value as the part around it."""
        if not isinstance(node, dict):
            return 1.0, 0.0
        key = id(cast("object", node))
        if key in self._active:
            # Back where we were: for the same value if no part on the way has gone inside of it.
            since = list(self._active).index(key) + 1
            if in_place and all(list(self._active.values())[since:]):
                self._is_endless = True
            return 1.0, 1.0
        if key not in self._known:
            self._active[key] = in_place
            steps, returns = 1.0, 0.0
            for inner, is_in_place in self._inner(cast("dict[str, Any]", node)):
                more_steps, more_returns = self._visit(inner, in_place=is_in_place)
                steps, returns = steps + more_steps, returns + more_returns
            del self._active[key]
            self._known[key] = steps, returns
        return self._known[key]

    def _inner(self, node: dict[str, Any]) -> Iterator[tuple[Any, bool]]:
        for keyword, value in node.items():
            if keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
                yield self._target(value), True
            elif keyword in ("enum", "required"):
                yield from ((None, True) for _ in _parts(value))
            elif keyword in ("$defs", "definitions") or keyword in _NO_SCHEMAS:
                continue
            elif keyword == "pattern":
                self._patterns += 1
            else:
                if keyword == "patternProperties":
                    self._patterns += len(_parts(value))
                is_in_place = keyword in _IN_PLACE or keyword == "dependentSchemas"
                named = keyword in ("properties", "patternProperties", "dependentSchemas", "dependencies")
                for inner in _parts(value) if named or isinstance(value, list) else [value]:
                    yield inner, is_in_place

    def _target(self, reference: Any) -> Any:
        """What a reference means; the whole document where that is not plain."""
        found: Any = self._root
        if isinstance(reference, str) and reference.startswith("#/"):
            for part in reference[2:].split("/"):
                name = part.replace("~1", "/").replace("~0", "~")
                found = cast("dict[str, Any]", found).get(name) if isinstance(found, dict) else None
            if found is None:
                return True
        return found


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(cast("dict[Any, Any]", value).values())
    return cast("list[Any]", value) if isinstance(value, list) else []
