"""When a run uses code mode: one row for each rule."""

from __future__ import annotations

import pytest

from toolcell.activation import Activation, decide
from toolcell.config import CodeModeConfig, Enabled
from toolcell.model_catalog import ModelCatalog

MODELS = ModelCatalog.load(
    {
        "models": [
            {"provider": "lab", "model": "good", "codeMode": "preferred"},
            {"provider": "lab", "model": "plain", "codeMode": "capable"},
            {"provider": "lab", "model": "mute", "codeMode": "preferred", "supportsTools": False},
        ],
        "resellers": ["shop"],
    }
)


@pytest.mark.parametrize(
    ("enabled", "model", "has_tools", "engaged", "reason"),
    [
        (False, "lab/good", True, False, "disabled"),
        (False, "lab/good", False, False, "disabled"),
        (True, "lab/good", True, True, "enabled"),
        (True, "lab/plain", True, True, "enabled"),
        (True, "nobody/nothing", True, True, "enabled"),
        (True, None, True, True, "enabled"),
        (True, "lab/mute", True, False, "model_without_tools"),
        (True, "lab/good", False, False, "no_tools"),
        ("auto", "lab/good", True, True, "model_preferred"),
        ("auto", "LAB/Good", True, True, "model_preferred"),
        ("auto", "lab/plain", True, False, "model_capable"),
        ("auto", "nobody/nothing", True, False, "model_capable"),
        ("auto", "good", True, False, "model_capable"),
        ("auto", "shop/lab/good", True, False, "model_capable"),
        ("auto", None, True, False, "no_model"),
        ("auto", "lab/mute", True, False, "model_without_tools"),
        ("auto", "lab/good", False, False, "no_tools"),
    ],
)
def test_the_rules_of_activation(enabled: Enabled, model: str | None, has_tools: bool, engaged: bool, reason: str) -> None:
    decision = decide(CodeModeConfig(enabled=enabled), model, MODELS, has_tools=has_tools)

    assert decision == Activation(engaged, reason)  # type: ignore[arg-type]


@pytest.mark.parametrize("enabled", [True, False, "auto"])
def test_a_caller_that_only_runs_cells_engages_always(enabled: Enabled) -> None:
    decision = decide(CodeModeConfig(enabled=enabled), "lab/mute", MODELS, has_tools=False, force=True)

    assert decision == Activation(True, "forced")


def test_a_fall_back_to_another_model_is_decided_anew() -> None:
    config = CodeModeConfig()

    assert [decide(config, model, MODELS, has_tools=True).engaged for model in ("lab/good", "lab/plain")] == [
        True,
        False,
    ]
