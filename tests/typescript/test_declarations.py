"""The TypeScript compiler takes the declarations of any server."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from support.declared import compiler_says
from support.schemas import json_values, recursive_schemas, schemas
from toolcell.mcp.declarations import DeclaredServer, DeclaredTool, server_declaration
from toolcell.mcp.members import members
from toolcell.mcp.shared_types import SERVER_METHODS

pytestmark = pytest.mark.timeout(120)

STRING = {"type": "string"}
NODE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "value": {}}}
_WORDS = """
    abstract any arguments as asserts async await bigint boolean break case catch class const constructor continue debugger
    declare default delete do else enum eval export extends false finally for from function get global globalThis if
    implements import in infer instanceof interface intrinsic is keyof let module namespace never new null number object of
    out override package private protected public readonly require return satisfies set static string super switch symbol
    this throw true try type typeof undefined unique unknown using var void while with yield NaN Infinity Object Promise
    Array Function McpToolResult McpContent McpApi MCP unwrap $api $serverName __proto__ prototype toString hasOwnProperty
    then toJSON valueOf resources prompts index list read 查询 naïve a$b 1 2x - --
"""
WORDS = _WORDS.split()
HOSTILE = [
    "*/ export const pwned: 1; /*",
    "@ts-expect-error",
    "@ts-ignore",
    "\u200b@ts-ignore",
    "*\u200b/ }",
    "a\n@ts-expect-error",
    "a\r// b\u2028export const pwned: 1;",
    '"; export const pwned: 1; //',
    "`${",
    "\\",
    "\\u002a/",
    "///<reference path='x'/>",
    "\u202eright to left",
    "\ud800",
    "\x00",
    "}",
    "{{{",
    "'",
    "|",
    "/",
    "*",
    "**/",
    "",
    "🙂" * 300,
    "x" * 9_000,
]
SCHEMAS: dict[str, Any] = {
    "boolean": True,
    "never": False,
    "none": None,
    "text": "string",
    "list": [],
    "string": STRING,
    "empty": {"type": "object", "properties": {}},
    "root": {"type": "object", "properties": {"self": {"$ref": "#"}}, "required": ["self"]},
    "circle": {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"anyOf": [STRING, {"$ref": "#/$defs/A"}]}}},
    "union circle": {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"anyOf": [STRING, {"$ref": "#/$defs/A"}]}}},
    "array circle": {
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"type": "array", "items": {"$ref": "#/$defs/A"}}},
    },
    "tuple circle": {
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"type": "array", "prefixItems": [{"$ref": "#/$defs/A"}]}},
    },
    "map circle": {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"additionalProperties": {"$ref": "#/$defs/A"}}}},
    "intersected circle": {
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"allOf": [NODE, {"properties": {"a": {"$ref": "#/$defs/A"}}}]}, "Node": NODE},
    },
    "two circles": {
        "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/B"}},
        "$defs": {
            "A": {"properties": {"b": {"$ref": "#/$defs/B"}}},
            "B": {"anyOf": [{"$ref": "#/$defs/A"}, {"properties": {"b": {"$ref": "#/$defs/B"}}}]},
        },
    },
    "names": {
        "properties": {name: {"$ref": f"#/$defs/{name}"} for name in ("string", "Promise", "Array", "class", "1")},
        "$defs": {
            name: {"properties": {"x": {"$ref": f"#/$defs/{name}"}, "y": {"type": "array", "items": {"$ref": "#/$defs/Array"}}}}
            for name in ("string", "Promise", "Array", "class", "1")
        },
    },
    "index": {"type": "object", "properties": {"a": STRING}, "additionalProperties": {"type": "number"}},
    "patterns": {"type": "object", "properties": {"a": STRING}, "patternProperties": {"^b": {"type": "null"}}},
    "words": {"type": "object", "properties": dict.fromkeys([*WORDS, *HOSTILE], STRING), "required": WORDS},
    "texts": {"type": "object", "properties": {f"p{index}": {"description": text} for index, text in enumerate(HOSTILE)}},
    "values": {
        "type": "object",
        "properties": {"a": {"enum": HOSTILE}, "b": {"enum": [1e400, -0.0, 10**5000, -7, None, [], True]}},
    },
    "defaults": {"type": "object", "properties": {f"p{index}": {"default": text} for index, text in enumerate(HOSTILE)}},
    "product": {"allOf": [{"anyOf": [{"properties": {f"k{i}{j}": STRING}} for j in range(12)]} for i in range(8)]},
    "deep": {"properties": {"a": {"type": "array", "items": NODE}}, "$defs": {"Node": NODE}},
    "large": {"properties": {f"p{i}": {"properties": {f"q{j}": {"enum": ["a", "b"]} for j in range(30)}} for i in range(300)}},
    "literals": {"properties": {"a": {"enum": [f"value {index}" for index in range(5_000)]}}},
}


def declared(schemas: dict[str, Any], **more: Any) -> list[DeclaredTool]:
    names = list(schemas)
    return [
        DeclaredTool(name, member, more.get("description", ""), schema, more.get("output_schema"))
        for name, member, schema in zip(names, members(names), schemas.values(), strict=True)
    ]


def by_chance() -> list[DeclaredTool]:
    found: list[DeclaredTool] = []

    @settings(
        max_examples=400, derandomize=True, database=None, phases=[Phase.generate], suppress_health_check=[HealthCheck.too_slow]
    )
    @given(schema=schemas | recursive_schemas | json_values, output=st.none() | schemas | recursive_schemas)
    def collect(schema: Any, output: Any) -> None:
        found.append(DeclaredTool("f", f"f{len(found)}", "", schema, output))

    collect()
    return found


def many() -> list[DeclaredTool]:
    schema = {"properties": {f"p{index}": {"type": "string", "description": "x" * 180} for index in range(30)}}
    return declared({f"tool_{index}": schema for index in range(80)})


def words() -> list[DeclaredTool]:
    names = [*WORDS, *HOSTILE]
    return [
        DeclaredTool(name, member, text, SCHEMAS["root"], SCHEMAS["root"])
        for name, member, text in zip(names, members(names), [*HOSTILE, *WORDS], strict=True)
    ]


SERVERS = {
    "any schema as input": DeclaredServer("inputs", "inputs", declared(SCHEMAS)),
    "any schema as output": DeclaredServer(
        "outputs", "outputs", [DeclaredTool("f", f"f{index}", "", {}, schema) for index, schema in enumerate(SCHEMAS.values())]
    ),
    "any words": DeclaredServer("words", "words", words(), methods=SERVER_METHODS),
    "more than a file holds": DeclaredServer("many", "many", many()),
    "schemas found by chance": DeclaredServer("chance", "chance", by_chance()),
} | {name: DeclaredServer(name, member) for name, member in zip(WORDS, members(WORDS), strict=True)}


@pytest.fixture(scope="module")
def said() -> list[str]:
    wrong = "(async () => { const text: string = unwrap(await MCP.inputs.string({a: 1})); return text; });"
    right = "(async () => (await MCP.$api()).servers.map(({server, serverName, tools}) => server + serverName + tools * 2));"
    return compiler_says(list(SERVERS.values()), f"{wrong}\n{right}")


@pytest.mark.parametrize("kind", SERVERS)
def test_the_compiler_takes_the_files_of_any_server_and_a_call_of_each_tool(said: list[str], kind: str) -> None:
    member = SERVERS[kind].member

    assert [line for line in said if line.startswith((f"{member}.", f"{member}_server.", "index.", "error"))] == []


def test_the_compiler_sees_what_is_wrong(said: list[str]) -> None:
    assert said == ["program.ts(1): Type 'unknown' is not assignable to type 'string'."]


def test_tools_beyond_what_a_file_holds_are_declared_briefly() -> None:
    server = SERVERS["more than a file holds"]

    text = server_declaration(server)

    whole = [tool.text.replace("\n", "\n  ") in text for tool in server.tools]
    assert whole == sorted(whole, reverse=True)
    assert 0 < text.count("$api() has its schema.") == whole.count(False) < 40
