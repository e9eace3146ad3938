"""What hooks see and what they may answer."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from toolcell.errors import ToolDefinitionError
from toolcell.values import Json

ToolCallKind = Literal["core", "bundled_plugin", "plugin", "mcp", "client", "code_mode_exec"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as policy, hooks and approvals see it.

    ``tool_kind`` is ``code_mode_exec`` for the model's own `exec`, whose ``input`` is the arguments object and whose
    ``tool_input_kind`` is the cell's language; for nested calls it is the kind of tool, and ``tool_input_kind`` is
    ``None``. ``call_id`` is ``<cell id>/<n>``.
    """

    tool_id: str
    tool_name: str
    input: Json
    tool_kind: ToolCallKind
    tool_input_kind: Literal["javascript", "typescript"] | None
    call_id: str
    run_id: str


@dataclass(frozen=True, slots=True)
class Block:
    """A before-hook refuses the call. ``reason`` stays on the host; the guest sees a `ToolDeniedError`."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """Go on with another input; it is validated again. From a before-hook or an approval."""

    input: Json


@dataclass(frozen=True, slots=True)
class Ask:
    """A before-hook wants a person to decide."""


@dataclass(frozen=True, slots=True)
class Replace:
    """An after-hook replaces the result's value; the output contract is checked afterwards."""

    value: Any


BeforeAnswer = Block | Edit | Ask | None
AfterAnswer = Replace | None

_KNOWN = ("before_tool_call", "after_tool_call")


@dataclass(frozen=True, slots=True)
class Hooks:
    """The hooks of a run, checked and sorted by when they are called."""

    before: tuple[Callable[..., Any], ...]
    after: tuple[Callable[..., Any], ...]

    @classmethod
    def of(cls, hooks: Sequence[object]) -> Hooks:
        """Check hook objects.

        Raises:
            ToolDefinitionError: an object has neither method, or has a misspelled or wrongly shaped one.
        """
        for hook in hooks:
            _check(hook)
        before, after = (tuple(getattr(hook, name) for hook in hooks if hasattr(hook, name)) for name in _KNOWN)
        return cls(before, after)


def _check(hook: object) -> None:
    name = type(hook).__name__
    methods = [method for method in dir(hook) if method.endswith("_call") and not method.startswith("_")]
    unknown = [method for method in methods if method not in _KNOWN]
    if unknown:
        raise ToolDefinitionError(f"hook {name} has {unknown[0]}; hooks are called as {' and '.join(_KNOWN)}", tool=name)
    if not methods:
        raise ToolDefinitionError(f"hook {name} has neither {' nor '.join(_KNOWN)}", tool=name)
    for method, given in zip(_KNOWN, (1, 2), strict=True):
        function = getattr(hook, method, None)
        if function is not None and not _accepts(function, given):
            raise ToolDefinitionError(f"hook {name}.{method} must take {given} argument(s)", tool=name)


def _accepts(function: Any, count: int) -> bool:
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:
        return callable(function)
    return True
