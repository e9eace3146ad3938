"""Allow, deny and ask lists."""

from __future__ import annotations

import pytest

from toolcell import Policy, ToolCall
from toolcell.policy.policy import VisibleTool


def call(id: str, name: str) -> ToolCall:
    return ToolCall(id, name, {}, "core", None, "cell_1/1", "cell_1")


@pytest.mark.parametrize(
    ("policy", "visible"),
    [
        (Policy(), True),
        (Policy(allow=["*"]), True),
        (Policy(allow=["pay"]), True),
        (Policy(allow=["host:core:*"]), True),
        (Policy(allow=["PAY"]), False),
        (Policy(allow=["pa"]), False),
        (Policy(allow=[]), False),
        (Policy(deny=["p?y"]), False),
        (Policy(allow=["pay"], deny=["host:*"]), False),
        (Policy(deny=["other"]), True),
    ],
)
def test_globs_over_ids_and_names_decide_what_is_visible(policy: Policy, visible: bool) -> None:
    assert policy.visible(VisibleTool("host:core:pay", "pay")) is visible


@pytest.mark.parametrize(
    ("ask", "decision"), [((), "allow"), (("pay",), "ask"), (("host:*:pay",), "ask"), (("refund",), "allow")]
)
def test_globs_over_ids_and_names_decide_what_is_asked(ask: tuple[str, ...], decision: str) -> None:
    assert Policy(ask=ask).decide(call("host:core:pay", "pay")) == decision


def test_a_remote_tool_named_like_an_id_of_the_host_does_not_pass_for_it() -> None:
    forged = VisibleTool("mcp:evil:host:core:pay", "host:core:pay")

    policies = [Policy(allow=["host:*"]), Policy(allow=["host:core:pay"]), Policy(deny=["host:core:pay"])]

    assert [policy.visible(forged) for policy in policies] == [False, False, False]
    assert Policy(allow=["mcp:evil:*"]).visible(forged)
