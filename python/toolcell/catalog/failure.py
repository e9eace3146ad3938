"""What a tool's body raises to tell a cell more than a message."""

from __future__ import annotations


class CallFailedError(Exception):
    """A call failed in a way that a cell can tell apart.

    Args:
        message: For the cell: no paths, types or secrets of the host.
        code: ``code`` of the cell's ``ToolError``.
        retryable: The same call may succeed later.
        outcome_unknown: It may have taken effect nevertheless.
    """

    def __init__(self, message: str, code: str, *, retryable: bool = False, outcome_unknown: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.outcome_unknown = outcome_unknown
