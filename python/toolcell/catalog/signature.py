"""From a Python function to the schema of its input and output, and to the checks of both."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_args, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core import core_schema

from toolcell.catalog.context import CallContext
from toolcell.catalog.contract import MAX_PROBLEMS, MismatchError, TypeContract
from toolcell.catalog.docstring import Docstring
from toolcell.catalog.refusal import refusal
from toolcell.catalog.suggest import nearest
from toolcell.catalog.typed_dict import modern
from toolcell.values import Json, JsonSchema, object_or_empty

_VARIADIC = {
    inspect.Parameter.VAR_POSITIONAL: "*{0}: a tool takes one object of named values; name each one",
    inspect.Parameter.VAR_KEYWORD: "**{0}: name each value, or take the whole input with raw_input=True",
    inspect.Parameter.POSITIONAL_ONLY: "{0} is positional-only; remove the / from the signature",
}


@dataclass(frozen=True, slots=True)
class Signature:
    """A function's parameters as a tool sees them."""

    parameters: tuple[inspect.Parameter, ...]
    """Without the one for the context, annotations resolved."""
    context_parameter: str | None
    returns: Any
    """The resolved return annotation; ``inspect.Parameter.empty`` if there is none."""


def read_signature(function: Callable[..., Any], name: str, local_names: Mapping[str, Any]) -> Signature:
    """Read a function's signature, resolving string annotations with its module's and the given local names.

    Raises:
        ToolDefinitionError: an annotation can't be resolved, or there is no signature to read.
    """
    try:
        signature = inspect.signature(function)
        hints = _type_hints(function, local_names)
    except (NameError, AttributeError, SyntaxError) as error:
        raise refusal(
            name, f"an annotation can't be resolved ({error}); define the type first, where the tool's module sees it"
        ) from error
    except (TypeError, ValueError) as error:
        raise refusal(name, f"its signature can't be read ({error}); wrap it in a def") from error
    parameters: list[inspect.Parameter] = []
    context_parameter: str | None = None
    for parameter in signature.parameters.values():
        annotation = hints.get(parameter.name, parameter.annotation)
        if annotation is CallContext or CallContext in get_args(annotation):
            context_parameter = parameter.name
        else:
            parameters.append(parameter.replace(annotation=modern(annotation)))
    returns = hints.get("return", signature.return_annotation)
    return Signature(tuple(parameters), context_parameter, modern(returns))


def _type_hints(function: Callable[..., Any], local_names: Mapping[str, Any]) -> dict[str, Any]:
    target: Any = function
    while isinstance(target, functools.partial):
        target = target.func  # pyright: ignore[reportUnknownMemberType]
    if not inspect.isroutine(target):
        target = type(target).__call__
    return get_type_hints(target, localns=dict(local_names), include_extras=True)


class FunctionInput:
    """The input of a function tool, derived from its signature: JSON Schema, and binding of values to parameters.

    Raises:
        ToolDefinitionError: a variadic or positional-only parameter, a required one without annotation, or a type
            that pydantic or JSON Schema can't express.
    """

    __slots__ = ("_names", "_validate", "schema")

    def __init__(self, name: str, parameters: tuple[inspect.Parameter, ...], documented: Docstring) -> None:
        for parameter in parameters:
            _check_parameter(name, parameter)

        def bind(**values: Any) -> dict[str, Any]:
            return values

        bind.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # pydantic validates a call of it
        bind.__annotations__ = {
            parameter.name: parameter.annotation for parameter in parameters if parameter.annotation is not parameter.empty
        }
        adapter, self.schema = adapt(name, "input", bind)
        self._validate = adapter.validator.validate_python
        properties: dict[str, JsonSchema] = self.schema["properties"]
        self._names = tuple(properties)
        for parameter, described in zip(parameters, properties.values(), strict=True):
            if text := documented.parameters.get(parameter.name):
                described.setdefault("description", text)

    def bind(self, input: Json) -> dict[str, Any]:
        """Return the keyword arguments for the body; ``None`` counts as an empty object.

        Raises:
            MismatchError: with what is wrong for each parameter.
        """
        if input is None:
            input = {}
        if not isinstance(input, dict):
            raise MismatchError([f"pass one object with named values ({', '.join(self._names)}), not {_kind(input)}"])
        try:
            return self._validate(input)
        except ValidationError as error:
            raise MismatchError(self._problems(error)) from None

    def _problems(self, error: ValidationError) -> list[str]:
        problems: list[str] = []
        details = error.errors(include_url=False, include_context=False, include_input=False)
        for detail in details[:MAX_PROBLEMS]:
            path = _path(detail["loc"])
            kind = detail["type"]
            if kind.startswith("missing"):
                problems.append(f"{path} is missing")
            elif kind in ("unexpected_keyword_argument", "extra_forbidden"):
                near = nearest(path, self._names, 1)
                advice = f"did you mean {near[0]}?" if near else f"known: {', '.join(self._names) or 'none'}"
                problems.append(f"{path} is not a parameter ({advice})")
            else:
                problems.append(f"{path}: {detail['msg']}")
        return problems + (["and more"] if len(details) > MAX_PROBLEMS else [])


def output_contract(name: str, returns: Any) -> tuple[TypeContract, JsonSchema]:
    """Return the contract and JSON Schema of a declared result type.

    Raises:
        ToolDefinitionError: pydantic or JSON Schema can't express the type.
    """
    adapter, schema = adapt(name, "output", returns)
    return TypeContract(adapter, schema), schema


def adapt(name: str, side: str, of: Any) -> tuple[TypeAdapter[Any], JsonSchema]:
    """Build pydantic's adapter and a closed JSON Schema for one side of a tool, ``input`` or ``output``.

    Raises:
        ToolDefinitionError: pydantic or JSON Schema can't express the type.
    """
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(of)
        mode: JsonSchemaMode = "serialization" if side == "output" else "validation"
        schema = adapter.json_schema(mode=mode, schema_generator=_Generator)
    except (PydanticUserError, PydanticSchemaGenerationError) as error:
        reason = str(error).splitlines()[0]
        advice = (
            "annotate with types that have a JSON form, or give input_schema="
            if side == "input"
            else "return a type with a JSON form, give output_schema=, or drop the return annotation"
        )
        raise refusal(name, f"no JSON Schema for its {side} ({reason}); {advice}") from error
    close_objects(schema)
    return adapter, schema


class _Generator(GenerateJsonSchema):
    """Fields with defaults are always there in what a tool returns, as the contract fills them in."""

    def field_is_required(
        self,
        field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField,
        total: bool,
    ) -> bool:
        if self.mode == "serialization" and field["type"] != "typed-dict-field":
            return not field.get("serialization_exclude")
        return super().field_is_required(field, total)


def close_objects(schema: object) -> None:
    """Close every object of a schema made by pydantic that does not say otherwise, and drop generated titles.

    pydantic leaves objects open unless they say ``extra="forbid"``, though it ignores what it doesn't know.
    """
    node = object_or_empty(schema)
    if not node:
        return
    if "properties" in node:
        node.setdefault("additionalProperties", False)
    for name, inner in object_or_empty(node.get("properties")).items():
        described = object_or_empty(inner)
        if described.get("title") == name.title().replace("_", " ").strip():
            del described["title"]
        close_objects(described)
    for key in ("$defs", "definitions", "patternProperties"):
        for inner in object_or_empty(node.get(key)).values():
            close_objects(inner)
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for inner in node.get(key, ()):
            close_objects(inner)
    for key in ("items", "additionalProperties"):
        close_objects(node.get(key))


def _check_parameter(tool: str, parameter: inspect.Parameter) -> None:
    if parameter.kind in _VARIADIC:
        problem = _VARIADIC[parameter.kind].format(parameter.name)
        raise refusal(tool, f"{problem}")
    if parameter.annotation is parameter.empty and parameter.default is parameter.empty:
        raise refusal(tool, f"required parameter {parameter.name} has no annotation; annotate it, or give input_schema=")


def _path(parts: tuple[int | str, ...]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return text.lstrip(".") or "input"


def _kind(value: Json) -> str:
    for kinds, name in ((str, "a string"), (bool, "a boolean"), ((int, float), "a number"), (list, "an array")):
        if isinstance(value, kinds):
            return name
    return "null"
