"""``null`` in the arguments of `exec` and `wait` means absent, as the strict schemas promise."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from toolcell import CodeModeConfig
from toolcell.runtime.arguments import read_exec, read_wait
from toolcell.runtime.failures import Failure
from toolcell.surface import exec_schema

CONFIG = CodeModeConfig()
OPTIONAL = sorted(set(exec_schema(CONFIG, strict=True)["properties"]) - {"code"})
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "language": st.sampled_from(["javascript", "typescript", "python"]),
    "restartSafe": st.booleans(),
    "title": st.text(max_size=130),
}
NULLS = st.lists(st.sampled_from([*OPTIONAL, "command"]), unique=True)


def test_the_property_knows_values_for_every_optional_argument() -> None:
    assert sorted(VALUES) == OPTIONAL


@given(st.fixed_dictionaries({"code": st.text(min_size=1, max_size=9)}, optional=VALUES), NULLS)
def test_null_for_any_optional_argument_of_exec_is_the_same_as_leaving_it_out(
    arguments: dict[str, Any], nulls: list[str]
) -> None:
    without = {name: value for name, value in arguments.items() if name not in nulls}

    assert read_exec(without | dict.fromkeys(nulls), CONFIG) == read_exec(without, CONFIG)


def test_null_for_every_optional_argument_of_exec_gives_the_defaults() -> None:
    assert read_exec({"code": "1", **dict.fromkeys(OPTIONAL)}, CONFIG) == read_exec({"code": "1"}, CONFIG)
    assert not isinstance(read_exec({"code": "1"}, CONFIG), Failure)


def test_null_for_one_spelling_of_an_argument_leaves_the_other() -> None:
    assert read_exec({"code": None, "command": "1"}, CONFIG) == read_exec({"code": "1"}, CONFIG)
    assert read_wait({"runId": None, "run_id": "cell_1"}) == "cell_1"
