"""A run's hidden list of tools."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from pydantic import BaseModel

from toolcell.catalog import Catalog, ClientTool, Document, FunctionTool, Tool, tool
from toolcell.errors import ToolDefinitionError, UnknownToolError
from toolcell.mcp import McpMethod, McpTool


def same(given: Any) -> Any:
    return given


def host(name: str, **options: Any) -> FunctionTool[..., Any]:
    return tool(name=name, raw_input=True, **options)(same)


async def request(*_: Any) -> dict[str, Any]:
    return {"content": []}


def remote(server: str, name: str, description: str = "") -> McpTool:
    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    return McpTool(
        server=server, name=name, description=description, label=None, input_schema=schema, output_schema={}, request=request
    )


def ids(catalog: Catalog) -> list[str]:
    return [entry.id for entry in catalog.tools]


def names(entries: Iterable[dict[str, Any]]) -> list[str]:
    return [entry["name"] for entry in entries]


def test_the_order_is_core_bundled_external_mcp_client_and_by_name_inside() -> None:
    tools: list[Tool] = [
        ClientTool(name="a"),
        remote("srv", "a"),
        host("b", plugin="ext"),
        host("a", plugin="zip", bundled=True),
        host("z"),
        host("b"),
        ClientTool(name="b", app="desk"),
        host("a", plugin="ext"),
    ]

    expected = [
        "host:core:b",
        "host:core:z",
        "host:zip:a",
        "host:ext:a",
        "host:ext:b",
        "mcp:srv:a",
        "client:app:a",
        "client:desk:b",
    ]
    assert ids(Catalog(tools)) == expected
    assert ids(Catalog(tools[::-1])) == expected


def test_the_host_label_is_the_source_of_core_and_plugin_ids() -> None:
    catalog = Catalog([host("a"), host("b", plugin="p"), ClientTool(name="c")], host_label="openclaw")

    assert ids(catalog) == ["openclaw:core:a", "openclaw:p:b", "client:app:c"]
    assert [entry.compact()["source"] for entry in catalog.tools] == ["openclaw", "openclaw", "client"]


def test_two_tools_with_one_id_are_refused_by_name() -> None:
    with pytest.raises(ToolDefinitionError, match="two tools have the id host:core:a; rename one") as refused:
        Catalog([host("a"), host("a"), host("b")])

    assert refused.value.tool == "host:core:a"


@pytest.mark.parametrize("name", ["tool_search_code", "tool_search", "tool_describe", "tool_call"])
def test_controls_of_other_searches_are_never_catalogued(name: str) -> None:
    assert ids(Catalog([host(name), host("kept")])) == ["host:core:kept"]


def test_direct_only_tools_are_never_catalogued() -> None:
    assert ids(Catalog([host("screenshot", direct_only=True), host("kept")])) == ["host:core:kept"]


def test_the_hosts_own_shell_tool_called_exec_is_catalogued() -> None:
    catalog = Catalog([host("exec"), host("b")])

    assert (ids(catalog), catalog.resolve("exec").bare_name, catalog.shell_tool) == (
        ["host:core:b", "host:core:exec"],
        "exec",
        "exec",
    )


def test_without_a_shell_tool_there_is_none_to_name() -> None:
    assert Catalog([host("b")]).shell_tool is None


class Shipment(BaseModel):
    """A shipment."""

    id: str
    total: float


@tool(label="Shipments", plugin="shop")
def shipping_list(unpaid: bool = False) -> list[Shipment]:
    """List shipments."""
    return []


def test_a_compact_entry_shows_hints_but_no_schemas() -> None:
    catalog = Catalog([shipping_list, host("raw", description="Raw.")])

    assert [entry.compact() for entry in catalog.tools] == [
        {"id": "host:core:raw", "name": "raw", "description": "Raw.", "source": "host", "input": "unknown"},
        {
            "id": "host:shop:shipping_list",
            "name": "shipping_list",
            "label": "Shipments",
            "description": "List shipments.",
            "source": "host",
            "sourceName": "shop",
            "input": "{unpaid?: boolean}",
            "output": "{id: string; total: number}[]",
        },
    ]


def test_describe_adds_parameters_and_for_trusted_tools_the_output_schema() -> None:
    catalog = Catalog([shipping_list, ClientTool(name="pick", input_schema={"type": "object"})])
    trusted, client = catalog.tools

    assert catalog.describe(trusted) == trusted.compact() | {
        "parameters": shipping_list.input_schema,
        "outputSchema": shipping_list.output_schema,
    }
    assert catalog.describe(client) == client.compact() | {"parameters": {"type": "object"}}


def test_schemas_of_strangers_are_never_hints_and_their_words_are_cut() -> None:
    catalog = Catalog([remote("srv", "find", "x" * 600), ClientTool(name="pick", input_schema={"type": "object"})])

    found = [entry.compact() for entry in catalog.tools]
    assert [(entry["input"], "output" in entry, len(entry["description"])) for entry in found] == [
        ("unknown", False, 512),
        ("unknown", False, 0),
    ]


def test_an_output_that_may_hold_foreign_text_is_not_promised() -> None:
    page = host("page", output_schema={"type": "string"}, untrusted_output=True)

    assert "output" not in Catalog([page]).tools[0].compact()


def test_an_open_or_large_output_shows_no_arrow_but_is_described() -> None:
    opened = host("opened", output_schema={"type": "object"})
    large = host("large", output_schema={"enum": [f"value {index:040}" for index in range(20)]})
    catalog = Catalog([opened, large])

    assert [("output" in entry.compact(), "outputSchema" in entry.describe()) for entry in catalog.tools] == [(False, True)] * 2


def test_native_rows_carry_names_and_the_compact_entry() -> None:
    catalog = Catalog([host("delete-it", description="lone \ud800"), host("search")])

    rows = catalog.native_rows()
    assert [row[:3] for row in rows] == [
        ("host:core:delete-it", "delete_it", "delete_it"),
        ("host:core:search", None, "search"),
    ]
    assert json.loads(rows[0][3]) == catalog.tools[0].compact() | {"description": "lone ?"}


def test_mcp_tools_are_called_by_no_name_and_found_by_handles_alone() -> None:
    catalog = Catalog([remote("srv", "find"), host("find")])

    assert ids(catalog) == ["host:core:find", "mcp:srv:find"]
    assert [row[0] for row in catalog.native_rows()] == ["host:core:find"]
    assert [names(catalog.search(query, 8)) for query in ("find", "mcp:srv:find", "")] == [["find"]] * 3
    assert [entry["id"] for entry in catalog.search("find", 8, with_mcp=True)] == ["host:core:find", "mcp:srv:find"]


@pytest.mark.parametrize("target", ["mcp:srv:search_all", "search_all", "mcp:srv:resources/read"])
def test_an_mcp_tool_is_unknown_under_its_id_and_suggested_to_nobody(target: str) -> None:
    catalog = Catalog([remote("srv", "search_all"), host("kept")])

    with pytest.raises(UnknownToolError) as refused:
        catalog.resolve(target)

    assert (refused.value.code, refused.value.suggestions) == ("unknown_tool", ())


def test_functions_of_mcp_servers_are_resolved_by_exact_id_and_call_nothing_else() -> None:
    catalog = Catalog([remote("srv", "find"), host("find")], unlisted=["down"])

    assert catalog.resolve_mcp("mcp:srv:find").id == "mcp:srv:find"
    for id, refusal in [
        ("mcp:srv:fin", "unknown_tool"),
        ("find", "unknown_tool"),
        ("host:core:find", "unknown_tool"),
        ("mcp:down:find", "server_unavailable"),
    ]:
        with pytest.raises(UnknownToolError) as refused:
            catalog.resolve_mcp(id)
        assert refused.value.code == refusal


def test_requests_of_the_protocol_have_ids_and_are_neither_counted_nor_found() -> None:
    method = McpMethod("srv", "resources/read", request)
    catalog = Catalog([remote("srv", "find"), method])

    assert (ids(catalog), len(catalog)) == (["mcp:srv:find", "mcp:srv:resources/read"], 1)
    assert names(catalog.search("resources/read", 8, with_mcp=True)) == []


def test_sources_count_the_tools() -> None:
    catalog = Catalog([host("a"), host("b", plugin="p"), remote("srv", "c"), ClientTool(name="d")])

    assert (catalog.sources, len(catalog)) == ({"host": 2, "mcp": 1, "client": 1}, 4)


def test_a_tool_is_found_by_id_unique_name_and_function_name() -> None:
    catalog = Catalog([host("delete"), host("list-all"), host("a", plugin="x"), host("a", plugin="y")])
    bare = catalog.resolve("delete").bare_name
    assert bare is not None

    targets = ["host:core:delete", "delete", bare, "list-all", "list_all", "host:y:a"]
    assert [catalog.resolve(target).id for target in targets] == [
        "host:core:delete",
        "host:core:delete",
        "host:core:delete",
        "host:core:list-all",
        "host:core:list-all",
        "host:y:a",
    ]


@pytest.mark.parametrize(
    ("target", "suggestions"),
    [
        ("shiping_list", ("shipping_list",)),
        ("ShippingList", ("shipping_list",)),
        ("list of shipments", ("shipping_list",)),
        ("a", ("host:x:a", "host:y:a")),
        ("host:core:a", ()),
        ("zzz", ()),
        ("", ()),
    ],
)
def test_an_unknown_name_gives_up_to_three_suggestions(target: str, suggestions: tuple[str, ...]) -> None:
    catalog = Catalog([shipping_list, host("a", plugin="x"), host("a", plugin="y")])

    with pytest.raises(UnknownToolError) as refused:
        catalog.resolve(target)

    assert (refused.value.target, refused.value.suggestions) == (target, suggestions)
    assert all(suggestion in refused.value.message for suggestion in suggestions)


def test_a_query_of_any_length_is_read_up_to_a_bound() -> None:
    catalog = Catalog([shipping_list, host("other")])

    assert names(catalog.search("unpaid " + "x" * 1_000_000 + " other", 8)) == ["shipping_list"]
    assert catalog.suggest("s" * 1_000_000) == []


def test_suggestions_are_at_most_three() -> None:
    catalog = Catalog([host(f"report_{index}") for index in range(9)])

    assert len(catalog.suggest("report")) == 3


def test_an_exact_name_comes_first_in_a_search() -> None:
    catalog = Catalog([host("list", description="x"), host("list_list_list", description="list"), host("other")])

    assert names(catalog.search("list", 8)) == ["list", "list_list_list"]
    assert names(catalog.search("HOST:core:Other", 1)) == ["other"]


def test_an_empty_query_lists_the_catalog_in_its_order() -> None:
    catalog = Catalog([host("b"), host("a"), host("c")])

    assert (names(catalog.search("  ", 2)), names(catalog.search("", 9))) == (["a", "b"], ["a", "b", "c"])


def test_parameter_names_are_searched() -> None:
    assert names(Catalog([shipping_list, host("other")]).search("unpaid", 8)) == ["shipping_list"]


def test_changing_the_tools_indexes_only_what_differs() -> None:
    kept, dropped = host("kept", description="apple"), host("dropped", description="apple")
    ranker = Backwards()
    catalog = Catalog([kept, dropped], ranker=ranker)
    catalog.search("apple", 8)

    changed = catalog.changed_to([kept, host("added")])

    assert ranker.ids == ["host:core:kept", "host:core:added"]
    assert names(changed.search("anything", 8)) == ["kept", "added"]


def test_tools_changed_before_the_first_search_are_indexed_then() -> None:
    changed = Catalog([host("old")]).changed_to([host("new", description="apple")])

    assert names(changed.search("apple old", 8)) == ["new"]


class Backwards:
    """Ranks by id, last first."""

    def __init__(self) -> None:
        self.ids: list[str] = []

    def add(self, documents: Sequence[Document]) -> None:
        self.ids += [document.id for document in documents]

    def remove(self, ids: Iterable[str]) -> None:
        self.ids = [id for id in self.ids if id not in set(ids)]

    def rank(self, query: str, limit: int) -> Sequence[str]:
        return sorted(self.ids, reverse=True)[:limit]


def test_a_host_may_bring_its_own_ranker() -> None:
    catalog = Catalog([host("a"), host("b"), host("c")], ranker=Backwards())

    assert names(catalog.search("anything", 2)) == ["c", "b"]
