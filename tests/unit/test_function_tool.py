"""Python functions as tools: schemas, calls, and what is refused."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

import pytest
from pydantic import BaseModel, ConfigDict, Field

from toolcell.catalog import CallContext, FunctionTool, Tool, ToolResult, as_tool, tool
from toolcell.errors import ToolDefinitionError, ToolInputError, ToolOutputError

CONTEXT = CallContext(call_id="cell/1", tool_id="host:core:any")


def same(given: Any) -> Any:
    return given


def in_a_list(given: Any) -> Any:
    return [given]


def twice(given: Any) -> Any:
    return given["n"] * 2


def add(a: Any, b: Any = 10) -> Any:
    return a + b


def no_json(_: Any) -> Any:
    return b"x"


def call(of: Tool, given: Any = None) -> Any:
    return of.finish(of.prepare(given, CONTEXT)()).details


class Part(BaseModel):
    id: str
    count: int = 1


class Order(TypedDict, total=False):
    id: str


@dataclass
class Place:
    x: int
    y: int = 0


def test_annotations_defaults_and_docstring_become_a_closed_schema() -> None:
    @tool
    def ship(
        to: Place,
        parts: list[Part],
        speed: Literal["slow", "fast"] = "slow",
        note: Annotated[str | None, Field(description="For people.", max_length=9)] = None,
    ) -> None:
        """Ship parts.

        Args:
            to: Where.
            note: Not used, the annotation says more.
        """

    assert ship.description == "Ship parts."
    assert ship.input_schema == {
        "$defs": {
            "Part": {
                "additionalProperties": False,
                "properties": {"count": {"default": 1, "type": "integer"}, "id": {"type": "string"}},
                "required": ["id"],
                "title": "Part",
                "type": "object",
            },
            "Place": {
                "additionalProperties": False,
                "properties": {"x": {"type": "integer"}, "y": {"default": 0, "type": "integer"}},
                "required": ["x"],
                "title": "Place",
                "type": "object",
            },
        },
        "additionalProperties": False,
        "properties": {
            "note": {
                "anyOf": [{"maxLength": 9, "type": "string"}, {"type": "null"}],
                "default": None,
                "description": "For people.",
            },
            "parts": {"items": {"$ref": "#/$defs/Part"}, "type": "array"},
            "speed": {"default": "slow", "enum": ["slow", "fast"], "type": "string"},
            "to": {"$ref": "#/$defs/Place", "description": "Where."},
        },
        "required": ["to", "parts"],
        "type": "object",
    }


def test_values_reach_the_function_as_what_its_annotations_say() -> None:
    @tool
    def seen(to: Place, parts: list[Part], limit: int = 3) -> list[str]:
        return [type(to).__name__, type(parts[0]).__name__, str(parts[0].count), str(limit)]

    assert call(seen, {"to": {"x": 1}, "parts": [{"id": "a"}]}) == ["Place", "Part", "1", "3"]


def test_types_that_are_local_to_the_caller_are_found() -> None:
    class Local(BaseModel):
        a: int

    @tool
    def bare(value: Local) -> int:
        return value.a

    @tool(name="named")
    def with_arguments(value: Local) -> int:
        return value.a

    assert (call(bare, {"value": {"a": 1}}), call(with_arguments, {"value": {"a": 2}})) == (1, 2)


def test_a_default_given_as_field_is_filled() -> None:
    @tool
    def tags(names: list[str] = Field(default_factory=lambda: ["none"], description="Names.")) -> list[str]:  # noqa: B008  # the form under test
        return names

    assert call(tags) == ["none"]
    assert tags.input_schema["properties"]["names"]["description"] == "Names."


def test_an_alias_is_the_name_that_models_see() -> None:
    @tool
    def send(sender: Annotated[str, Field(alias="from")]) -> str:
        return sender

    assert list(send.input_schema["properties"]) == ["from"]
    assert call(send, {"from": "Ana"}) == "Ana"


def test_a_decorated_function_stays_callable_as_before() -> None:
    @tool
    def add(a: int, b: int = 2) -> int:
        """Add."""
        return a + b

    assert (add(1), add(a=1, b=1), add.__name__, add.__doc__, add.__wrapped__(1)) == (3, 2, "add", "Add.", 3)


async def test_an_async_function_gives_an_awaitable() -> None:
    @tool
    async def later(value: int) -> int:
        await asyncio.sleep(0)
        return value

    body = later.prepare({"value": 4}, CONTEXT)

    assert (later.is_async, later.finish(await body()).details) == (True, 4)


def test_preparing_runs_nothing() -> None:
    ran: list[int] = []
    touch = tool(name="touch", raw_input=True)(ran.append)

    body = touch.prepare(1, CONTEXT)

    assert ran == []
    body()
    assert ran == [1]


def test_a_context_parameter_is_filled_and_not_shown() -> None:
    @tool
    def who(loud: bool = False, *, call: CallContext | None = None) -> str:
        assert call is not None
        return call.call_id

    raw_with_context = tool(name="raw", raw_input=True)(_raw_with_context)

    assert list(who.input_schema["properties"]) == ["loud"]
    assert (call(who), call(raw_with_context, 5)) == ("cell/1", [5, "cell/1"])


def _raw_with_context(value: Any, context: CallContext) -> Any:
    return [value, context.call_id]


@pytest.mark.parametrize("value", [None, 0, "", [1, {"a": None}], {"b": 2}])
def test_raw_input_passes_the_input_exactly_as_it_came(value: Any) -> None:
    echo = tool(name="echo", input_schema={}, raw_input=True)(in_a_list)

    assert call(echo, value) == [value]


def test_raw_input_with_a_schema_is_validated_first() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    double = tool(name="double", input_schema=schema, raw_input=True)(twice)

    assert call(double, {"n": 2}) == 4
    with pytest.raises(ToolInputError, match=r'^invalid input for double: n: "x" is not of type "integer"$'):
        call(double, {"n": "x"})


def test_a_schema_without_raw_input_passes_named_values() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a"]}
    summed = tool(input_schema=schema)(add)

    assert (call(summed, {"a": 1}), call(summed, {"a": 1, "b": 2})) == (11, 3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "to is missing; parts is missing"),
        ("x", "pass one object with named values (to, parts, limit), not a string"),
        ([1], "pass one object with named values (to, parts, limit), not an array"),
        ({"to": {}, "parts": []}, "to.x is missing"),
        ({"to": {"x": 1}, "part": []}, "parts is missing; part is not a parameter (did you mean parts?)"),
        ({"to": {"x": 1}, "parts": [], "zzz": 1}, "zzz is not a parameter (known: to, parts, limit)"),
        ({"to": {"x": 1}, "parts": [{"id": 5}]}, "parts[0].id: Input should be a valid string"),
    ],
)
def test_a_wrong_input_is_explained_for_a_model(given: Any, message: str) -> None:
    ran: list[Any] = []

    @tool
    def ship(to: Place, parts: list[Part], limit: int = 3) -> None:
        ran.append(to)

    with pytest.raises(ToolInputError) as refused:
        ship.prepare(given, CONTEXT)

    assert refused.value.message == f"invalid input for ship: {message}"
    assert ran == []


def test_a_return_annotation_is_the_output_contract() -> None:
    @tool
    def parts(good: bool) -> list[Part]:
        return [Part(id="a"), {"id": "b"} if good else {"id": 5}]  # type: ignore[list-item]

    assert call(parts, {"good": True}) == [{"id": "a", "count": 1}, {"id": "b", "count": 1}]
    with pytest.raises(ToolOutputError) as refused:
        call(parts, {"good": False})
    assert refused.value.message == "parts returned a value that does not fit its output schema"


def test_fields_with_defaults_are_always_there_in_a_result() -> None:
    @tool
    def part() -> Part: ...  # type: ignore[empty-body]

    @tool
    def order() -> Order: ...  # type: ignore[empty-body]

    schemas = [made.output_schema or {} for made in (part, order)]
    assert [schema.get("required") for schema in schemas] == [["id", "count"], None]


def test_objects_are_closed_unless_they_say_otherwise() -> None:
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        a: int

    @tool
    def mixed() -> tuple[Open, Part, dict[str, int]]: ...  # type: ignore[empty-body]

    schema = mixed.output_schema
    assert schema is not None
    assert [schema["$defs"][name]["additionalProperties"] for name in ("Open", "Part")] == [True, False]
    assert schema["prefixItems"][2] == {"type": "object", "additionalProperties": {"type": "integer"}}


@pytest.mark.parametrize("declared", [{"type": "integer"}, int])
def test_an_output_schema_stands_in_for_the_annotation(declared: Any) -> None:
    loose = tool(name="loose", output_schema=declared, raw_input=True)(same)

    assert (loose.output_schema, call(loose, 5)) == ({"type": "integer"}, 5)
    with pytest.raises(ToolOutputError):
        call(loose, "x")


@pytest.mark.parametrize("returns", [Any, object, ToolResult])
def test_an_annotation_that_says_nothing_is_no_contract(returns: Any) -> None:
    def loose() -> Any: ...

    loose.__annotations__ = {"return": returns}

    assert tool(loose).output_schema is None


def test_a_result_keeps_content_and_details_apart() -> None:
    @tool
    def both() -> ToolResult:
        return ToolResult("seen", {"n": 1})

    assert both.finish(both()) == ToolResult(({"type": "text", "text": "seen"},), {"n": 1}, is_error=False)


def test_a_failed_result_is_not_held_to_the_contract() -> None:
    strict = tool(name="strict", output_schema={"type": "integer"}, raw_input=True)(same)

    result = strict.finish(ToolResult("no such thing", {"why": "x"}, is_error=True))

    assert (result.is_error, result.details) == (True, {"why": "x"})


def test_the_contract_is_asked_again_after_a_change() -> None:
    strict = tool(name="strict", output_schema={"type": "integer"}, raw_input=True)(same)
    first = strict.normalise(5)

    assert strict.check(first) is first
    with pytest.raises(ToolOutputError):
        strict.check(ToolResult(first.content, "changed"))


def test_a_value_without_a_json_form_is_an_output_error() -> None:
    binary = tool(name="binary", raw_input=True)(no_json)

    with pytest.raises(ToolOutputError, match=r"^binary: binary data has no JSON form$"):
        call(binary)


def test_owner_and_kind_follow_the_plugin() -> None:
    def plain() -> None: ...

    tools = [tool(plain), tool(plugin="mail")(plain), tool(plugin="mail", bundled=True)(plain)]

    assert [(made.kind, made.owner, made.id("host")) for made in tools] == [
        ("core", "core", "host:core:plain"),
        ("plugin", "mail", "host:mail:plain"),
        ("bundled_plugin", "mail", "host:mail:plain"),
    ]


def test_every_option_reaches_the_tool() -> None:
    flags = {
        "label": "Label",
        "description": "Text.",
        "read_only": True,
        "replay_safe": True,
        "untrusted_output": True,
        "direct_only": True,
        "requires_approval": True,
        "max_concurrency": 2,
        "sequential": True,
        "timeout_ms": 5,
    }

    made = tool(**flags)(lambda_named)  # type: ignore[call-overload]

    assert {name: getattr(made, name) for name in flags} == flags


def lambda_named() -> None:
    """Own text."""


def test_partials_and_callable_objects_are_tools_too() -> None:
    def add(a: int, b: int) -> int:
        return a + b

    class Greeter:
        async def __call__(self, name: str) -> str:
            return f"hi {name}"

    partial = tool(name="add_one")(functools.partial(add, b=1))
    greeter = tool(name="greet")(Greeter())

    assert call(partial, {"a": 1}) == 2
    assert greeter.is_async


def variadic(*values: int) -> None: ...


def keywords(**values: int) -> None: ...


def positional(value: int, /) -> None: ...


def bare(value) -> None: ...  # type: ignore[no-untyped-def]


def unresolved(value: Missing) -> None: ...  # type: ignore[name-defined]  # noqa: F821


def no_schema(value: asyncio.Event) -> None: ...


def no_output_schema() -> asyncio.Event: ...  # type: ignore[empty-body]


def generator() -> Iterator[int]:
    yield 1


async def async_generator() -> AsyncIterator[int]:
    yield 1


REFUSED: list[tuple[Callable[..., Any], str]] = [
    (variadic, "*values: a tool takes one object of named values; name each one"),
    (keywords, "**values: name each value, or take the whole input with raw_input=True"),
    (positional, "value is positional-only; remove the / from the signature"),
    (bare, "required parameter value has no annotation; annotate it, or give input_schema="),
    (unresolved, "define the type first, where the tool's module sees it"),
    (no_schema, "annotate with types that have a JSON form, or give input_schema="),
    (no_output_schema, "return a type with a JSON form, give output_schema=, or drop the return annotation"),
    (generator, "a generator has no result; return a list"),
    (async_generator, "a generator has no result; return a list"),
]


@pytest.mark.parametrize(("function", "advice"), REFUSED)
def test_a_function_that_cannot_be_a_tool_is_refused_with_what_to_change(function: Callable[..., Any], advice: str) -> None:
    with pytest.raises(ToolDefinitionError) as refused:
        tool(function)

    assert refused.value.tool == function.__name__
    assert refused.value.message.startswith(f"tool {function.__name__}: ")
    assert refused.value.message.endswith(advice)


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"input_schema": {"type": "nope"}}, "input_schema is not a valid JSON Schema"),
        ({"output_schema": {"type": 3}}, "output_schema is not a valid JSON Schema"),
        ({"input_schema": {"properties": {}}}, "value is required and not in input_schema"),
        ({"name": "exec", "direct_only": True}, "can't have the name of one of code mode's own"),
        ({"name": "wait", "direct_only": True}, "can't have the name of one of code mode's own"),
        ({"name": "line\nbreak"}, "printable characters"),
        ({"name": "x" * 257}, "1 to 256"),
        ({"plugin": "a:b"}, "without a colon"),
        ({"max_concurrency": 0}, "max_concurrency is 0; give an integer of at least 1"),
        ({"timeout_ms": 1.5}, "timeout_ms is 1.5; give an integer of at least 1"),
    ],
)
def test_a_wrong_option_is_refused_with_what_to_change(options: dict[str, Any], advice: str) -> None:
    def fine(value: int) -> None: ...

    with pytest.raises(ToolDefinitionError) as refused:
        tool(**options)(fine)

    assert advice in refused.value.message


@pytest.mark.parametrize("function", [lambda: 1, functools.partial(lambda_named)])
def test_a_function_without_a_name_needs_one(function: Callable[[], Any]) -> None:
    with pytest.raises(ToolDefinitionError, match="give name="):
        tool(function)


def two(a: Any, b: Any) -> Any: ...


def test_raw_input_needs_a_function_of_one_argument() -> None:
    with pytest.raises(ToolDefinitionError, match="raw_input passes one positional argument"):
        tool(raw_input=True)(two)


def test_only_callables_can_be_tools() -> None:
    with pytest.raises(ToolDefinitionError, match="is not callable"):
        tool(5)  # type: ignore[call-overload]


def test_a_plain_function_is_made_a_tool_and_a_tool_is_left_alone() -> None:
    made = as_tool(no_values)

    assert (made.name, as_tool(made) is made) == ("no_values", True)
    with pytest.raises(ToolDefinitionError, match="is not callable"):
        as_tool({"name": "x"})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def no_values() -> None: ...


def test_a_tool_is_typed_as_the_function_it_wraps() -> None:
    def plain(a: int) -> str:
        return str(a)

    assert isinstance(tool(plain), FunctionTool)
