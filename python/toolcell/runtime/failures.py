"""From what ended a cell to the code, reason and phase of its result. One table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from toolcell.executor.protocol import Failed, Gone, Refused
from toolcell.results import ErrorCode, Location, Phase, Reason
from toolcell.values import well_formed


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a result is ``failed``."""

    code: ErrorCode
    reason: Reason | None
    phase: Phase
    error: str
    location: Location | None = None
    preview: str | None = None

    @property
    def limit(self) -> str | None:
        """Name of the limit that was hit, if it was one."""
        if self.code in ("timeout", "output_limit_exceeded", "snapshot_limit_exceeded"):
            return self.code
        limits = ("memory_limit_exceeded", "stack_overflow", "too_many_pending_tool_calls", "too_many_suspended")
        return self.reason if self.reason in limits else None


GUEST_FAILURES: dict[str, tuple[ErrorCode, Reason | None, Phase]] = {
    "syntax_error": ("invalid_input", "syntax_error", "input"),
    "typescript_transform_failed": ("invalid_input", "typescript_transform_failed", "input"),
    "module_access_denied": ("invalid_input", "module_access_denied", "input"),
    "shell_command": ("invalid_input", "shell_command", "input"),
    "too_many_pending_tool_calls": ("invalid_input", "too_many_pending_tool_calls", "bridge"),
    "timeout": ("timeout", None, "guest"),
    "output_limit_exceeded": ("output_limit_exceeded", None, "guest"),
    "snapshot_limit_exceeded": ("snapshot_limit_exceeded", None, "host"),
    "memory_limit_exceeded": ("internal_error", "memory_limit_exceeded", "guest"),
    "stack_overflow": ("internal_error", "stack_overflow", "guest"),
    "guest_error": ("internal_error", "guest_error", "guest"),
    "unhandled_rejection": ("internal_error", "unhandled_rejection", "guest"),
    "never_settles": ("internal_error", "never_settles", "guest"),
    "nested_tool_failed": ("internal_error", "nested_tool_failed", "bridge"),
}
"""Of each reason that a worker may give."""

UNKNOWN_RUN = Failure("invalid_input", "unknown_run", "host", "code mode run is unavailable or expired.")
EXPIRED = Failure("invalid_input", "snapshot_expired", "host", "code mode run is unavailable or expired.")
WRONG_SCOPE = Failure("invalid_input", "wrong_scope", "host", "code mode run belongs to a different session.")
ALREADY_RESUMING = Failure("invalid_input", "already_resuming", "host", "code mode run is already being resumed.")
TOO_MANY_SUSPENDED = Failure("invalid_input", "too_many_suspended", "host", "too many suspended code mode runs.")
ABORTED = Failure("aborted", "aborted", "host", "code mode run was aborted.")
RESTORE_FAILED = Failure(
    "internal_error",
    "snapshot_restore_failed",
    "host",
    "the suspended cell can't be restored; run it again from its start.",
)
CRASHED = Failure("runtime_unavailable", "worker_crashed", "guest", "the cell's worker ended unexpectedly.")
TOO_LATE = Failure("timeout", None, "host", "the time limit was reached before a worker was free; nothing of the cell ran.")
TOO_MANY_LOOKUPS = Failure(
    "timeout",
    None,
    "bridge",
    "the time limit was reached while searches and descriptions were answered; make fewer of them. "
    "No tool was called in this step.",
)
NOT_ENGAGED = Failure("invalid_input", None, "input", "code mode is not engaged for this run.")
BLOCKED = Failure("invalid_input", None, "host", "the host blocked this cell before it ran.")


def invalid(error: str, reason: Reason | None = None) -> Failure:
    """The model's arguments are wrong."""
    return Failure("invalid_input", reason, "input", well_formed(error))


def unavailable(error: str) -> Failure:
    """No worker could be started."""
    return Failure("runtime_unavailable", "start_failed", "host", error)


def too_much_input(found: int) -> Failure:
    """A cell has more input under way than its memory could have held at once."""
    return Failure(
        "invalid_input",
        "too_many_pending_tool_calls",
        "bridge",
        f"the inputs of calls that have not ended take {found} bytes; await some of them first. None of this step was sent.",
    )


def side_effect(tool: str) -> Failure:
    """A restart-safe cell called what may not be called again."""
    return Failure(
        "invalid_input",
        "side_effect_in_restart_safe",
        "bridge",
        f"{tool} is not declared replay-safe, so a restartSafe cell can't call it; nothing of it ran.",
    )


def from_worker(end: Failed | Gone | Refused, suggest: Callable[[str], Sequence[str]]) -> Failure:
    """Map what a worker said, or that it is gone."""
    if isinstance(end, Refused):
        return RESTORE_FAILED
    if isinstance(end, Gone):
        return _gone(end)
    code, reason, phase = GUEST_FAILURES[end.reason]
    location = None if end.location is None else Location(line=end.location[0], column=end.location[1])
    return Failure(code, reason, phase, _text(end, suggest), location, end.preview)


def _gone(end: Gone) -> Failure:
    if end.reason == "deadline":
        return Failure("timeout", "worker_killed", "guest", "the cell ran past its deadline and was killed.")
    if end.reason == "crashed":
        return CRASHED
    return ABORTED


def _text(end: Failed, suggest: Callable[[str], Sequence[str]]) -> str:
    lines = [end.message]
    lines += [f"    at {_frame(*frame)}" for frame in end.stack]
    if end.code_frame:
        lines.append(end.code_frame)
    lines += end.hints
    for name in end.missing:
        near = suggest(name)
        if near:
            lines.append(f"{name} does not exist; did you mean {', '.join(near)}?")
    return "\n".join(lines)


def _frame(function: str, line: int, column: int | None) -> str:
    place = f"{line}" if column is None else f"{line}:{column}"
    return f"{function} (line {place})" if function else f"line {place}"
