"""Every exception that toolcell raises.

What a model did wrong is a result, never an exception. These are for the host programmer: wrong configuration, wrong
tools, a store that can't be used, a decision that doesn't fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar


class ToolcellError(Exception):
    """Base of all exceptions of toolcell.

    ``code`` is a class attribute that never changes between versions; data about the error are instance attributes.
    """

    code: ClassVar[str] = "toolcell_error"

    def __init__(self, message: str, **data: object) -> None:
        super().__init__(message)
        self.message = message
        self.__dict__.update(data)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.args, self.__dict__))


def _rebuild(cls: type[ToolcellError], args: tuple[object, ...], data: dict[str, object]) -> ToolcellError:
    error = cls.__new__(cls)
    error.args = args
    error.__dict__.update(data)
    return error


class ConfigError(ToolcellError):
    """A configuration value is of the wrong type, outside an enumeration, or belongs to an unknown key.

    ``field`` is its dotted name, ``value`` what was found, ``allowed`` what may stand there.
    """

    code: ClassVar[str] = "invalid_config"

    def __init__(self, message: str, *, field: str, value: object, allowed: str) -> None:
        super().__init__(message, field=field, value=value, allowed=allowed)

    field: str
    value: object
    allowed: str


class ToolDefinitionError(ToolcellError):
    """A tool, hook or policy given by the host can't be used. ``tool`` names it."""

    code: ClassVar[str] = "invalid_tool"

    def __init__(self, message: str, *, tool: str) -> None:
        super().__init__(message, tool=tool)

    tool: str


class SurfaceError(ToolcellError):
    """A provider payload shows the model other tools than code mode allows."""

    code: ClassVar[str] = "invalid_surface"


class RuntimeUnavailableError(ToolcellError):
    """Code mode was asked for and the executor can't start. ``reason`` says why and what to do."""

    code: ClassVar[str] = "runtime_unavailable"

    def __init__(self, message: str, *, reason: str = "start_failed") -> None:
        super().__init__(message, reason=reason)

    reason: str


class StoreError(ToolcellError):
    """The continuation store can't be read or written; no continuation was lost or used by the attempt."""

    code: ClassVar[str] = "store_unavailable"


class EnvelopeError(StoreError):
    """Stored bytes were not written by this version with this key, or were changed since."""

    code: ClassVar[str] = "snapshot_restore_failed"


class CallNotPendingError(ToolcellError):
    """`Run.decide` or `Run.deliver` named a cell or call that isn't waiting for it. Nothing was changed."""

    code: ClassVar[str] = "call_not_pending"

    def __init__(self, message: str, *, run_id: str, call_id: str) -> None:
        super().__init__(message, run_id=run_id, call_id=call_id)

    run_id: str
    call_id: str


class InvalidDecisionError(ToolcellError):
    """A decision is none of ``approve``, ``deny``, ``edit``, or its edited input is refused by the tool."""

    code: ClassVar[str] = "invalid_decision"


class RunClosedError(ToolcellError):
    """A run or a `CodeMode` was used before it was entered or after it was closed."""

    code: ClassVar[str] = "run_closed"


class TooManySessionsError(ToolcellError):
    """A gateway has as many sessions as may be open at once."""

    code: ClassVar[str] = "too_many_sessions"


class UnknownToolError(ToolcellError):
    """No visible tool has this id or name. ``suggestions`` holds up to three names that exist."""

    code: ClassVar[str] = "unknown_tool"

    def __init__(self, message: str, *, target: str, suggestions: Sequence[str] = ()) -> None:
        super().__init__(message, target=target, suggestions=tuple(suggestions))

    target: str
    suggestions: tuple[str, ...]


class UnlistedServerError(UnknownToolError):
    """The MCP server of a tool has not said yet what tools it has: it can't be reached, or does not start."""

    code: ClassVar[str] = "server_unavailable"


class ToolInputError(ToolcellError):
    """The input of a nested call does not fit the tool. The message is written for the model."""

    code: ClassVar[str] = "invalid_tool_input"


class ToolOutputError(ToolcellError):
    """A tool's result does not fit its output contract. The message never shows the value."""

    code: ClassVar[str] = "invalid_tool_output"
