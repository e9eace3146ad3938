"""Tiers of models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolcell.errors import ConfigError
from toolcell.model_catalog import ModelCatalog, ModelRef

SHIPPED = json.loads((Path(__file__).parents[2] / "python/toolcell/data/model_tiers.json").read_text())


def row(name: str, tier: str | None = None, **more: Any) -> dict[str, Any]:
    provider, _, model = name.partition("/")
    return {"provider": provider, "model": model, **({"codeMode": tier} if tier else {}), **more}


@pytest.mark.parametrize("shipped", SHIPPED["models"], ids=lambda shipped: f"{shipped['provider']}/{shipped['model']}")
def test_the_shipped_table_gives_each_row_its_tier_without_case(shipped: dict[str, str]) -> None:
    catalog = ModelCatalog.default()
    name = f"{shipped['provider']}/{shipped['model']}"

    assert {catalog.tier(name), catalog.tier(name.upper())} == {shipped["codeMode"]}


@pytest.mark.parametrize("provider", SHIPPED["resellers"])
def test_what_a_reseller_sells_is_capable_whatever_its_name(provider: str) -> None:
    assert ModelCatalog.default().tier(f"{provider}/anthropic/claude-opus-5-x") == "capable"


def test_a_row_of_its_own_lifts_a_reseller() -> None:
    catalog = ModelCatalog.load({"models": [row("novita/moonshotai/kimi-k3", "preferred")], "resellers": ["novita"]})

    assert catalog.tier("novita/moonshotai/kimi-k3") == "preferred"


@pytest.mark.parametrize("name", ["nobody/gpt-5.5", "gpt-5.5", "openai/gpt-5.5-mini", "", "openai/"])
def test_a_name_alone_never_gives_a_tier(name: str) -> None:
    assert ModelCatalog.default().tier(name) == "capable"


def test_tool_support_is_assumed_unless_denied() -> None:
    catalog = ModelCatalog.load({"models": [row("a/mute", supportsTools=False), row("a/tools", supportsTools=True)]})

    assert [catalog.supports_tools(name) for name in ("A/MUTE", "a/tools", "a/other")] == [False, True, True]


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        ([row("a/kimi-k3", "preferred"), row("b/x/Kimi-K3")], "b/x/Kimi-K3"),
        ([row("a/k3", "capable", upstreamModel="moonshot/kimi-k3"), row("b/x/kimi-k3")], "b/x/kimi-k3"),
        ([row("a/m"), row("b/m", "preferred"), row("c/m")], "a/m, c/m"),
    ],
)
def test_once_a_row_of_a_group_states_a_tier_each_row_must(rows: list[dict[str, Any]], named: str) -> None:
    with pytest.raises(ConfigError, match=f"these must too: {named}$"):
        ModelCatalog.load({"models": rows})


def test_a_group_without_any_tier_is_capable() -> None:
    catalog = ModelCatalog.load({"models": [row("a/m"), row("b/m")]})

    assert catalog.tier("a/m") == "capable"


def test_two_rows_for_one_model_are_refused() -> None:
    with pytest.raises(ConfigError, match="two rows for one model: A/M"):
        ModelCatalog.load({"models": [row("a/m", "capable"), row("A/M", "preferred")]})


@pytest.mark.parametrize(
    ("table", "field"),
    [
        ({}, "modelCatalog.models"),
        ({"models": [row("a/m", "best")]}, "modelCatalog.models.0.codeMode"),
        ({"models": [{"provider": "a"}]}, "modelCatalog.models.0.model"),
        ({"version": 2, "models": []}, "modelCatalog.version"),
        ({"models": [], "tiers": []}, "modelCatalog.tiers"),
    ],
)
def test_a_table_of_another_shape_is_refused(table: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError) as refused:
        ModelCatalog.load(table)

    assert refused.value.field == field


def test_a_table_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "tiers.json"
    path.write_text(json.dumps({"models": [row("a/m", "preferred")]}))

    assert ModelCatalog.load(path).tier("a/m") == "preferred"


def test_a_file_that_is_not_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tiers.json"
    path.write_text("{models:")

    with pytest.raises(ConfigError, match="modelCatalog: not JSON"):
        ModelCatalog.load(path)


@pytest.mark.parametrize(
    ("name", "ref"),
    [("a/b", ModelRef("a", "b")), ("a/b/c", ModelRef("a", "b/c")), ("b", ModelRef("", "b")), ("a/", ModelRef("a", ""))],
)
def test_a_model_name_is_split_at_the_first_slash(name: str, ref: ModelRef) -> None:
    assert ModelRef.parse(name) == ref
