"""Checks against JSON Schema and Python types."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

from toolcell.catalog.contract import MismatchError, SchemaContract, TypeContract, jsonable

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "ages": {"type": "array", "items": {"type": "integer"}}},
    "required": ["name"],
    "additionalProperties": False,
}


class Person(BaseModel):
    name: str
    born: date | None = None


def test_what_fits_a_schema_is_passed_on() -> None:
    value = {"name": "Ana", "ages": [1, 10**30]}

    assert SchemaContract(PERSON).accept(value) is value


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ({}, ['"name" is a required property']),
        ({"name": "Ana", "ages": [1, "x"]}, ['ages[1]: "x" is not of type "integer"']),
        ([], ['[] is not of type "object"']),
    ],
)
def test_a_mismatch_says_where_and_what(value: Any, problems: list[str]) -> None:
    with pytest.raises(MismatchError) as refused:
        SchemaContract(PERSON).accept(value)

    assert refused.value.problems == problems


def test_only_the_first_problems_are_told() -> None:
    with pytest.raises(MismatchError) as refused:
        SchemaContract(PERSON).accept({"name": "Ana", "ages": ["x"] * 9})

    assert (len(refused.value.problems), refused.value.problems[-1]) == (6, "and more")


def test_python_values_are_compared_in_their_json_form() -> None:
    schema = {"type": "array", "items": PERSON | {"properties": {"name": {"type": "string"}, "born": {}}}}

    accepted = SchemaContract(schema).accept([Person(name="Ana", born=date(2000, 1, 2))])

    assert accepted == [{"name": "Ana", "born": "2000-01-02"}]


@pytest.mark.parametrize("schema", [{"type": "nope"}, {"properties": []}, {"$ref": "#/$defs/missing"}, {"pattern": "("}])
def test_a_broken_schema_does_not_compile(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        SchemaContract(schema).compile()


def test_references_never_leave_the_document(tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"type": "string"}')

    with pytest.raises(ValueError, match="references to other documents are not followed"):
        SchemaContract({"$ref": secret.as_uri()}).compile()


def test_a_type_accepts_its_instances_and_what_describes_them() -> None:
    contract = TypeContract(TypeAdapter(list[Person]), {"type": "array"})

    accepted = contract.accept([Person(name="Ana", born=date(2000, 1, 2)), {"name": "Bo"}])

    assert accepted == [{"name": "Ana", "born": "2000-01-02"}, {"name": "Bo", "born": None}]


def test_a_type_accepts_what_already_is_its_json_form() -> None:
    contract = TypeContract(TypeAdapter(Person), {"required": ["label"], "properties": {"label": {"type": "string"}}})

    assert contract.accept({"label": "x"}) == {"label": "x"}


@pytest.mark.parametrize("value", [b"x", bytearray(b"x"), object(), {1: object()}.values()])
def test_what_has_no_json_form_is_a_mismatch(value: Any) -> None:
    with pytest.raises(MismatchError):
        jsonable(value)
