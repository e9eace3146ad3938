"""``typing.TypedDict`` in annotations, on every supported Python."""

from __future__ import annotations

import typing
from typing import Annotated, Any, NotRequired

import typing_extensions
from pydantic import ConfigDict, TypeAdapter

from toolcell.catalog.typed_dict import modern


def define(typed_dict: Any) -> Any:
    inner = typed_dict("Inner", {"a": int, "b": NotRequired[str]})
    either = Annotated[inner | None, "note"]  # pyright: ignore[reportInvalidTypeForm]
    outer = typed_dict("Outer", {"inners": list[inner], "either": either}, total=False)
    outer.__pydantic_config__ = ConfigDict(extra="forbid")
    outer.__doc__ = "Text."
    return outer


def test_it_means_what_the_one_of_typing_extensions_means() -> None:
    mapping: Any = dict
    standard, extended = define(typing.TypedDict), define(typing_extensions.TypedDict)

    assert TypeAdapter(modern(mapping[str, standard])).json_schema() == TypeAdapter(mapping[str, extended]).json_schema()


def test_other_annotations_are_returned_as_they_are() -> None:
    annotations = [int, list[int], dict[str, int] | None, Any, Annotated[int, "note"]]

    assert [modern(annotation) for annotation in annotations] == annotations
