"""What the model sees of code mode: the tools ``exec`` and ``wait``, and the proof that it sees nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, cast

from toolcell.catalog.catalog import NEVER_CATALOGUED, Catalog
from toolcell.catalog.tool import Tool
from toolcell.config import MIB, CodeModeConfig
from toolcell.errors import SurfaceError
from toolcell.quick_index import quick_index
from toolcell.token_estimate import estimate_tokens
from toolcell.values import JsonSchema, object_or_empty

MAX_TITLE_CHARS = 120
MAX_SERVER_NAMES_TOKENS = 150
"""Tokens, as estimated, of the names of MCP servers in the description of ``exec``; the first one always stands there."""

_LANGUAGE_NAMES = {"javascript": "JavaScript", "typescript": "TypeScript"}

_EXEC = """\
Run one {languages} program (a cell) that calls tools and returns only what matters. It runs in a sandbox: no modules, \
network, files or process; {seconds:g} s and {mebibytes} MiB at most.
The cell is the body of an async function: top-level `await` and `return` work. Every tool is an async function that \
takes one object: `const r = await name({{...}})`. Start independent calls together with `Promise.all`; join, filter \
and count in the cell and return a small JSON value. A failed call throws a ToolError with message, code and tool.
Besides: `await tools.search("words", {{limit}})` finds tools, `await tools.describe(name)` gives schemas, \
`await tools.callValue(name, input)` calls by name, `await tools.call(name, input)` gives {{tool, result}}, ALL_TOOLS \
is the list. `text(v)` and `json(v)` emit output, `await yield_control(reason)` pauses the cell.
`-> ?` is a result of unknown shape: return it raw first, look at it, transform it in a later cell; also when a \
declared result feeds a `-> ?` call.
A result with status "waiting" is continued by `wait` with its runId. After a failure, don't repeat what `calls` lists \
as ok."""

_MCP = """\
MCP servers, each with functions of its own: {servers}. Look before you call: `API.list()` names their declaration files, \
`API.read("mcp/<server>.d.ts")` shows one, `await catalog.search("words")` finds functions of all. \
`await MCP.<server>.<tool>({{...}})` gives {{content, structuredContent?}}, `unwrap(result)` its data; an error throws."""


_WAIT = """\
Continue a cell that returned status "waiting". Blocks until something it waits for is there or the time is over, and \
returns a result like that of exec."""


@dataclass(frozen=True, slots=True)
class ModelTool:
    """A tool as an adapter gives it to a model provider."""

    name: str
    description: str
    input_schema: JsonSchema

    @classmethod
    def of(cls, tool: Tool) -> ModelTool:
        """A tool that the model calls directly."""
        schema = tool.input_schema or {"type": "object", "properties": {}}
        return cls(tool.name, tool.description, schema)


class Surface:
    """What the model of an engaged run sees. Equal catalogs and options give equal bytes.

    Args:
        catalog: The run's catalog.
        config: The run's options.
        direct_tools: Direct-only tools, shown after ``exec`` and ``wait`` in their own order; controls of other tool
            searches are left out.
        mcp_members: How cells name the configured MCP servers. Nothing that a server says has a part in the surface.
    """

    def __init__(
        self,
        catalog: Catalog,
        config: CodeModeConfig,
        direct_tools: Iterable[Tool] = (),
        *,
        mcp_members: Sequence[str] = (),
    ) -> None:
        self._catalog = catalog
        self._config = config
        self._mcp_members = tuple(mcp_members)
        self._direct = tuple(ModelTool.of(tool) for tool in direct_tools if tool.name not in NEVER_CATALOGUED)

    @cached_property
    def model_tools(self) -> tuple[ModelTool, ...]:
        """``exec``, ``wait`` and the direct-only tools."""
        return self._tools(strict=False)

    @cached_property
    def strict_model_tools(self) -> tuple[ModelTool, ...]:
        """The same for providers that want every property required; ``null`` means absent."""
        return self._tools(strict=True)

    @cached_property
    def description(self) -> str:
        """Description of ``exec``, quick index included."""
        config, catalog = self._config, self._catalog
        parts = [
            _EXEC.format(
                languages=" or ".join(_LANGUAGE_NAMES[language] for language in config.languages),
                seconds=config.timeout_ms / 1000,
                mebibytes=config.memory_limit_bytes // MIB,
            )
        ]
        if self._mcp_members:
            parts.append(_MCP.format(servers=_named([f"MCP.{member}" for member in self._mcp_members])))
        if index := quick_index(catalog.native):
            parts.append(f"Tools:\n{index}")
        return "\n".join(parts)

    def assert_payload(self, payload: object) -> None:
        """Check that a provider payload shows exactly one ``exec``, one ``wait`` and only direct-only tools of the run.

        Args:
            payload: A request, or its list of tools, in the shape of OpenAI (chat, responses), Anthropic, Google or
                Bedrock, or a list of `ModelTool`. Tools that the provider hosts itself are not looked at.

        Raises:
            SurfaceError: it doesn't; the message names the tools.
        """
        assert_surface(payload, direct=[tool.name for tool in self._direct])

    def _tools(self, *, strict: bool) -> tuple[ModelTool, ...]:
        return (
            ModelTool("exec", self.description, exec_schema(self._config, strict=strict)),
            ModelTool("wait", _WAIT, wait_schema()),
            *self._direct,
        )


def _named(servers: Sequence[str]) -> str:
    """Name servers one after the other as long as there is room, and count the others."""
    tokens = accumulate(estimate_tokens(f"{name}, ") for name in servers)
    named = max(1, sum(total <= MAX_SERVER_NAMES_TOKENS for total in tokens))
    more = [f"{len(servers) - named} more"] if named < len(servers) else []
    return ", ".join([*servers[:named], *more])


def exec_schema(config: CodeModeConfig, *, strict: bool = False) -> JsonSchema:
    """Return the flat input schema of ``exec``; in the strict variant all is required and ``null`` means absent."""
    languages: list[str | None] = list(config.languages)
    optional: dict[str, JsonSchema] = {
        "language": {"type": "string", "enum": languages, "description": f"Default: {languages[0]}."},
        "restartSafe": {"type": "boolean", "description": "Allow only calls that may be repeated after a restart."},
        "title": {
            "type": "string",
            "description": f"What the cell does, for people; up to {MAX_TITLE_CHARS} characters.",
        },
    }
    if strict:
        optional["language"]["enum"] = [*languages, None]
        for schema in optional.values():
            schema["type"] = [schema["type"], "null"]
    properties = {"code": {"type": "string", "description": "The program."}, **optional}
    return _object(properties, list(properties) if strict else ["code"])


def wait_schema() -> JsonSchema:
    """Return the flat input schema of ``wait``; it has one property, so the strict variant is the same."""
    return _object({"runId": {"type": "string", "description": "From the waiting result."}}, ["runId"])


def assert_surface(payload: object, *, direct: Iterable[str] = ()) -> None:
    """Check the tools of a provider payload; see `Surface.assert_payload`.

    Args:
        payload: The request, or its list of tools.
        direct: Names of the tools that may stand beside ``exec`` and ``wait``.

    Raises:
        SurfaceError: not exactly one ``exec``, one ``wait`` and such tools.
    """
    count = Counter(_tool_names(payload))
    problems = [f"{name} is there {count[name]} times instead of once" for name in ("exec", "wait") if count[name] != 1]
    if strange := sorted(set(count) - {"exec", "wait", *direct}):
        problems.append(f"{', '.join(strange)} must not be shown: only exec, wait and direct-only tools may")
    if problems:
        raise SurfaceError(f"the payload's tools are wrong: {'; '.join(problems)}; send run.model_tools")


def _object(properties: dict[str, JsonSchema], required: list[str]) -> JsonSchema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _tool_names(payload: object) -> list[str]:
    names: list[str] = []
    for item in _tool_list(payload):
        node = object_or_empty(item)
        declared = node.get("functionDeclarations", node.get("function_declarations"))
        if isinstance(declared, Sequence):
            names += _tool_names(cast("Sequence[object]", declared))
        elif not _is_hosted(node):
            names.append(_tool_name(item, node))
    return names


def _tool_list(payload: object) -> Sequence[object]:
    """Find the list of tools in a request of any provider."""
    node = object_or_empty(payload)
    tools: object = payload
    if node:
        nested = [object_or_empty(node.get(key)) for key in ("toolConfig", "config", "body")]
        holders = [node, *nested]
        tools = next((holder["tools"] for holder in holders if "tools" in holder), None)
    if not isinstance(tools, Sequence) or isinstance(tools, (str, bytes)):
        raise SurfaceError("the payload has no list of tools; give the request or its tools")
    return cast("Sequence[object]", tools)


def _is_hosted(node: dict[str, Any]) -> bool:
    """Whether the provider runs this tool itself: it has a type of its own and no schema."""
    has_schema = any(key in node for key in ("function", "parameters", "input_schema", "inputSchema", "toolSpec"))
    return node.get("type", "function") not in ("function", "custom") and not has_schema


def _tool_name(item: object, node: dict[str, Any]) -> str:
    inner = node.get("function", node.get("toolSpec", node))
    name = object_or_empty(inner).get("name") if node else getattr(item, "name", None)
    if not isinstance(name, str):
        raise SurfaceError("the payload holds a tool without a name; use one of the known shapes")
    return name
