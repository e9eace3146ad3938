"""Options of code mode: what is accepted, clamped and refused."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from pydantic.alias_generators import to_camel

from toolcell import config as config_module
from toolcell.config import GIB, KIB, MIB, CodeModeConfig, ConfigWarning
from toolcell.errors import ConfigError

DEFAULTS: dict[str, Any] = {
    "enabled": "auto",
    "executor": "quickjs",
    "mode": "only",
    "languages": ("javascript", "typescript"),
    "timeoutMs": 10_000,
    "memoryLimitBytes": 67_108_864,
    "maxOutputBytes": 65_536,
    "outputOverflow": "fail",
    "maxSnapshotBytes": 10_485_760,
    "maxBridgeBytes": 16_777_216,
    "maxPendingToolCalls": 16,
    "snapshotTtlSeconds": 900,
    "maxSuspended": 64,
    "searchDefaultLimit": 8,
    "maxSearchLimit": 50,
    "bigIntegers": "bigint",
    "hostLabel": "host",
    "autoDrain": True,
    "observedTypes": "run",
    "workerReuse": "scope",
    "swarm": False,
    "untrustedEnvelope": "auto",
}

RANGES = [
    ("timeout_ms", 100, 60_000),
    ("memory_limit_bytes", MIB, GIB),
    ("max_output_bytes", KIB, 10 * MIB),
    ("max_snapshot_bytes", KIB, 256 * MIB),
    ("max_bridge_bytes", KIB, 64 * MIB),
    ("max_pending_tool_calls", 1, 128),
    ("snapshot_ttl_seconds", 1, 86_400),
    ("max_suspended", 1, 100_000),
    ("search_default_limit", 1, 50),
    ("max_search_limit", 1, 50),
]


@pytest.fixture(autouse=True)
def forget_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config_module, "_warned", set[tuple[str, int]]())


def test_defaults_are_those_of_the_documentation() -> None:
    assert CodeModeConfig().model_dump(by_alias=True) == DEFAULTS


@pytest.mark.parametrize(("name", "low", "high"), RANGES)
def test_a_number_outside_its_range_is_clamped_with_a_warning(name: str, low: int, high: int) -> None:
    with pytest.warns(ConfigWarning, match=f"{to_camel(name)}: {low - 1} is outside {low} to {high}; {low} is used"):
        below = CodeModeConfig(**{name: low - 1})
    with pytest.warns(ConfigWarning, match=f"{to_camel(name)}: {high + 1} is outside {low} to {high}; {high} is used"):
        above = CodeModeConfig(**{name: high + 1})

    assert (getattr(below, name), getattr(above, name)) == (low, high)


@pytest.mark.parametrize(("name", "low", "high"), RANGES)
def test_both_ends_of_a_range_are_allowed_silently(name: str, low: int, high: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ends = [getattr(CodeModeConfig(**{name: end}), name) for end in (low, high)]

    assert ends == [low, high]


def test_a_clamped_value_warns_once() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for value in (5, 5, 6):
            CodeModeConfig(timeout_ms=value)

    assert [str(warning.message).split(" is ")[0] for warning in caught] == ["timeoutMs: 5", "timeoutMs: 6"]


def test_snake_case_and_camel_case_mean_the_same() -> None:
    assert CodeModeConfig(timeoutMs=500, autoDrain=False) == CodeModeConfig(timeout_ms=500, auto_drain=False)


@pytest.mark.parametrize(
    ("options", "field", "allowed"),
    [
        ({"enabled": 1}, "enabled", 'true, false or "auto"'),
        ({"enabled": "yes"}, "enabled", 'true, false or "auto"'),
        ({"executor": "deno"}, "executor", '"quickjs"'),
        ({"executor": "node"}, "executor", '"quickjs"; this value is not available yet'),
        ({"mode": "mixed"}, "mode", '"only"'),
        ({"languages": []}, "languages", 'a non-empty list of "javascript" and "typescript"'),
        ({"languages": "javascript"}, "languages", 'a non-empty list of "javascript" and "typescript"'),
        ({"languages": ["python"]}, "languages", 'a non-empty list of "javascript" and "typescript"'),
        ({"timeout_ms": "fast"}, "timeoutMs", "an integer from 100 to 60000"),
        ({"timeout_ms": True}, "timeoutMs", "an integer from 100 to 60000"),
        ({"timeout_ms": 500.0}, "timeoutMs", "an integer from 100 to 60000"),
        ({"timeout_ms": None}, "timeoutMs", "an integer from 100 to 60000"),
        ({"output_overflow": "drop"}, "outputOverflow", '"fail" or "truncate"'),
        ({"big_integers": "float"}, "bigIntegers", '"bigint" or "number" or "string"'),
        ({"host_label": "my-host"}, "hostLabel", "an ASCII identifier other than mcp and client"),
        ({"host_label": "mcp"}, "hostLabel", "an ASCII identifier other than mcp and client"),
        ({"auto_drain": 1}, "autoDrain", "true or false"),
        ({"worker_reuse": "always"}, "workerReuse", '"scope" or "never"'),
        ({"swarm": True}, "swarm", "false; this value is not available yet"),
        ({"untrusted_envelope": "on"}, "untrustedEnvelope", '"auto", "off" or a callable'),
        ({"runtime": "wasm"}, "runtime", '"quickjs-wasi", the old name of executor "quickjs"'),
        ({"timeoutMs": 1, "timeout_ms": 2}, "timeout_ms", "one of the spellings timeout_ms and timeoutMs, not both"),
    ],
)
def test_a_wrong_value_is_refused_with_field_value_and_what_is_allowed(options: dict[str, Any], field: str, allowed: str) -> None:
    with pytest.raises(ConfigError) as refused:
        CodeModeConfig(**options)

    error = refused.value
    assert (error.code, error.field, error.allowed) == ("invalid_config", field, allowed)
    assert error.message.startswith(f"{field}: ")
    assert error.message.endswith(f" is not allowed; allowed: {allowed}")


def test_an_unknown_option_is_refused_with_the_nearest_known_one() -> None:
    with pytest.raises(ConfigError, match=r"timeOutMs: unknown option; did you mean timeoutMs; allowed: enabled,"):
        CodeModeConfig(timeOutMs=1)


def test_the_legacy_runtime_reads_as_executor_and_an_explicit_executor_wins() -> None:
    legacy = CodeModeConfig(runtime="quickjs-wasi")
    both = CodeModeConfig(runtime="quickjs-wasi", executor="quickjs")

    assert (legacy.executor, legacy.model_fields_set) == ("quickjs", {"executor"})
    assert both == legacy


def test_the_default_language_is_the_first_one() -> None:
    assert CodeModeConfig(languages=["typescript", "javascript"]).languages[0] == "typescript"


def test_the_default_search_limit_never_exceeds_the_highest_one() -> None:
    with pytest.warns(ConfigWarning, match="searchDefaultLimit: 20 is outside 1 to 10"):
        given = CodeModeConfig(search_default_limit=20, max_search_limit=10)
    inherited = CodeModeConfig(max_search_limit=3)

    assert (given.search_default_limit, inherited.search_default_limit) == (10, 3)


@pytest.mark.parametrize(
    ("value", "options"),
    [
        (True, {"enabled": True}),
        (False, {"enabled": False}),
        ("auto", {"enabled": "auto"}),
        (None, {}),
        ({"timeoutMs": 500}, {"timeout_ms": 500}),
        (CodeModeConfig(timeout_ms=500), {"timeout_ms": 500}),
    ],
)
def test_a_code_mode_value_may_be_a_shorthand(value: object, options: dict[str, Any]) -> None:
    assert CodeModeConfig.of(value) == CodeModeConfig(**options)


def test_an_object_without_enabled_keeps_auto() -> None:
    assert CodeModeConfig.of({"timeoutMs": 500, "swarm": False}).enabled == "auto"


@pytest.mark.parametrize("value", [1, "on", ["auto"], 1.5])
def test_anything_else_is_no_code_mode_value(value: object) -> None:
    with pytest.raises(ConfigError, match=r'codeMode: .* is not allowed; allowed: true, false, "auto" or an object'):
        CodeModeConfig.of(value)


def test_merging_goes_key_by_key_and_the_last_layer_wins() -> None:
    base = CodeModeConfig(enabled=True, timeout_ms=500, auto_drain=False)

    merged = base.merged_with({"timeoutMs": 700}, None, CodeModeConfig(max_suspended=5), "auto")

    assert merged == CodeModeConfig(enabled="auto", timeout_ms=700, auto_drain=False, max_suspended=5)


def test_a_configuration_is_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        CodeModeConfig().timeout_ms = 5  # type: ignore[misc]
