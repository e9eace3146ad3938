"""Declaration files of MCP servers: TypeScript that a model reads and a compiler takes, whatever the servers said."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from toolcell.catalog.recursive_types import RecursiveTypes
from toolcell.catalog.typescript import OPEN_OBJECT, TooLongError, TypeRenderer, required_names
from toolcell.catalog.typescript_text import comment_text, literal
from toolcell.mcp.shared_types import SERVER_API, SERVER_METHODS, SHARED_TYPES
from toolcell.mcp.tool import MAX_DEFAULTS_DEPTH
from toolcell.values import JsonSchema, object_or_empty

INDEX_PATH = "mcp/index.d.ts"

MAX_TOOL_CHARS = 8_000
"""Longest declaration of one tool; ``unknown`` stands for what is left out."""
MAX_FILE_CHARS = 400_000
"""Length of a server's file from which on tools are declared without texts and types."""
_MAX_INPUT_CHARS = 5_000
"""Longest input type of a tool that has an output type too."""
_MAX_FRAME_CHARS = 1_800
"""All of a tool's declaration but its types: doc comment, and the member twice or more."""
_MAX_DESCRIPTION_CHARS = 512
_MAX_NAME_CHARS = 256

_DETAIL = (
    (40, 400, True),
    (6, 200, True),
    (4, 100, True),
    (3, 60, False),
    (2, 60, False),
    (1, 150, False),
    (1, 40, False),
    (1, 8, False),
)
"""Levels, properties of an object, texts: what is written of a type is the first of these that fits."""
_COMBINED = frozenset(["$ref", "allOf", "anyOf", "oneOf"])

_RESERVED_WORDS = """
    arguments await break case catch class const continue debugger default delete do else enum eval export extends false
    finally for function if implements import in infer instanceof interface keyof let new null package private protected public
    readonly return static super switch this throw true try typeof undefined unique var void while with yield
"""
_NO_FUNCTION_NAMES = frozenset(_RESERVED_WORDS.split())


@dataclass(frozen=True)
class DeclaredTool:
    """A tool as a declaration file shows it. Its words and schemas may be anything."""

    name: str
    """As the server spells it."""
    member: str
    """As a cell does."""
    description: str
    input_schema: Any
    output_schema: Any = None
    observed: JsonSchema | None = None
    """What results looked like so far; shown if there is no ``output_schema``."""

    @cached_property
    def text(self) -> str:
        """Its declaration, at most `MAX_TOOL_CHARS` long."""
        return _declare(self)

    @property
    def brief(self) -> str:
        """Its declaration without texts and types."""
        return replace(self, description="$api() has its schema.", input_schema=None, output_schema=None, observed=None).text


@dataclass(frozen=True)
class DeclaredServer:
    """A server as declaration files show it, with the tools that a run may see."""

    name: str
    """As the host spells it."""
    member: str
    """As a cell does: an identifier."""
    tools: Sequence[DeclaredTool] = ()
    methods: Collection[str] = ()
    """Requests of the protocol that the run may see, such as ``resources/read``."""

    @property
    def path(self) -> str:
        """Path of its file; none is that of the index."""
        return f"mcp/{self.member}.d.ts" if self.member != "index" else "mcp/index_server.d.ts"


def index_declaration(servers: Sequence[DeclaredServer]) -> str:
    """Return the file with the types that all servers share; it names the servers and their files."""
    files = [f"// MCP.{server.member}: {_count(len(server.tools))}, {server.path}\n" for server in servers]
    return f"// The MCP servers of this run. All of this is global: import nothing.\n{''.join(files)}\n{SHARED_TYPES}"


def server_declaration(server: DeclaredServer) -> str:
    """Return the file of one server: a namespace with a function for each tool.

    Once it is longer than `MAX_FILE_CHARS`, further tools are declared without texts and types.
    """
    name = literal(server.name)
    parts = [f"export const $serverName: {name};\n{SERVER_API}"]
    chars = 0
    for tool in server.tools:
        text = tool.text if chars < MAX_FILE_CHARS else tool.brief
        chars += len(text)
        parts.append(text)
    parts += filter(None, (_methods(server, group) for group in ("resources", "prompts")))
    body = "".join(f"\n  {line}" if line else "\n" for line in "\n\n".join(parts).split("\n"))
    return (
        f"// MCP server {comment_text(name, _MAX_NAME_CHARS)}; {INDEX_PATH} has the types that it shares with others.\n"
        "// A call throws ToolError if its result has isError; with {raw: true} it returns that result.\n"
        f"declare namespace MCP.{server.member} {{{body}\n}}\n"
    )


def _methods(server: DeclaredServer, group: str) -> str:
    named = [text for method, text in SERVER_METHODS.items() if method in server.methods and method.startswith(f"{group}/")]
    functions = "".join(f"\n  export function {text}" for text in named)
    return f"export namespace {group} {{{functions}\n}}" if named else ""


def _declare(tool: DeclaredTool) -> str:
    function = f"_{tool.member}" if tool.member in _NO_FUNCTION_NAMES else tool.member
    output, note = (tool.output_schema, "") if tool.output_schema is not None else (tool.observed, "/** observed */ ")
    limit = MAX_TOOL_CHARS - _MAX_FRAME_CHARS
    input_limit = limit if output is None else _MAX_INPUT_CHARS
    input, recursive = _fitting(_input_schema(tool.input_schema), "Input", RecursiveTypes(function), input_limit)
    result = "McpToolResult"
    if output is not None:
        left = limit - len(input) - len(_aliases(recursive))
        type, recursive = _fitting(output, "Output", recursive, left)
        result = f"McpToolResult<{note}{type}>"
    lines = [f"/** {doc} */"] if (doc := _doc(tool)) else []
    mark = "" if _needs_input(tool.input_schema) else "?"
    input = OPEN_OBJECT if input == "unknown" else input
    lines.append(f"export function {function}(input{mark}: {input}, options?: {{raw?: boolean}}): Promise<{result}>;")
    if recursive.texts:
        lines.append(f"export namespace {function} {{\n{_aliases(recursive)}}}")
    if function != tool.member:
        lines.append(f"export {{ {function} as {tool.member} }};")
    return "\n".join(lines)


def _fitting(schema: Any, name: str, known: RecursiveTypes, max_chars: int) -> tuple[str, RecursiveTypes]:
    """Render a type with as much detail as fits; return it and ``known`` with what it needs declared beside it."""
    for depth, properties, texts in _DETAIL:
        recursive = known.copy()
        renderer = TypeRenderer(
            schema,
            max_chars=max_chars,
            max_depth=depth,
            max_properties=properties,
            recursive=recursive,
            root_name=name,
            texts=texts,
            filled_depth=MAX_DEFAULTS_DEPTH if name == "Input" else 0,
        )
        try:
            text = renderer.render().text
        except TooLongError:
            continue
        if len(text) + len(_aliases(recursive)) - len(_aliases(known)) <= max_chars:
            return text, recursive
    return "unknown", known


def _aliases(recursive: RecursiveTypes) -> str:
    return "".join(
        f"  export type {name} = {text};\n".replace("\n", "\n  ", text.count("\n")) for name, text in recursive.texts.items()
    )


def _doc(tool: DeclaredTool) -> str:
    """Say what the tool is, and first how the server spells its name if cells spell it otherwise."""
    description = comment_text(tool.description, _MAX_DESCRIPTION_CHARS)
    name = "" if tool.name == tool.member else comment_text(tool.name, _MAX_NAME_CHARS)
    return f"{name}: {description}" if name and description else name or description


def _input_schema(schema: Any) -> Any:
    """Return the schema of an input if it is one of objects, as every input is; else one that says nothing."""
    node = object_or_empty(schema)
    kind = node.get("type", "object")
    return node if kind == "object" or (isinstance(kind, list) and "object" in kind) else None


def _needs_input(schema: Any) -> bool:
    node = object_or_empty(schema)
    if not _COMBINED.isdisjoint(node):
        return True
    properties = object_or_empty(node.get("properties"))
    return any("default" not in object_or_empty(properties.get(name)) for name in required_names(node))


def _count(tools: int) -> str:
    return "1 tool" if tools == 1 else f"{tools} tools"
