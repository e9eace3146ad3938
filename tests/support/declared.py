"""Programs that call what a declaration file declares, for the TypeScript compiler to check."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from support.node import run_script
from toolcell.catalog.contract import MismatchError, SchemaContract
from toolcell.mcp.declarations import INDEX_PATH, DeclaredServer, index_declaration, server_declaration
from toolcell.values import object_or_empty

_SIMPLE = {"string": "text", "integer": 3, "number": 1.5, "boolean": True, "null": None}
_OF_ARRAYS = frozenset(["items", "prefixItems"])


def compiler_says(servers: Sequence[DeclaredServer], program: str = "", files: Mapping[str, str] | None = None) -> list[str]:
    """What `tsc --strict --noEmit` says of the files of these servers, together with a call of each tool and a program.

    Each line begins with a file: `<member>.d.ts`, the calls in `<member>.ts`, or `program.ts`.

    Args:
        servers: Whose tools are called.
        program: More that the compiler looks at.
        files: Declaration files by path; those of the servers if there are none.
    """
    if files is None:
        files = {INDEX_PATH: index_declaration(servers)} | {server.path: server_declaration(server) for server in servers}
    calls = {f"{server.member}.ts": _calls(server) for server in servers}
    return run_script("types.mjs", {**files, **calls, "program.ts": program})


def _calls(server: DeclaredServer) -> str:
    functions = [f"MCP.{server.member}.{tool.member}" for tool in server.tools]
    arguments = [_argument(tool.input_schema, function) for tool, function in zip(server.tools, functions, strict=True)]
    calls = [f"  unwrap(await {function}({given}, {{raw: true}}));" for function, given in zip(functions, arguments, strict=True)]
    name = f"  const name: {json.dumps(server.name)} = MCP.{server.member}.$serverName;"
    return "\n".join(["(async () => {", name, *calls, "});\n"])


def _argument(schema: Any, function: str) -> str:
    """An object that the schema accepts; where none is found, anything of the declared type."""
    try:
        value = example(schema, schema)
        SchemaContract(schema).accept(value)
    except (MismatchError, ValueError, TypeError, LookupError, AttributeError):
        value = None
    return json.dumps(value) if isinstance(value, dict) else f"undefined! as unknown as Parameters<typeof {function}>[0]"


def example(schema: Any, root: Any, depth: int = 0) -> Any:
    """A value for a schema, often one that it accepts."""
    node: dict[str, Any] = object_or_empty(schema)
    if depth > 8:
        raise LookupError("no example is small")
    if isinstance(reference := node.get("$ref"), str):
        target = root
        for part in reference.split("/")[1:]:
            target = target[int(part) if isinstance(target, list) else part]
        return example(target, root, depth + 1)
    if "const" in node:
        return node["const"]
    if "enum" in node:
        return node["enum"][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if node.get(key):
            return example(node[key][0], root, depth + 1)
    kind: Any = node.get("type")
    kind = kind[0] if isinstance(kind, list) else kind  # pyright: ignore[reportUnknownVariableType]
    if kind == "array" or (kind is None and not _OF_ARRAYS.isdisjoint(node)):
        return [example(item, root, depth + 1) for item in node.get("prefixItems", [node.get("items")])]
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    properties = object_or_empty(node.get("properties"))
    wanted = [name for name in properties if depth < 3 or name in node.get("required", ())]
    return {name: example(properties[name], root, depth + 1) for name in wanted}
