"""Global, per-agent and per-model options."""

from __future__ import annotations

from typing import Any

import pytest

from toolcell.config import CodeModeConfig
from toolcell.errors import ConfigError
from toolcell.host_config import HostConfig

TREE: dict[str, Any] = {
    "codeMode": {"timeoutMs": 100, "maxOutputBytes": 2_000, "searchDefaultLimit": 1, "maxPendingToolCalls": 1},
    "models": {"Open/One": {"codeMode": {"maxOutputBytes": 3_000, "searchDefaultLimit": 2, "maxPendingToolCalls": 2}}},
    "agents": {
        "main": {
            "codeMode": {"searchDefaultLimit": 3, "maxPendingToolCalls": 3},
            "models": {"open/one": {"codeMode": {"maxPendingToolCalls": 4}}},
        }
    },
}


def test_agent_and_model_beats_agent_beats_model_beats_global() -> None:
    config = HostConfig.of(TREE).resolve("main", "open/ONE")

    assert config == CodeModeConfig(timeout_ms=100, max_output_bytes=3_000, search_default_limit=3, max_pending_tool_calls=4)


@pytest.mark.parametrize(
    ("agent", "model", "limit"), [(None, None, 1), ("other", None, 1), (None, "open/one", 2), ("main", None, 3)]
)
def test_a_layer_holds_only_for_its_agent_or_model(agent: str | None, model: str | None, limit: int) -> None:
    assert HostConfig.of(TREE).resolve(agent, model).search_default_limit == limit


def test_a_model_switch_changes_only_enabled() -> None:
    tree = {"codeMode": {"enabled": False, "timeoutMs": 500}, "models": {"open/one": {"codeMode": True}}}

    assert HostConfig.of(tree).resolve(None, "open/one") == CodeModeConfig(enabled=True, timeout_ms=500)


def test_an_object_of_options_inherits_activation() -> None:
    tree = {"codeMode": True, "agents": {"main": {"codeMode": {"timeoutMs": 500}}}}

    assert HostConfig.of(tree).resolve("main") == CodeModeConfig(enabled=True, timeout_ms=500)


def test_the_options_of_a_run_win_over_all_others() -> None:
    config = HostConfig.of(TREE).resolve("main", "open/one", {"maxPendingToolCalls": 9})

    assert config.max_pending_tool_calls == 9


@pytest.mark.parametrize("value", [None, True, {"timeoutMs": 500}, CodeModeConfig(timeout_ms=500)])
def test_a_single_code_mode_value_is_the_global_one(value: object) -> None:
    assert HostConfig.of(value) == HostConfig(codeMode=value)


def test_a_tree_may_be_written_in_snake_case() -> None:
    assert HostConfig(code_mode={"timeout_ms": 500}) == HostConfig.of({"codeMode": {"timeoutMs": 500}})


@pytest.mark.parametrize(
    ("tree", "field"),
    [
        ({"codeMode": 1}, "codeMode"),
        ({"codeMode": {"timeoutMs": "x"}}, "codeMode.timeoutMs"),
        ({"codeMode": True, "model": {}}, "model"),
        ({"models": []}, "models"),
        ({"models": {"a/b": {"enabled": True}}}, "models.a/b.enabled"),
        ({"models": {"a/b": {"codeMode": {"x": 1}}}}, "models.a/b.codeMode.x"),
        ({"agents": {"main": {"codeMode": {"timeoutMs": "x"}}}}, "agents.main.codeMode.timeoutMs"),
        ({"agents": {"main": {"models": {"a/b": {"codeMode": 1}}}}}, "agents.main.models.a/b.codeMode"),
        ({"agents": {"main": True}}, "agents.main"),
    ],
)
def test_a_wrong_value_is_named_by_its_path(tree: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError) as refused:
        HostConfig.of(tree)

    assert refused.value.field == field
    assert refused.value.message.startswith(f"{field}: ")


@pytest.mark.parametrize(
    "tree",
    [{"agents": {"main": {"codeMode": {"maxSuspended": 5}}}}, {"models": {"a/b": {"codeMode": {"maxSuspended": 5}}}}],
)
def test_only_the_global_options_set_how_many_cells_may_be_suspended(tree: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="maxSuspended: only the global codeMode of the process sets it"):
        HostConfig.of(tree)
    with pytest.raises(ConfigError, match="maxSuspended: only the global codeMode of the process sets it"):
        HostConfig().resolve(overrides={"maxSuspended": 5})

    assert HostConfig.of({"codeMode": {"maxSuspended": 5}}).resolve().max_suspended == 5
