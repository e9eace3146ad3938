"""How a nested call is refused or fails: plain data for the cell, the reasons of the host left out."""

from __future__ import annotations

from toolcell.catalog.failure import CallFailedError
from toolcell.catalog.tool import ToolResult
from toolcell.errors import ToolcellError, ToolInputError, ToolOutputError, UnknownToolError, UnlistedServerError
from toolcell.policy.nested_call import CallOutcome, NestedCall
from toolcell.settlement import MAX_MESSAGE_CHARS, CallFailure
from toolcell.values import well_formed


class CallRefusedError(ToolcellError):
    """A nested call ends here; ``failure`` is what the guest sees, ``outcome`` what the summary says."""

    code = "call_refused"
    failure: CallFailure
    outcome: CallOutcome

    def __init__(self, failure: CallFailure, outcome: CallOutcome = "error") -> None:
        super().__init__(failure.message, failure=failure, outcome=outcome)


def denied(call: NestedCall) -> CallRefusedError:
    """The refusal of a call by policy, hook or person; says nothing of the reason, which is the host's."""
    name = call.tool_name
    return CallRefusedError(CallFailure("ToolDeniedError", f"{name} was denied by the host", "denied", name), "denied")


def outcome_unknown(tool: str) -> CallFailure:
    """The failure of a call whose process died, so that nobody knows whether it took effect."""
    message = f"the outcome of {tool} is unknown: the process that ran it ended; check before calling it again"
    return CallFailure("ToolError", message, "outcome_unknown", tool)


def failure_of(call: NestedCall, error: Exception) -> CallFailure:
    """What a cell sees of an exception: a message, never a type, a traceback or a path."""
    name = call.tool_name
    if isinstance(error, UnknownToolError):
        return CallFailure("ToolError", cut(str(error)), error.code, name, isinstance(error, UnlistedServerError))
    if isinstance(error, ToolInputError | ToolOutputError):
        return CallFailure("ToolError", cut(str(error)), error.code, name)
    try:
        text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    except Exception:  # an exception whose own text fails
        text = ""
    retryable = getattr(error, "retryable", False) is True
    code = error.code if isinstance(error, CallFailedError) else "tool_failed"
    return CallFailure("ToolError", cut(text) or f"{name} failed", code, name, retryable)


def outcome_of(error: Exception) -> CallOutcome:
    """What the summary says of a call that ended with this exception."""
    return "unknown" if isinstance(error, CallFailedError) and error.outcome_unknown else "error"


def cut(text: str) -> str:
    """Cut a tool's own message to what may cross."""
    text = well_formed(text)
    return text if len(text) <= MAX_MESSAGE_CHARS else text[: MAX_MESSAGE_CHARS - 1] + "…"


def text_of(result: ToolResult) -> str:
    """The text of a result that says it is an error."""
    texts = [block["text"] for block in result.content if isinstance(block, dict) and isinstance(block.get("text"), str)]
    if texts:
        return "\n".join(str(text) for text in texts)
    return result.details if isinstance(result.details, str) else "the tool reported an error"
