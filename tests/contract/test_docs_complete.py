"""The tables in docs/ name everything that there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest

from toolcell import errors, results
from toolcell.config import CodeModeConfig, Within

ROOT = Path(__file__).parents[2]


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def named(text: str) -> set[str]:
    return set(re.findall(r"`([^`\n]+)`", text))


def test_every_code_and_reason_is_explained() -> None:
    codes = {*get_args(results.ErrorCode), *get_args(results.Reason)}

    assert codes - named(page("errors.md")) == set()


def test_every_exception_is_listed_with_its_code() -> None:
    classes = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, errors.ToolcellError)]
    text = page("errors.md")

    assert [cls.__name__ for cls in classes if f"| `{cls.__name__}` | `{cls.code}` |" not in text] == []


@pytest.mark.parametrize("name", list(CodeModeConfig.model_fields))
def test_every_option_has_its_default_and_range(name: str) -> None:
    field = CodeModeConfig.model_fields[name]
    [row] = [line for line in page("limits.md").splitlines() if line.startswith(f"| `{field.alias}` |")]
    numbers = [number for item in field.metadata if isinstance(item, Within) for number in (field.default, item.low, item.high)]

    assert [number for number in numbers if spell(number) not in row] == []


def spell(number: int) -> str:
    for unit, size in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]:
        if number >= size and number % size == 0:
            return f"{number // size} {unit}"
    return f"{number:,}"


def test_every_dependency_has_its_line() -> None:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups: list[Any] = [project["project"]["dependencies"], *project["project"]["optional-dependencies"].values()]
    groups += project["dependency-groups"].values()
    python = {re.split(r"[\[><=]", item)[0] for group in groups for item in group if isinstance(item, str)}

    assert python - named(page("dependencies.md")) == set()


@pytest.mark.parametrize("manifest", sorted((ROOT / "rust").glob("*/Cargo.toml")), ids=lambda path: path.parent.name)
def test_every_dependency_of_a_crate_has_its_line(manifest: Path) -> None:
    crate: dict[str, Any] = tomllib.loads(manifest.read_text())
    tables = ("dependencies", "dev-dependencies", "build-dependencies")
    used = {name for table in tables for name in crate.get(table, {}) if not name.startswith("toolcell-")}

    assert used - named(page("dependencies.md")) == set()


PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("benches/*.md")]


@pytest.mark.parametrize("path", sorted(PAGES), ids=lambda path: path.name)
def test_links_within_the_project_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", path.read_text(encoding="utf-8"))

    assert [link for link in links if not (path.parent / link).exists()] == []
