"""Python functions as tools."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any, Generic, ParamSpec, TypeVar, overload

from toolcell.catalog.context import CallContext
from toolcell.catalog.contract import Contract, MismatchError, SchemaContract
from toolcell.catalog.docstring import parse_docstring
from toolcell.catalog.refusal import refusal
from toolcell.catalog.signature import FunctionInput, Signature, output_contract, read_signature
from toolcell.catalog.tool import Tool, ToolKind, ToolResult
from toolcell.catalog.typed_dict import modern
from toolcell.errors import ToolDefinitionError
from toolcell.values import Json, JsonSchema

P = ParamSpec("P")
R = TypeVar("R")

_UNDECLARED = (inspect.Parameter.empty, Any, object, ToolResult)


class FunctionTool(Tool, Generic[P, R]):
    """A Python function as a tool, made by `tool`. Calling it calls the function, which is its ``__wrapped__``."""

    __wrapped__: Callable[P, R]

    def __init__(
        self,
        function: Callable[P, R],
        *,
        name: str,
        description: str | None,
        input_schema: JsonSchema | None,
        output_schema: JsonSchema | type[Any] | None,
        raw_input: bool,
        local_names: Mapping[str, Any],
        **options: Any,
    ) -> None:
        _refuse_generators(function, name)
        documented = parse_docstring(function.__doc__ if inspect.isroutine(function) else None)
        signature = read_signature(function, name, local_names)
        self._context_parameter = signature.context_parameter
        self._raw_input = raw_input
        self._input: FunctionInput | None = None
        self._input_contract: SchemaContract | None = None
        if input_schema:
            self._input_contract = SchemaContract(input_schema)
            _require(self._input_contract.require_valid, name, "input_schema")
        if raw_input:
            _require_one_argument(signature, name)
        elif input_schema is None:
            self._input = FunctionInput(name, signature.parameters, documented)
            input_schema = self._input.schema
        else:
            _require_known_names(signature, input_schema, name)
        contract, declared = _output(output_schema, signature.returns, name)
        super().__init__(
            name=name,
            description=documented.description if description is None else description,
            input_schema=input_schema or {},
            output_schema=declared,
            output_contract=contract,
            is_async=inspect.iscoroutinefunction(_body(function)),
            takes_context=signature.context_parameter is not None,
            **options,
        )
        _take_over_names(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.__wrapped__(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<tool {self.name}>"

    def prepare(self, input: Json, context: CallContext) -> Callable[[], Any]:
        """Validate ``input`` and bind it to the function's parameters."""
        try:
            positional, named = self._bind(input)
        except MismatchError as mismatch:
            raise self._refuse_input(mismatch.problems) from None
        if self._context_parameter is not None:
            named[self._context_parameter] = context
        return functools.partial(self.__wrapped__, *positional, **named)

    def _bind(self, input: Json) -> tuple[tuple[Json, ...], dict[str, Any]]:
        if self._input is not None:
            return (), self._input.bind(input)
        if input is None and self.input_schema.get("type") == "object":
            input = {}
        if self._input_contract is not None:
            self._input_contract.accept(input)
        if self._raw_input:
            return (input,), {}
        if not isinstance(input, dict):
            raise MismatchError(["pass one object with named values"])
        return (), dict(input)


@overload
def tool(function: Callable[P, R], /) -> FunctionTool[P, R]: ...


@overload
def tool(
    *,
    name: str | None = None,
    label: str | None = None,
    description: str | None = None,
    input_schema: JsonSchema | None = None,
    raw_input: bool = False,
    output_schema: JsonSchema | type[Any] | None = None,
    plugin: str | None = None,
    bundled: bool = False,
    read_only: bool = False,
    replay_safe: bool = False,
    untrusted_output: bool = False,
    direct_only: bool = False,
    requires_approval: bool = False,
    max_concurrency: int | None = None,
    sequential: bool = False,
    timeout_ms: int | None = None,
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    plugin: str | None = None,
    bundled: bool = False,
    description: str | None = None,
    input_schema: JsonSchema | None = None,
    output_schema: JsonSchema | type[Any] | None = None,
    raw_input: bool = False,
    **options: Any,
) -> Any:
    """Make a tool of a function, as a plain decorator or with arguments. The function stays callable as before.

    Args:
        function: Sync or async. Annotations become the JSON Schema of the input, the docstring its text; a parameter
            of type `CallContext` is filled and not shown.
        name: Name in the catalog; the function's own by default.
        label: Name for people.
        description: What it does; the docstring up to its first section by default.
        input_schema: JSON Schema to use in place of the annotations; values are passed as keyword arguments.
        raw_input: Pass the whole input as the one argument, exactly as it came (``None`` if nothing did); without
            ``input_schema``, or with an empty one, anything is accepted.
        output_schema: JSON Schema or type of the structured result, in place of the return annotation.
        plugin: Id of the plugin the tool belongs to.
        bundled: The plugin comes with the host.
        read_only: It changes nothing.
        replay_safe: It may run again with the same input, after a crash, without harm.
        untrusted_output: What it returns may have been written by strangers.
        direct_only: It stays in the model's own tool list, out of the catalog.
        requires_approval: A person decides on each call.
        max_concurrency: Calls that run at once, from 1.
        sequential: No two calls run at once.
        timeout_ms: Time for one call, from 1.

    Raises:
        ToolDefinitionError: the function can't be a tool; the message names it and says what to change.
    """

    def decorate(function: Callable[..., Any], *, frame: int = 1) -> FunctionTool[..., Any]:
        if not callable(function):
            raise ToolDefinitionError(f"tool: {function!r} is not callable; decorate a function", tool="")
        return FunctionTool(
            function,
            name=_name(function, name),
            description=description,
            input_schema=input_schema,
            output_schema=output_schema,
            raw_input=raw_input,
            local_names=sys._getframe(frame).f_locals,  # pyright: ignore[reportPrivateUsage]  # types local to the caller
            kind=_kind(plugin, bundled),
            owner=plugin or "core",
            **options,
        )

    return decorate if function is None else decorate(function, frame=2)


def as_tool(value: Tool | Callable[..., Any]) -> Tool:
    """Return a tool as it is, and make one of a plain function as `tool` does.

    Raises:
        ToolDefinitionError: neither, or the function can't be a tool.
    """
    return value if isinstance(value, Tool) else tool(value)


def _kind(plugin: str | None, bundled: bool) -> ToolKind:
    if plugin is None:
        return "core"
    return "bundled_plugin" if bundled else "plugin"


def _name(function: Callable[..., Any], given: str | None) -> str:
    name = given if given is not None else getattr(function, "__name__", "")
    if not name or name == "<lambda>":
        raise ToolDefinitionError(f"tool {function!r} has no name; give name=", tool="")
    return name


def _body(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function behind a callable object."""
    unwrapped: Any = function.func if isinstance(function, functools.partial) else function  # pyright: ignore[reportUnknownMemberType]
    return unwrapped if inspect.isroutine(unwrapped) else type(unwrapped).__call__


def _refuse_generators(function: Callable[..., Any], name: str) -> None:
    body = _body(function)
    if inspect.isgeneratorfunction(body) or inspect.isasyncgenfunction(body):
        raise refusal(name, "a generator has no result; return a list")


def _require_one_argument(signature: Signature, name: str) -> None:
    parameters = signature.parameters
    required = [parameter for parameter in parameters[1:] if parameter.default is parameter.empty]
    positional = parameters and parameters[0].kind is not inspect.Parameter.KEYWORD_ONLY
    if not positional or any(p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in required):
        raise refusal(name, "raw_input passes one positional argument; take exactly that")


def _require_known_names(signature: Signature, schema: JsonSchema, name: str) -> None:
    properties = schema.get("properties", {})
    for parameter in signature.parameters:
        variadic = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        if parameter.default is parameter.empty and not variadic and parameter.name not in properties:
            raise refusal(name, f"{parameter.name} is required and not in input_schema; add it, or use raw_input=True")


def _output(declared: JsonSchema | type[Any] | None, returns: Any, name: str) -> tuple[Contract | None, JsonSchema | None]:
    if isinstance(declared, dict):
        contract = SchemaContract(declared)
        _require(contract.compile, name, "output_schema")
        return contract, declared
    of = returns if declared is None else modern(declared)
    return (None, None) if any(of is undeclared for undeclared in _UNDECLARED) else output_contract(name, of)


def _take_over_names(made: Any, function: Callable[..., Any]) -> None:
    """Give the tool its function's name, module and docstring, and make the function its ``__wrapped__``."""
    functools.update_wrapper(made, function)


def _require(check: Callable[[], None], name: str, argument: str) -> None:
    try:
        check()
    except ValueError as error:
        reason = str(error).splitlines()[0]
        raise refusal(name, f"{argument} is not a valid JSON Schema: {reason}") from error
