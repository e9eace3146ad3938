"""What a tool is to the rest of toolcell: an identity, schemas, flags, and two steps around its body."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from toolcell.catalog.context import CallContext
from toolcell.catalog.contract import Contract, MismatchError, jsonable
from toolcell.catalog.refusal import refusal
from toolcell.errors import ToolDefinitionError, ToolInputError, ToolOutputError
from toolcell.values import Json, JsonSchema

ToolKind: TypeAlias = Literal["core", "bundled_plugin", "plugin", "mcp", "client"]

MAX_NAME_CHARS = 256


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool may return instead of a plain value, which becomes ``details``."""

    content: Sequence[Json] | str = ()
    """Content blocks such as ``{"type": "text", "text": ...}``; a string is one text block."""
    details: Any = None
    """The structured value that cells get."""
    is_error: bool = False
    """The call failed: ``callValue`` throws, ``call`` returns the envelope."""
    conforms: bool = field(default=False, repr=False, compare=False)
    """``details`` has passed the tool's output contract since it was last changed."""


@dataclass(slots=True, kw_only=True, eq=False)
class Tool(ABC):
    """A tool of a run, whoever provides it.

    A call is: `prepare`, run what it returned, `normalise`, let hooks look, `check`. Without hooks, `finish` does
    the last two.

    Raises:
        ToolDefinitionError: the name or an owner can't stand in an id, or a flag is out of range.
    """

    name: str
    description: str = ""
    label: str | None = None
    kind: ToolKind = "core"
    owner: str = "core"
    """``core``, or the id of the plugin, MCP server or client application."""
    input_schema: JsonSchema = field(default_factory=dict[str, Any])
    output_schema: JsonSchema | None = None
    """Schema of ``details``, of every variant that is not an error."""
    read_only: bool = False
    replay_safe: bool = False
    """May run a second time with the same input, after a crash, without harm."""
    untrusted_output: bool = False
    """What it returns may have been written by strangers."""
    direct_only: bool = False
    """Stays in the model's own tool list; no cell can call it."""
    requires_approval: bool = False
    sequential: bool = False
    """No two calls of it run at once."""
    max_concurrency: int | None = None
    timeout_ms: int | None = None
    is_async: bool = False
    discoverable: bool = True
    """Whether it counts as a tool, in lists and searches; else it has an id for policy and nothing more."""
    takes_context: bool = True
    """Whether `prepare` looks at its context, which is an empty one otherwise."""
    output_contract: Contract | None = None
    """Checks ``details``; compiled when the tool is made."""

    def __post_init__(self) -> None:
        if not self.name or len(self.name) > MAX_NAME_CHARS or not self.name.isprintable():
            raise ToolDefinitionError(
                f"tool {self.name[:60]!r}: a name has 1 to {MAX_NAME_CHARS} printable characters", tool=self.name
            )
        if not self.owner or ":" in self.owner or not self.owner.isprintable():
            raise refusal(self.name, f"owner {self.owner!r} must be printable, not empty and without a colon")
        for flag in ("max_concurrency", "timeout_ms"):
            value = getattr(self, flag)
            if value is not None and (type(value) is not int or value < 1):
                raise refusal(self.name, f"{flag} is {value!r}; give an integer of at least 1, or None")
        if self.direct_only and self.name in ("exec", "wait"):
            raise refusal(self.name, "a direct-only tool can't have the name of one of code mode's own; rename it")

    @property
    def trusted(self) -> bool:
        """Whether the host itself answers for its schemas and results."""
        return self.kind not in ("mcp", "client") and not self.untrusted_output

    def id(self, host_label: str) -> str:
        """Return ``<source>:<owner>:<name>``; ``host_label`` is the source of core and plugin tools."""
        source = self.kind if self.kind in ("mcp", "client") else host_label
        return f"{source}:{self.owner}:{self.name}"

    @abstractmethod
    def prepare(self, input: Json, context: CallContext) -> Callable[[], Any]:
        """Validate ``input`` and bind it to the body, without running anything.

        Args:
            input: What the cell gave; ``None`` if it gave nothing.
            context: For tools that ask for it.

        Returns:
            A function that runs the body; it returns an awaitable if ``is_async``.

        Raises:
            ToolInputError: with a message that a model can act on.
        """

    def normalise(self, raw: Any) -> ToolResult:
        """Turn what the body returned into a result whose ``details`` are plain JSON data.

        Raises:
            ToolOutputError: the value has no JSON form.
        """
        result = raw if isinstance(raw, ToolResult) else ToolResult(details=raw)
        try:
            details, conforms = self._details(result)
        except MismatchError as mismatch:
            raise ToolOutputError(f"{self.name}: {mismatch.problems[0]}") from None
        text = result.content
        content: Sequence[Json] = [{"type": "text", "text": text}] if isinstance(text, str) else text
        return ToolResult(tuple(content), details, result.is_error, conforms)

    def check(self, result: ToolResult) -> ToolResult:
        """Check the final ``details`` of a result against the output contract.

        Raises:
            ToolOutputError: they don't fit; the message does not show them.
        """
        if self.output_contract is None or result.conforms or result.is_error:
            return result
        try:
            details = self.output_contract.accept(result.details)
        except MismatchError:
            raise ToolOutputError(f"{self.name} returned a value that does not fit its output schema") from None
        return ToolResult(result.content, details, False, conforms=True)

    def details_of(self, raw: Any) -> Any:
        """Normalise and check a plain value that the body returned: its ``details``.

        Raises:
            ToolOutputError: it has no JSON form, or doesn't fit the output contract.
        """
        if self.output_contract is None:
            return raw  # the codec turns what has a JSON form, and says what has none
        try:
            return self.output_contract.accept(raw)
        except MismatchError:
            return self.finish(raw).details

    def finish(self, raw: Any) -> ToolResult:
        """Normalise and check what the body returned."""
        return self.check(self.normalise(raw))

    def _details(self, result: ToolResult) -> tuple[Any, bool]:
        if self.output_contract is not None and not result.is_error:
            try:
                return self.output_contract.accept(result.details), True
            except MismatchError:
                pass  # a hook may still replace the value; `check` has the last word
        return jsonable(result.details), False

    def _refuse_input(self, problems: Sequence[str]) -> ToolInputError:
        return ToolInputError(f"invalid input for {self.name}: {'; '.join(problems)}")
