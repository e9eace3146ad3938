"""Laws of values that cross the bridge: from the host into a cell and out again, by the rules of docs/values.md.

Each value goes in as a tool's result and comes out twice, as a tool's argument and as the value of the cell.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any, cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import toolcell

SAFE = 2**53 - 1
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
LARGEST_INDEX = 2**32 - 2
DEEPEST = 500
"""Below the bound of 512: an argument and the value that is tested are in an object each."""
THERE_AND_BACK = "const value = await give(); await take({value}); return {value};"
SAME_AS_PARSED = """
const [value, text] = await give();
const spell = (_, each) => Object.is(each, -0) ? "-0" : each;
return JSON.stringify(value, spell) === JSON.stringify(JSON.parse(text), spell);
"""

texts = st.text(st.characters(exclude_categories=[])) | st.text(st.characters(min_codepoint=0xD7F0, max_codepoint=0x10010))
keys = texts | st.sampled_from(
    ["__proto__", "constructor", "toString", "toJSON", "then", "length", "hasOwnProperty", "", "-1", "01", "1.5", "-0"]
)
numeric_keys = st.integers(0, 2**33).map(str)
integers = st.integers(-(2**70), 2**70) | st.integers(-(2**13_000), 2**13_000) | st.integers(-2, 2).map(lambda n: n + 2**53)
floats = (
    st.floats()
    | st.floats(-1e-300, 1e-300)
    | st.integers(-(2**54), 2**54).map(float)
    | st.sampled_from([-0.0, 5e-324, 1.7976931348623157e308, 2.0**53, 2.0**53 - 1, 1e21, 1e-7, 0.1 + 0.2])
)
safe_scalars = st.none() | st.booleans() | st.integers(-SAFE, SAFE) | texts
scalars = safe_scalars | integers | floats


def nested(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves, lambda inner: st.lists(inner) | st.dictionaries(keys | numeric_keys, inner, max_size=8), max_leaves=40
    )


@st.composite
def deep(draw: st.DrawFn) -> Any:
    value = draw(scalars)
    for key in draw(st.lists(st.none() | keys, min_size=1, max_size=6)) * (DEEPEST // 6):
        value = [value] if key is None else {key: value}
    return value


@st.composite
def wide(draw: st.DrawFn) -> Any:
    few, times = draw(st.lists(scalars, min_size=1, max_size=4)), draw(st.integers(1, 500))
    if draw(st.booleans()):
        return few * times
    start = draw(st.integers(0, 2**32))
    return {str(number): few[0] for number in range(start + times, start, -1)}


values = nested(scalars) | deep() | wide()


def crossed(value: Any) -> Any:
    """What the rules make of a value."""
    match value:
        case float() if not math.isfinite(value):
            return None
        case float() if value.is_integer() and abs(value) <= SAFE:
            return int(value)
        case str():
            paired = value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
            return LONE_SURROGATE.sub("\ufffd", paired)
        case list():
            return [crossed(each) for each in cast("list[Any]", value)]
        case dict():
            items = {crossed(key): crossed(each) for key, each in cast("dict[str, Any]", value).items()}
            indexes = sorted((key for key in items if is_index(key)), key=int)
            return {key: items[key] for key in [*indexes, *(key for key in items if not is_index(key))]}
        case _:
            return value


def is_index(key: str) -> bool:
    """Whether JavaScript lists the key among the first, by number."""
    return key.isascii() and key.isdigit() and str(int(key)) == key and int(key) <= LARGEST_INDEX


class Bridge:
    """Runs one cell after the other over tools that give and take one value."""

    def __init__(self, runner: asyncio.Runner, run: toolcell.Run, slot: list[Any]) -> None:
        self._runner = runner
        self._run = run
        self._slot = slot

    def cell(self, code: str, value: Any) -> tuple[Any, list[Any]]:
        """The value of a cell that was given one, and what it passed to ``take``."""
        self._slot[:] = [value]
        result = self._runner.run(self._run.exec({"code": code}))
        assert result.error is None
        return result.value, self._slot[1:]


@pytest.fixture(scope="module")
def bridge(request: pytest.FixtureRequest) -> Iterator[Bridge]:
    big_integers = getattr(request, "param", "bigint")
    slot = list[Any]()

    @toolcell.tool(name="give", description="Gives the value.", input_schema={}, raw_input=True)
    async def give(given: Any) -> Any:
        return slot[0]

    @toolcell.tool(name="take", description="Takes a value.", input_schema={}, raw_input=True)
    async def take(given: Any) -> None:
        slot.append(given["value"])

    async def open_run() -> toolcell.Run:
        config = {"maxOutputBytes": 10 << 20, "bigIntegers": big_integers}
        code_mode = await stack.enter_async_context(toolcell.CodeMode(config, warm_workers=1))
        return await stack.enter_async_context(code_mode.run(tools=[give, take], force=True))

    stack = AsyncExitStack()
    with asyncio.Runner() as runner:
        yield Bridge(runner, runner.run(open_run()), slot)
        runner.run(stack.aclose())


@pytest.mark.timeout(1800)
@settings(max_examples=4 * settings().max_examples)
@example({"__proto__": {"__proto__": [1]}, "2": "two", "1": "one", "b": -0.0, "a": [5e-324, 2.0**53, 2**53, -(2**64)]})
@example(dict([("\ud800", 1), ("\U0001f600", "\ud83d\ude00"), ("\ufffd", 2)]))
@given(value=values)
def test_a_value_comes_back_as_the_rules_say(bridge: Bridge, value: Any) -> None:
    returned, taken = bridge.cell(THERE_AND_BACK, value)

    expected = json.dumps(crossed(value))
    assert json.dumps(returned["value"]) == expected
    assert [json.dumps(each) for each in taken] == [expected]


@pytest.mark.timeout(600)
@given(value=nested(safe_scalars | st.floats(allow_nan=False, allow_infinity=False)))
def test_a_cell_sees_what_parsing_the_values_json_gives(bridge: Bridge, value: Any) -> None:
    same, _ = bridge.cell(SAME_AS_PARSED, [value, json.dumps(crossed(value))])

    assert same is True


@pytest.mark.parametrize("bridge", ["number"], indirect=True)
@pytest.mark.timeout(600)
@given(value=st.integers(-(2**1000), 2**1000))
def test_an_integer_as_number_is_the_nearest_float_if_it_is_large(bridge: Bridge, value: int) -> None:
    returned, taken = bridge.cell(THERE_AND_BACK, value)

    expected = repr(value if abs(value) <= SAFE else float(value))
    assert [repr(returned["value"]), repr(taken[0])] == [expected, expected]


@pytest.mark.parametrize("bridge", ["string"], indirect=True)
@pytest.mark.timeout(600)
@given(value=integers)
def test_an_integer_as_text_keeps_its_digits_if_it_is_large(bridge: Bridge, value: int) -> None:
    returned, taken = bridge.cell(THERE_AND_BACK, value)

    expected = value if abs(value) <= SAFE else str(value)
    assert [returned["value"], taken[0]] == [expected, expected]
