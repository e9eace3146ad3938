"""The public surface: what is exported, documented, mapped and typed."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any, get_args

import pytest

import toolcell
from toolcell import _native, errors, results, store, testing
from toolcell.runtime.failures import GUEST_FAILURES

STUB = ast.parse(Path(toolcell.__file__).with_name("_native.pyi").read_text(encoding="utf-8"))


def stub_names(nodes: list[ast.stmt]) -> set[str]:
    named = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return named | {node.target.id for node in nodes if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}


def public(module: Any) -> list[str]:
    return [name for name in dir(module) if name in module.__dict__ and not name.startswith("_")]


def test_everything_exported_exists_and_is_sorted() -> None:
    assert [name for name in toolcell.__all__ if not hasattr(toolcell, name)] == []
    assert list(toolcell.__all__) == sorted(toolcell.__all__)


@pytest.mark.parametrize("name", ["CodeMode", "Run", "CellResult", "Scope", "Policy", "ClientTool", "ToolResult", "McpServer"])
def test_the_names_of_the_contract_are_exported(name: str) -> None:
    assert name in toolcell.__all__


@pytest.mark.parametrize(
    "name",
    [name for name in toolcell.__all__ if inspect.isroutine(getattr(toolcell, name)) or inspect.isclass(getattr(toolcell, name))],
)
def test_every_exported_thing_and_its_methods_have_a_docstring(name: str) -> None:
    thing = getattr(toolcell, name)
    methods = (
        [member for key, member in vars(thing).items() if not key.startswith("_") and inspect.isfunction(member)]
        if (inspect.isclass(thing))
        else []
    )

    assert [getattr(item, "__qualname__", item) for item in [thing, *methods] if not inspect.getdoc(item)] == []


def test_every_exception_is_exported() -> None:
    raised = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}

    assert raised - set(toolcell.__all__) == set()


def test_the_stores_and_test_helpers_are_where_the_contract_says() -> None:
    assert {"MemoryStore", "SqliteStore", "ContinuationStore"} <= set(store.__all__)
    assert hasattr(testing, "FakeExecutor")


def test_the_stub_and_the_native_module_name_the_same_things() -> None:
    exported = {name for name in public(_native)} | {"__version__"}

    assert stub_names(STUB.body) - {"Event"} == exported - {"Event"}


@pytest.mark.parametrize("node", [node for node in STUB.body if isinstance(node, ast.ClassDef)], ids=lambda node: node.name)
def test_the_stub_and_each_native_class_have_the_same_members(node: ast.ClassDef) -> None:
    members = {name for name in public(getattr(_native, node.name))}
    inherited = {name for name in dir(Exception) if not name.startswith("_")}

    assert stub_names(node.body) - {"__new__"} == members - inherited


def test_every_reason_of_a_worker_has_a_code() -> None:
    documented = next(
        ast.literal_eval(node.body[index + 1].value)  # type: ignore[attr-defined]
        for node in STUB.body
        if isinstance(node, ast.ClassDef) and node.name == "Failed"
        for index, member in enumerate(node.body)
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name) and member.target.id == "reason"
    )

    assert {reason for reason in GUEST_FAILURES if f"``{reason}``" not in documented} == set()
    assert documented.count("``") // 2 == len(GUEST_FAILURES)


def test_codes_and_reasons_are_the_contracts() -> None:
    assert len(get_args(results.ErrorCode)) == 7
    assert {code for code, _, _ in GUEST_FAILURES.values()} <= set(get_args(results.ErrorCode))
    assert {reason for _, reason, _ in GUEST_FAILURES.values() if reason} <= set(get_args(results.Reason))
