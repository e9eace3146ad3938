"""What the model sees of code mode."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolcell.catalog import Catalog, tool
from toolcell.config import CodeModeConfig
from toolcell.errors import SurfaceError
from toolcell.mcp import McpTool
from toolcell.surface import ModelTool, Surface, assert_surface


def same(given: Any) -> Any:
    return given


@tool
def shipping_list(unpaid: bool = False) -> list[str]:
    """Text that stays out of the prompt."""
    return []


@tool(direct_only=True)
def screenshot(window: str) -> None:
    """Take a picture."""


def surface(*tools: Any, direct: tuple[Any, ...] = (), **options: Any) -> Surface:
    return Surface(Catalog(tools), CodeModeConfig(**options), direct)


def payload_of(tools: tuple[ModelTool, ...]) -> str:
    return json.dumps([[found.name, found.description, found.input_schema] for found in tools])


def test_the_model_sees_exec_wait_and_the_direct_only_tools() -> None:
    shown = surface(shipping_list, direct=(screenshot,)).model_tools

    assert [found.name for found in shown] == ["exec", "wait", "screenshot"]
    assert shown[2] == ModelTool("screenshot", "Take a picture.", screenshot.input_schema)


def test_controls_of_other_searches_vanish() -> None:
    control = tool(name="tool_search", raw_input=True, direct_only=True)(same)

    assert [found.name for found in surface(direct=(control, screenshot)).model_tools] == ["exec", "wait", "screenshot"]


def test_schemas_are_flat_and_code_is_all_that_exec_requires() -> None:
    exec_tool, wait_tool = surface().model_tools

    assert exec_tool.input_schema == {
        "type": "object",
        "properties": {
            "code": {"type": "string", "description": "The program."},
            "language": {"type": "string", "enum": ["javascript", "typescript"], "description": "Default: javascript."},
            "restartSafe": {"type": "boolean", "description": "Allow only calls that may be repeated after a restart."},
            "title": {"type": "string", "description": "What the cell does, for people; up to 120 characters."},
        },
        "required": ["code"],
        "additionalProperties": False,
    }
    assert wait_tool.input_schema == {
        "type": "object",
        "properties": {"runId": {"type": "string", "description": "From the waiting result."}},
        "required": ["runId"],
        "additionalProperties": False,
    }


def test_in_the_strict_variant_all_is_required_and_null_means_absent() -> None:
    exec_tool, wait_tool = surface().strict_model_tools

    properties = exec_tool.input_schema["properties"]
    assert exec_tool.input_schema["required"] == list(properties) == ["code", "language", "restartSafe", "title"]
    assert [properties[name]["type"] for name in properties] == [
        "string",
        ["string", "null"],
        ["boolean", "null"],
        ["string", "null"],
    ]
    assert properties["language"]["enum"] == ["javascript", "typescript", None]
    assert wait_tool == surface().model_tools[1]


@pytest.mark.parametrize("strict", [False, True])
def test_no_schema_offers_alternatives(strict: bool) -> None:
    shown = surface(shipping_list)
    text = payload_of(shown.strict_model_tools if strict else shown.model_tools)

    assert not any(keyword in text for keyword in ("oneOf", "anyOf", "allOf", "$ref"))


def test_the_alias_command_is_not_in_the_schema() -> None:
    assert "command" not in payload_of(surface().model_tools)


def test_languages_and_limits_follow_the_configuration() -> None:
    shown = surface(languages=["typescript"], timeout_ms=2_500, memory_limit_bytes=32 * 1024 * 1024)

    exec_tool = shown.model_tools[0]
    assert exec_tool.input_schema["properties"]["language"]["enum"] == ["typescript"]
    assert "Run one TypeScript program" in exec_tool.description
    assert "2.5 s and 32 MiB" in exec_tool.description


def test_the_description_teaches_rules_forms_and_then_the_index() -> None:
    description = surface(shipping_list).description

    for taught in (
        "Promise.all",
        "`return`",
        "no modules",
        "tools.search",
        "tools.describe",
        "tools.callValue",
        "tools.call(",
        "-> ?",
        "wait",
    ):
        assert taught in description
    assert description.endswith("Tools:\n- shipping_list({unpaid?: boolean}) -> string[]")


def test_descriptions_of_tools_never_reach_the_prompt() -> None:
    assert "Text that stays" not in payload_of(surface(shipping_list).model_tools)


def test_nothing_that_an_mcp_server_wrote_reaches_the_prompt() -> None:
    async def call(*_: Any) -> dict[str, Any]:
        return {"content": []}

    schema = {"type": "object", "properties": {"EVIL_PARAMETER": {"type": "string", "description": "EVIL"}}}
    evil = McpTool(
        server="files",
        name="EVIL_NAME",
        description="EVIL",
        label="EVIL",
        input_schema=schema,
        output_schema=schema,
        request=call,
    )

    catalog = Catalog([shipping_list, evil])
    shown = Surface(catalog, CodeModeConfig(), mcp_members=["files"])

    text = payload_of(shown.model_tools)

    assert "EVIL" not in text
    assert "functions of its own: MCP.files." in text


def test_without_mcp_servers_they_are_not_mentioned() -> None:
    assert "MCP" not in payload_of(surface(shipping_list).model_tools)


def test_equal_catalogs_give_equal_bytes() -> None:
    other = tool(name="other", raw_input=True)(same)

    assert payload_of(surface(shipping_list, other).model_tools) == payload_of(surface(other, shipping_list).model_tools)


@pytest.mark.filterwarnings("ignore:open_binary is deprecated:DeprecationWarning")
@pytest.mark.parametrize("strict", [False, True])
def test_exec_and_wait_cost_at_most_800_tokens_without_the_index(strict: bool) -> None:
    from bpe_openai.tokenizer import build_encoding_from_name  # pyright: ignore[reportMissingTypeStubs]

    shown = surface()
    tools = shown.strict_model_tools if strict else shown.model_tools
    request = [
        {
            "type": "function",
            "function": {"name": found.name, "description": found.description, "parameters": found.input_schema},
        }
        for found in tools
    ]

    assert len(build_encoding_from_name("o200k_base").encode(json.dumps(request))) <= 800


def function(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {}}}


EXEC_AND_WAIT: list[Any] = [
    [{"name": "exec"}, {"name": "wait"}],
    [ModelTool("exec", "", {}), ModelTool("wait", "", {})],
    {"model": "m", "tools": [function("exec"), function("wait")]},
    {
        "tools": [
            {"type": "function", "name": "exec", "parameters": {}},
            {"type": "function", "name": "wait", "parameters": {}},
        ]
    },
    {"tools": [{"name": "exec", "input_schema": {}}, {"type": "custom", "name": "wait", "input_schema": {}}]},
    {"config": {"tools": [{"functionDeclarations": [{"name": "exec"}, {"name": "wait"}]}]}},
    {"toolConfig": {"tools": [{"toolSpec": {"name": "exec"}}, {"toolSpec": {"name": "wait"}}]}},
    {
        "tools": [
            {"name": "exec"},
            {"name": "wait"},
            {"type": "web_search_20250305", "name": "web_search"},
            {"type": "web_search"},
        ]
    },
]


@pytest.mark.parametrize("payload", EXEC_AND_WAIT)
def test_every_usual_payload_with_exec_and_wait_passes(payload: object) -> None:
    assert_surface(payload)


def test_direct_only_tools_of_the_run_pass_and_no_others() -> None:
    shown = surface(shipping_list, direct=(screenshot,))

    shown.assert_payload(shown.model_tools)
    with pytest.raises(SurfaceError, match="shipping_list must not be shown"):
        shown.assert_payload([*shown.model_tools, ModelTool("shipping_list", "", {})])


REFUSED: list[tuple[Any, str]] = [
    ([], "exec is there 0 times instead of once; wait is there 0 times instead of once"),
    ([{"name": "exec"}, {"name": "exec"}, {"name": "wait"}], "exec is there 2 times instead of once"),
    ({"tools": [function("exec"), function("wait"), function("bash")]}, "bash must not be shown"),
    (
        {"tools": [{"name": "exec"}, {"name": "wait"}, {"type": "bash", "name": "b", "input_schema": {}}]},
        "b must not be shown",
    ),
    ({"messages": []}, "the payload has no list of tools"),
    ({"tools": None}, "the payload has no list of tools"),
    ("exec", "the payload has no list of tools"),
    ([5], "the payload holds a tool without a name"),
    ([{"function": {}}], "the payload holds a tool without a name"),
]


@pytest.mark.parametrize(("payload", "problem"), REFUSED)
def test_any_other_payload_is_refused(payload: object, problem: str) -> None:
    with pytest.raises(SurfaceError, match=problem.replace("(", r"\(")):
        assert_surface(payload)
