"""The list of tools in the description of ``exec``."""

from __future__ import annotations

from typing import Any

from toolcell.catalog import Catalog, ClientTool, FunctionTool, tool
from toolcell.quick_index import MAX_CUT_INDEX_TOKENS, MAX_INDEX_CHARS, quick_index
from toolcell.token_estimate import estimate_tokens


def same(given: Any) -> Any:
    return given


def host(name: str, *, input: dict[str, Any] | None = None, output: dict[str, Any] | None = None) -> FunctionTool[..., Any]:
    return tool(name=name, description="never shown", input_schema=input, output_schema=output, raw_input=True)(same)


def index(*tools: Any, max_chars: int = MAX_INDEX_CHARS) -> str:
    return quick_index(Catalog(tools).native, max_chars=max_chars)


NO_INPUT: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
STRING = {"type": "string"}


def test_declared_outputs_come_first_then_ids_decide() -> None:
    text = index(
        host("b"),
        host("a"),
        host("d", input=NO_INPUT, output=STRING),
        host("c", output=STRING),
        ClientTool(name="pick"),
    )

    assert text.splitlines() == [
        "- c(unknown) -> string",
        "- d() -> string",
        "- pick(unknown) -> ?",
        "- a(unknown) -> ?",
        "- b(unknown) -> ?",
    ]


def test_the_name_is_the_bare_global() -> None:
    assert index(host("delete")).startswith("- delete_")
    assert index(host("list-all")) == "- list_all(unknown) -> ?"


def test_a_catalog_that_fits_is_listed_whole_to_the_last_character() -> None:
    tools = [host("a"), host("b")]
    whole = index(*tools)

    assert index(*tools, max_chars=len(whole)) == whole
    assert index(*tools, max_chars=len(whole) - 1) != whole


def test_a_line_that_does_not_fit_is_skipped_and_smaller_ones_still_enter() -> None:
    text = index(host("a"), host("b" * 60), host("c"), host("d"), max_chars=120)

    lines = text.splitlines()
    assert lines == ["- a(unknown) -> ?", "- c(unknown) -> ?", "- d(unknown) -> ?", lines[-1]]
    assert lines[-1] == '(1 more: await tools.search("words") finds them)'
    assert len(text) <= 120


def test_a_large_catalog_is_cut_to_the_bound_of_tokens() -> None:
    tools = [host(f"tool_{number:04}", input=NO_INPUT, output=STRING) for number in range(2_000)]

    text = index(*tools)

    listed = text.count("\n")
    assert MAX_CUT_INDEX_TOKENS - 40 < estimate_tokens(text) <= MAX_CUT_INDEX_TOKENS
    assert text.endswith(f'({2_000 - listed} more: await tools.search("words") finds them)')


def test_a_large_catalog_of_long_common_words_is_cut_to_the_bound_of_characters() -> None:
    tools = [host("_".join(["notification"] * 8) + f"_{number:03}", input=NO_INPUT, output=STRING) for number in range(200)]

    assert MAX_INDEX_CHARS - 200 < len(index(*tools)) <= MAX_INDEX_CHARS


def test_a_catalog_that_fits_is_listed_whole_whatever_its_tokens() -> None:
    tools = [host(f"{number}" + "東京" * 20) for number in range(100)]

    text = index(*tools)

    assert (text.count("\n"), estimate_tokens(text) > MAX_CUT_INDEX_TOKENS) == (99, True)


def test_equal_catalogs_give_equal_text_whatever_the_order_of_tools() -> None:
    tools = [host("a"), host("b", output=STRING), host("c")]

    assert index(*tools) == index(*tools[::-1])


def test_an_empty_catalog_has_no_index() -> None:
    assert index() == ""
