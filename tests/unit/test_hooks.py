"""Hook objects."""

from __future__ import annotations

import pytest

from toolcell import ToolCall, ToolDefinitionError
from toolcell.policy.hooks import Hooks


class Both:
    def before_tool_call(self, call: ToolCall) -> None: ...
    async def after_tool_call(self, call: ToolCall, result: object) -> None: ...


class OnlyAfter:
    def after_tool_call(self, call: ToolCall, result: object) -> None: ...


class Misspelled:
    def before_tool_call(self, call: ToolCall) -> None: ...
    def on_tool_call(self, call: ToolCall) -> None: ...


class WrongShape:
    def before_tool_call(self) -> None: ...


class Nothing:
    pass


def test_hooks_are_sorted_by_when_they_are_called() -> None:
    both, after = Both(), OnlyAfter()

    hooks = Hooks.of([both, after])

    assert hooks == Hooks((both.before_tool_call,), (both.after_tool_call, after.after_tool_call))


@pytest.mark.parametrize(
    ("hook", "says"),
    [(Misspelled(), "on_tool_call"), (WrongShape(), "must take 1 argument"), (Nothing(), "neither")],
)
def test_a_hook_that_would_never_be_called_is_refused_by_name(hook: object, says: str) -> None:
    with pytest.raises(ToolDefinitionError, match=says) as caught:
        Hooks.of([hook])

    assert caught.value.tool == type(hook).__name__
