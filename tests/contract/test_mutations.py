"""The rules that ``scripts/mutate_rules.py`` switches off stand where it looks for them, and so do their tests."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutate_rules", ROOT / "scripts" / "mutate_rules.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


MUTATIONS: list[Any] = script().MUTATIONS


def test_there_are_at_least_twenty() -> None:
    assert len({mutation.test for mutation in MUTATIONS}) >= 20


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.test.rpartition("::")[2])
def test_a_rule_stands_once_in_its_file_and_its_test_exists(mutation: Any) -> None:
    file, _, name = mutation.test.partition("::")
    tests = {getattr(node, "name", "") for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body}
    source = (ROOT / "python" / "toolcell" / mutation.file).read_text(encoding="utf-8")

    assert (source.count(mutation.rule), name in tests) == (1, True)
