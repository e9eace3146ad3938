"""Declaration files of MCP servers."""

from __future__ import annotations

import functools
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.schemas import json_values, recursive_schemas, schemas
from toolcell.mcp.declarations import (
    INDEX_PATH,
    MAX_TOOL_CHARS,
    DeclaredServer,
    DeclaredTool,
    index_declaration,
    server_declaration,
)
from toolcell.mcp.shared_types import SERVER_METHODS
from toolcell.mcp.tool import with_defaults

STRING = {"type": "string"}
LOG = {
    "type": "object",
    "properties": {
        "repo_path": {"type": "string", "description": "Where\n it */ is."},
        "max_count": {"type": "integer", "default": 10, "minimum": 1},
        "since": {"anyOf": [STRING, {"type": "null"}], "default": None},
    },
    "required": ["repo_path", "max_count"],
}
TREE = {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}}


def declare(input_schema: Any, output_schema: Any = None, **more: Any) -> str:
    return DeclaredTool("f", "f", "", input_schema, output_schema, **more).text


def test_a_tool_is_a_function_with_its_texts() -> None:
    tool = DeclaredTool("git_log", "gitLog", "Shows\nthe log.", LOG)

    assert tool.text == (
        "/** git_log: Shows the log. */\n"
        "export function gitLog(input: {\n"
        "  /** Where it * / is. */\n"
        "  repo_path: string;\n"
        "  /** default: 10 minimum: 1 */\n"
        "  max_count?: number;\n"
        "  since?: string | null;\n"
        "}, options?: {raw?: boolean}): Promise<McpToolResult>;"
    )


@pytest.mark.parametrize(
    ("schema", "parameter"),
    [
        ({"type": "object", "properties": {}}, "input?: {}"),
        ({"type": "object"}, "input?: {[key: string]: unknown}"),
        ({"properties": {"a": STRING}}, "input?: {\n  a?: string;\n}"),
        ({"properties": {"a": STRING}, "required": ["a"]}, "input: {\n  a: string;\n}"),
        ({"properties": {"a": {"default": 1}}, "required": ["a"]}, "input?: {\n  /** default: 1 */\n  a?: unknown;\n}"),
        ({"properties": {"a": STRING}, "additionalProperties": STRING}, "input?: {\n  a?: string;\n  [key: string]: unknown;\n}"),
        ({"type": "string"}, "input?: {[key: string]: unknown}"),
        (None, "input?: {[key: string]: unknown}"),
        (False, "input?: {[key: string]: unknown}"),
    ],
)
def test_an_input_is_an_object_that_may_be_left_out_if_nothing_is_required(schema: Any, parameter: str) -> None:
    assert declare(schema) == f"export function f({parameter}, options?: {{raw?: boolean}}): Promise<McpToolResult>;"


def test_a_default_makes_a_property_optional_wherever_the_host_fills_it_in() -> None:
    leaf = {"type": "object", "properties": {"leaf": {"type": "string", "default": "x"}}, "required": ["leaf"]}
    four, five = (functools.reduce(lambda inner, _: {"properties": {"a": inner}}, range(levels), leaf) for levels in (3, 4))
    referred = {"properties": {"a": {"$ref": "#/$defs/A"}, "b": {"anyOf": [leaf]}}, "$defs": {"A": leaf}}

    assert [re.findall(r"leaf\??:", declare(schema)) for schema in (leaf, four, five, referred)] == [
        ["leaf?:"],
        ["leaf?:"],
        ["leaf:"],
        ["leaf:", "leaf:"],
    ]
    assert with_defaults(four, {"a": {"a": {"a": {}}}}) == {"a": {"a": {"a": {"leaf": "x"}}}}
    assert with_defaults(five, {"a": {"a": {"a": {"a": {}}}}}) == {"a": {"a": {"a": {"a": {}}}}}


def test_a_declared_output_comes_before_an_observed_one() -> None:
    observed = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"], "additionalProperties": False}

    assert [declare({"type": "object"}, output, observed=observed).partition("Promise")[2] for output in (None, STRING)] == [
        "<McpToolResult</** observed */ {\n  n: number;\n}>>;",
        "<McpToolResult<string>>;",
    ]


def test_a_type_that_contains_itself_has_a_name() -> None:
    assert declare(TREE, TREE) == (
        "export function f(input: f.Input, options?: {raw?: boolean}): Promise<McpToolResult<f.Output>>;\n"
        "export namespace f {\n"
        "  export type Input = {\n"
        "    children?: f.Input[];\n"
        "  };\n"
        "  export type Output = {\n"
        "    children?: f.Output[];\n"
        "  };\n"
        "}"
    ).replace("input: f.Input", "input?: f.Input")


def test_a_member_that_no_function_can_have_is_declared_under_another_name() -> None:
    assert DeclaredTool("delete", "delete", "", {"type": "object", "properties": {}}).text == (
        "export function _delete(input?: {}, options?: {raw?: boolean}): Promise<McpToolResult>;\nexport { _delete as delete };"
    )


def test_a_type_that_is_too_long_loses_texts_then_depth_then_properties() -> None:
    leaf = {f"leaf{index}": {"type": "string", "description": "x" * 100} for index in range(40)}
    sizes = {count: {"properties": {f"p{index}": {"properties": leaf} for index in range(count)}} for count in (1, 4, 40, 400)}

    texts = {count: declare(schema) for count, schema in sizes.items()}

    assert {count: (text.count("/**"), text.count("leaf"), text.count("  p")) for count, text in texts.items()} == {
        1: (40, 40, 1),
        4: (0, 160, 4),
        40: (0, 0, 40),
        400: (0, 0, 150),
    }


def test_a_server_is_a_namespace() -> None:
    tool = DeclaredTool("f", "f", "", {"type": "object", "properties": {}})
    server = DeclaredServer("my-server", "myServer", [tool], methods=SERVER_METHODS)

    assert server_declaration(server) == (
        '// MCP server "my-server"; mcp/index.d.ts has the types that it shares with others.\n'
        "// A call throws ToolError if its result has isError; with {raw: true} it returns that result.\n"
        "declare namespace MCP.myServer {\n"
        '  export const $serverName: "my-server";\n'
        "  export function $api(tool?: string, options?: {schema?: boolean}): Promise<McpApi>;\n"
        "\n"
        "  export function f(input?: {}, options?: {raw?: boolean}): Promise<McpToolResult>;\n"
        "\n"
        "  export namespace resources {\n"
        "    export function list(input?: {cursor?: string}): Promise<McpResources>;\n"
        "    export function read(input: {uri: string}): Promise<{contents: McpResource[]}>;\n"
        "  }\n"
        "\n"
        "  export namespace prompts {\n"
        "    export function list(input?: {cursor?: string}): Promise<McpPrompts>;\n"
        "    export function get(input: {name: string; arguments?: {[name: string]: string}}): Promise<McpPrompt>;\n"
        "  }\n"
        "}\n"
    )


def test_a_request_that_the_run_may_not_see_is_not_declared() -> None:
    text = server_declaration(DeclaredServer("s", "s", methods=["resources/list"]))

    assert text.partition("export namespace ")[2] == (
        "resources {\n    export function list(input?: {cursor?: string}): Promise<McpResources>;\n  }\n}\n"
    )


def test_the_index_names_servers_and_files() -> None:
    tool = DeclaredTool("f", "f", "", None)
    servers = [DeclaredServer("git", "git", [tool]), DeclaredServer("index", "index"), DeclaredServer("b", "b", [tool, tool])]

    assert index_declaration(servers).splitlines()[:5] == [
        "// The MCP servers of this run. All of this is global: import nothing.",
        "// MCP.git: 1 tool, mcp/git.d.ts",
        "// MCP.index: 0 tools, mcp/index_server.d.ts",
        "// MCP.b: 2 tools, mcp/b.d.ts",
        "",
    ]
    assert INDEX_PATH not in {server.path for server in servers}


def test_a_schema_made_to_cost_much_is_declared_with_little_work() -> None:
    many = [f"n{index}" for index in range(20_000)]
    costly = {
        "properties": {"a": STRING, "b": {"enum": many}},
        "required": many,
        "patternProperties": dict.fromkeys(many, STRING),
        "type": ["object"] * 20_000,
        **dict.fromkeys(many, 1),
    }
    schema = {"anyOf": [{"$ref": "#/$defs/A"}] * 20_000, "$defs": {"A": costly}}

    assert declare(schema, schema) == (
        "export function f(input: {[key: string]: unknown}, options?: {raw?: boolean}): Promise<McpToolResult<unknown>>;"
    )


WORDS = re.compile(r"""/\*.*?\*/|"(?:[^"\\\n]|\\.)*\"""", re.DOTALL)
words = st.text(max_size=40) | st.sampled_from(
    ["*/", "/*", "//", '"', "\\", "\n", "\r", "\u2028", "\u202e", "*\u200b/", "`", "${", "export", "}", ";", "@ts-ignore"]
)
hostile = st.lists(words, max_size=5).map("".join)


@given(description=hostile, text=hostile, name=hostile, value=hostile, format=hostile)
def test_words_never_leave_the_comment_or_literal_that_they_stand_in(
    description: str, text: str, name: str, value: str, format: str
) -> None:
    def declare(description: str, text: str, name: str, value: str, format: str) -> str:
        schema = {"properties": {"a": {"description": text, "format": format, "enum": [value]}, f"-{name}": {"const": value}}}
        return DeclaredTool(f"-{name}", "f", description, schema, schema).text

    found = declare(description, text, name, value, format)

    assert WORDS.sub("", found) == WORDS.sub("", declare("d", "t", "n", "v", "f"))
    assert all(char == "\n" or char.isprintable() for char in found)
    assert "@ts-" not in found.partition("export")[0]


@given(schema=schemas | recursive_schemas | json_values, output=schemas | recursive_schemas, description=st.text(max_size=2_000))
def test_any_declaration_is_bounded_and_always_the_same(schema: Any, output: Any, description: str) -> None:
    tool = DeclaredTool("f", "f", description, schema, output)

    assert len(tool.text) <= MAX_TOOL_CHARS
    assert DeclaredTool("f", "f", description, schema, output).text == tool.text
