"""What the cells of a run see of its MCP servers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from toolcell.catalog import Catalog, Tool
from toolcell.errors import UnknownToolError, UnlistedServerError
from toolcell.mcp import McpMethod, McpTool
from toolcell.mcp import view as module
from toolcell.mcp.declarations import DeclaredTool
from toolcell.mcp.observed import ObservedTypes
from toolcell.mcp.view import McpView

QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}


async def never(*_: object) -> dict[str, Any]:
    """Stands for a server that is not asked."""
    raise NotImplementedError


def tool(name: str, server: str = "my-server", output_schema: Any = None, description: str = "") -> McpTool:
    return McpTool(
        server=server,
        name=name,
        description=description,
        label=None,
        input_schema=QUERY,
        output_schema=output_schema,
        request=never,
    )


def view(tools: Sequence[Tool], servers: Sequence[str] = ("my-server",), **options: Any) -> McpView:
    return McpView(servers, Catalog(tools).tools, **options)


def test_tools_have_a_member_and_their_own_name_and_requests_a_group() -> None:
    tools = [tool("get-file"), tool("plain"), tool("then"), tool("$api"), McpMethod("my-server", "resources/read", never)]
    [(is_mcp, member, name, listed, functions)] = view(tools).namespaces

    assert (is_mcp, member, name, listed) == (True, "myServer", "my-server", True)
    assert [(group, own) for group, _, own, _ in functions] == [
        (None, None),
        (None, "get-file"),
        (None, None),
        (None, None),
        ("resources", None),
    ]
    assert [(id, function) for _, function, _, id in functions][1:3] == [
        ("mcp:my-server:get-file", "getFile"),
        ("mcp:my-server:plain", "plain"),
    ]
    assert functions[3][1].startswith("then_")
    assert functions[4][1:] == ("read", None, "mcp:my-server:resources/read")


def test_servers_keep_their_order_and_those_that_are_not_known_have_no_functions() -> None:
    seen = view([tool("a", "b")], ["down", "b", "b-"], unlisted=["down"])

    assert [row[1:4] for row in seen.namespaces] == [("down", "down", False), ("b", "b", True), (seen.members[2], "b-", True)]
    assert [len(row[4]) for row in seen.namespaces] == [0, 1, 0]
    assert seen.members[2].startswith("b_")


def test_tools_of_a_server_that_is_not_the_runs_own_are_nowhere() -> None:
    seen = view([tool("a", "strange"), tool("b")])

    assert [[function[3] for function in row[4]] for row in seen.namespaces] == [["mcp:my-server:b"]]
    assert "strange" not in str(seen.files)


def test_files_are_the_index_and_one_for_each_server_that_is_known() -> None:
    seen = view([tool("a", "b"), tool("c", "b")], ["z", "down", "b"], unlisted=["down"])

    assert [row[:2] for row in seen.files] == [
        ("mcp/index.d.ts", "Types that all MCP servers share, and their files"),
        ("mcp/b.d.ts", "Tools of MCP.b: 2"),
        ("mcp/z.d.ts", "Tools of MCP.z: 0"),
    ]


def test_without_servers_there_is_no_file() -> None:
    assert (view([], []).files, view([], []).namespaces) == ([], [])


def test_with_servers_of_which_nothing_is_known_there_is_the_index() -> None:
    assert [path for path, _, _ in view([], ["down"], unlisted=["down"]).files] == ["mcp/index.d.ts"]


def test_an_api_has_all_tools_or_one_by_either_of_its_names() -> None:
    seen = view([tool("get-file", description="Gets."), tool("plain")])
    row = {"method": "getFile", "mcpTool": "get-file", "description": "Gets."}

    assert seen.api("my-server", ["get-file"])["tools"] == seen.api("my-server", ["getFile"])["tools"] == [row]
    assert [each["method"] for each in seen.api("my-server", [])["tools"]] == ["getFile", "plain"]
    assert seen.api("my-server", [None])["header"] == seen.files[1][2]
    assert seen.api("my-server", ["plain"])["header"].startswith("export function plain(input: {\n  query: string;\n}")


@pytest.mark.parametrize("options", [None, {}, {"schema": False}, {"schema": "yes"}, "schema", [True]])
def test_an_api_has_schemas_only_if_asked(options: Any) -> None:
    assert "schemas" not in view([tool("a")]).api("my-server", ["a", options])


def test_schemas_have_the_servers_own_names() -> None:
    seen = view([tool("get-file", output_schema={"type": "string"}), tool("plain")])

    assert seen.api("my-server", [None, {"schema": True}])["schemas"] == {
        "get-file": {"inputSchema": QUERY, "outputSchema": {"type": "string"}},
        "plain": {"inputSchema": QUERY},
    }


@pytest.mark.parametrize("name", ["fle", 5, ["a"], {"a": 1}, "x" * 100_000, "mcp:my-server:a", "__proto__"])
def test_a_tool_that_is_not_there_is_an_error_of_bounded_length(name: Any) -> None:
    with pytest.raises(UnknownToolError) as refused:
        view([tool("a"), tool("file")]).api("my-server", [name])

    assert refused.value.code == "unknown_tool"
    assert len(refused.value.message) < 200
    assert refused.value.suggestions == (("file",) if name == "fle" else ())


def test_a_server_that_is_not_there_or_not_known_is_an_error() -> None:
    seen = view([], ["down"], unlisted=["down"])

    with pytest.raises(UnknownToolError, match=r"^there is no MCP server other$"):
        seen.api("other", [])
    with pytest.raises(UnlistedServerError, match=r"^MCP server down can't be reached$"):
        seen.api("down", [])


@pytest.mark.parametrize(
    ("path", "suggestions"),
    [
        ("MCP.myServr", ["MCP.myServer"]),
        ("MCP.myServer.getFiles", ["MCP.myServer.getFile"]),
        ("MCP.nothing.getFile", []),
        ("MCP.myServer.zzz", []),
        ("MCP", []),
        ("namespaces.myServer", []),
    ],
)
def test_a_member_that_is_not_there_is_compared_with_those_that_are(path: str, suggestions: list[str]) -> None:
    assert view([tool("get-file"), tool("plain")]).suggest(path) == suggestions


def test_a_handle_is_described_by_its_declaration_and_schemas() -> None:
    catalog = Catalog([tool("get-file", output_schema={"type": "string"})])
    [entry] = catalog.tools
    described = McpView(["my-server"], catalog.tools).describe(entry)

    assert described == entry.compact() | {
        "declaration": described["declaration"],
        "parameters": QUERY,
        "outputSchema": {"type": "string"},
    }
    assert "export function getFile(" in described["declaration"]


def test_a_declaration_is_made_anew_only_if_something_of_it_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def declare(name: str, *rest: Any) -> DeclaredTool:
        made.append(name)
        return DeclaredTool(name, *rest)

    monkeypatch.setattr(module, "DeclaredTool", declare)
    observed, kept, learned = ObservedTypes(), tool("kept"), tool("learned")
    before = view([kept, learned, tool("changed")], observed=observed)
    first = before.files[1][2]
    observed.learn("my-server", "learned", {"structuredContent": {"n": 1}})
    after = view([kept, learned, tool("changed")], observed=observed, before=before)
    second = after.files[1][2]

    assert ("n: number;" in first, "n: number;" in second) == (False, True)
    assert made == ["changed", "kept", "learned", "changed", "learned"]
