"""Checks of values against what a tool declares: a JSON Schema, or a Python type."""

from __future__ import annotations

from typing import Any, Protocol

import jsonschema_rs
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from toolcell.values import JsonSchema

MAX_PROBLEMS = 5
MAX_PATTERN_BYTES = 1_000_000
"""Compiled size of a linear pattern."""
_MAX_PROBLEM_CHARS = 300
_PLAIN = frozenset({dict, list, str, int, float, bool, type(None)})


class MismatchError(Exception):
    """A value does not fit. ``problems`` are sentences that may quote it, so they are for inputs only."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class Contract(Protocol):
    """What a value must be."""

    def accept(self, value: Any) -> Any:
        """Return the value in its JSON form.

        Raises:
            MismatchError: it does not fit.
        """
        ...


class SchemaContract:
    """A contract given by JSON Schema. Compiled at the first use: a large catalog has many that no cell touches.

    With ``linear_patterns`` regular expressions that need backtracking are refused.
    """

    __slots__ = ("_patterns", "_schema", "_validator")

    def __init__(self, schema: JsonSchema, *, linear_patterns: bool = False) -> None:
        self._schema = schema
        self._validator: Any = None
        self._patterns = jsonschema_rs.RegexOptions(size_limit=MAX_PATTERN_BYTES) if linear_patterns else None

    def require_valid(self) -> None:
        """Check the schema against its meta-schema, which is cheaper than compiling it.

        Raises:
            ValueError: the schema is broken; the message says where.
        """
        jsonschema_rs.meta.validate(self._schema)

    def compile(self) -> None:
        """Compile now.

        Raises:
            ValueError: the schema is broken; the message says where.
        """
        self._validator = jsonschema_rs.validator_for(self._schema, retriever=_refuse_reference, pattern_options=self._patterns)

    def accept(self, value: Any) -> Any:
        """Return ``value``, as plain JSON data where its own form would not do."""
        if self._validator is None:
            self.compile()
        value = jsonable(value)
        if self._is_valid(value):
            return value
        converted = _converted(value)
        if not self._is_valid(converted):
            raise MismatchError(self._problems(converted))
        return converted

    def _is_valid(self, value: Any) -> bool:
        try:
            return self._validator.is_valid(value)
        except ValueError:
            return False  # such as a dict with keys that are not strings

    def _problems(self, value: Any) -> list[str]:
        problems: list[str] = []
        for error in self._validator.iter_errors(value):
            if len(problems) == MAX_PROBLEMS:
                problems.append("and more")
                break
            path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.instance_path)
            text = error.message if len(error.message) <= _MAX_PROBLEM_CHARS else error.message[:_MAX_PROBLEM_CHARS] + "…"
            problems.append(f"{path.lstrip('.')}: {text}" if path else text)
        return problems


class TypeContract:
    """A contract given by a Python type: what pydantic accepts for it, or data that already is its JSON form."""

    __slots__ = ("_dump", "_schema", "_validate")

    def __init__(self, adapter: TypeAdapter[Any], schema: JsonSchema) -> None:
        # What the adapter itself calls; it adds options that are not used here.
        self._validate = adapter.validator.validate_python
        self._dump = adapter.serializer.to_python
        self._schema = SchemaContract(schema)

    def accept(self, value: Any) -> Any:
        """Return the JSON form of ``value``; defaults are filled, dicts count as the models they describe."""
        try:
            return self._dump(self._validate(value), mode="json", by_alias=True)
        except (ValidationError, PydanticSerializationError):
            return self._schema.accept(value)


def jsonable(value: Any) -> Any:
    """Turn a Python value into plain JSON data; containers that are plain at the top are returned as they are.

    What lies inside of them is turned by the codec, which must walk them anyway.

    Raises:
        MismatchError: it has no JSON form.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise MismatchError(["binary data has no JSON form"])
    return _converted(value)


def _refuse_reference(uri: str) -> Any:
    """Keep schemas, which may be a stranger's, from making the host read files or addresses."""
    raise ValueError(f"references to other documents are not followed: {uri[:200]}")


def _converted(value: Any) -> Any:
    try:
        return to_jsonable_python(value, by_alias=True)
    except (PydanticSerializationError, ValueError, RecursionError):
        raise MismatchError(["the value has no JSON form"]) from None
