"""Learned types that outlive their run."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import toolcell
from support.runs import FOREVER
from toolcell.catalog import Tool
from toolcell.mcp import McpMethod, McpTool
from toolcell.mcp.observed import MAX_STORED_BYTES, MAX_TOOLS, ObservedTypes, shape_of
from toolcell.runtime import learned_types as module
from toolcell.runtime.learned_types import LearnedTypes
from toolcell.store import MemoryStore, SqliteStore, TypeStore
from toolcell.testing import FakeExecutor, all_of

KEY = b"k" * 32
ADA, BOB = b"a" * 32, b"b" * 32
SCOPE = toolcell.Scope(agent_id="ada", session_id="1", session_key="1", agent_run_id="1")


async def never(*_: object) -> dict[str, Any]:
    """Stands for a server that is not asked."""
    raise NotImplementedError


def mcp_tool(output_schema: dict[str, Any] | None = None) -> Tool:
    return McpTool(server="s", name="t", description="", label=None, input_schema={}, output_schema=output_schema, request=never)


TOOL = mcp_tool()


def result(value: Any) -> dict[str, Any]:
    return {"structuredContent": value}


def tables(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        return [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cells.db"


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, path: Path) -> Any:
    store = MemoryStore() if request.param == "memory" else SqliteStore(path, key=KEY)
    await store.open()
    yield store
    await store.close()


async def reopened(path: Path, key: bytes = KEY) -> SqliteStore:
    store = SqliteStore(path, key=key)
    await store.open()
    return store


async def shape_in(store: TypeStore, owner: bytes = ADA) -> Any:
    """What a run that begins now knows of the tool."""
    types = LearnedTypes(store, owner)
    await types.load()
    return types.observed.shape("s", "t")


async def until_written(store: TypeStore) -> None:
    while await shape_in(store) is None:  # noqa: ASYNC110 - the store tells nobody
        await asyncio.sleep(0)


async def test_a_later_run_knows_what_an_earlier_one_learned(store: TypeStore) -> None:
    types = LearnedTypes(store, ADA)
    await types.load()
    types.learn(TOOL, result({"a": 1}))
    await types.close()

    assert (await shape_in(store), await shape_in(store, BOB)) == (shape_of({"a": 1}), None)


async def test_runs_that_learn_at_the_same_time_lose_nothing(store: TypeStore) -> None:
    both = [LearnedTypes(store, ADA), LearnedTypes(store, ADA)]
    for types in both:
        await types.load()
    for types, value in zip(both, ({"a": 1}, {"a": "x"}), strict=True):
        types.learn(TOOL, result(value))

    await asyncio.gather(*(types.close() for types in both))

    assert await shape_in(store) == shape_of({"a": 1}) | {
        "properties": {"a": {"type": ["number", "string"]}},
    }


async def test_a_run_that_goes_on_writes_in_between(store: TypeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WRITE_AFTER_S", 0)
    types = LearnedTypes(store, ADA)
    types.learn(TOOL, result({"a": 1}))
    await until_written(store)

    types.learn(TOOL, result({"a": 1, "b": 2}))
    await types.close()

    assert (await shape_in(store)) == {**shape_of({"a": 1, "b": 2}), "required": ["a"]}


async def test_what_is_learned_while_it_writes_is_written_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WRITE_AFTER_S", 0)
    types = LearnedTypes(store := _SlowStore(), ADA)
    types.learn(TOOL, result({"a": 1}))
    await store.begun.wait()
    types.learn(TOOL, result({"a": 1, "b": 2}))
    store.go_on.set()
    while await shape_in(store) != types.observed.shape("s", "t"):  # noqa: ASYNC110 - the store tells nobody
        await asyncio.sleep(0)
    await types.close()


async def test_a_write_that_was_cut_off_is_made_again() -> None:
    types = LearnedTypes(store := _SlowStore(), ADA)
    types.learn(TOOL, result({"a": 1}))
    closing_run = asyncio.ensure_future(types.close())
    await store.begun.wait()
    closing_run.cancel()
    await asyncio.wait({closing_run})
    store.go_on.set()

    await types.close()

    assert await shape_in(store) == shape_of({"a": 1})


async def test_what_changed_the_types_is_new_once(store: TypeStore) -> None:
    types = LearnedTypes(store, ADA)
    types.learn(TOOL, result({"a": 1}))
    await types.close()

    later = LearnedTypes(store, ADA)
    await later.load()
    loaded, later.is_new = later.is_new, False
    await later.load()
    later.learn(TOOL, result({"a": 2}))

    assert (loaded, later.is_new) == (True, False)


async def test_types_outlive_the_process_but_not_another_key(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    types = LearnedTypes(first := await reopened(path), ADA)
    types.learn(TOOL, result({"a": 1}))
    await types.close()
    await first.close()
    same, other = await reopened(path), await reopened(path, b"o" * 32)

    assert (await shape_in(same), caplog.messages) == (shape_of({"a": 1}), [])
    assert (await shape_in(other), len(caplog.messages)) == (None, 1)
    await same.close()
    await other.close()


@pytest.mark.parametrize(
    "change",
    ["UPDATE types SET sealed = substr(sealed, 1, 50)", "UPDATE types SET owner = x'62'", "UPDATE types SET sealed = x'00'"],
)
async def test_changed_bytes_are_not_used_and_what_is_learned_next_takes_their_place(path: Path, change: str) -> None:
    store = await reopened(path)
    types = LearnedTypes(store, ADA)
    types.learn(TOOL, result({"a": 1}))
    await types.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(change)

    found = await shape_in(store), await shape_in(store, b"b")
    again = LearnedTypes(store, ADA)
    again.learn(TOOL, result({"b": 1}))
    await again.close()

    assert (found, await shape_in(store)) == ((None, None), shape_of({"b": 1}))
    await store.close()


async def test_bytes_of_another_version_are_not_used(store: TypeStore, caplog: pytest.LogCaptureFixture) -> None:
    await store.update_types(ADA, lambda _: b'{"version": 2}')

    assert (await shape_in(store), len(caplog.messages)) == (None, 1)


async def test_a_store_that_fails_costs_no_more_than_the_types(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "toolcell")
    types = LearnedTypes(SqliteStore(path, key=KEY), ADA)  # not open
    await types.load()
    types.learn(TOOL, result({"a": 1}))
    await types.close()

    assert [message.partition(":")[0] for message in caplog.messages] == [
        "stored types were not read",
        "learned types were not written",
    ]


@pytest.mark.parametrize("tool", [mcp_tool({}), McpMethod("s", "resources/list", never)])
def test_tools_that_are_declared_or_no_tools_teach_nothing(tool: Tool) -> None:
    types = LearnedTypes()
    types.learn(tool, result({"a": 1}))

    assert (types.is_new, types.observed.dump()) == (False, ObservedTypes().dump())


def test_a_dump_can_always_be_loaded() -> None:
    types, again = ObservedTypes(), ObservedTypes()
    names = [f"{letter}{other}" for letter in "abcdefghijklmnopqrst" for other in "xy"]
    for index in range(MAX_TOOLS):
        types.learn("s", f"{index:04}", result({name: {"a": 1} for name in names}))
    types.learn("s", "9999", result({}))

    again.load(dumped := types.dump())

    assert (len(dumped) <= MAX_STORED_BYTES, again.dump() == dumped) == (True, True)
    assert (again.shape("s", "0000"), again.shape("s", "1999")) == (types.shape("s", "0000"), None)


class _SlowStore(MemoryStore):
    """Says when a write has begun, and waits before it ends."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()

    async def update_types(self, owner: bytes, update: Callable[[bytes | None], bytes]) -> None:
        self.begun.set()
        await self.go_on.wait()
        await super().update_types(owner, update)


class _CellsAlone:
    """A store of the host's own that knows nothing of types."""

    def __init__(self) -> None:
        store = MemoryStore()
        self.durable = False
        for name in ("open", "close", "put", "peek", "generation", "parked", "take", "end", "expire"):
            setattr(self, name, getattr(store, name))
        self.set_expiry, self.add_note, self.notes = store.set_expiry, store.add_note, store.notes


async def test_what_can_not_keep_types_is_refused_when_a_run_is_made() -> None:
    async def refusal(store: Any, make: Callable[[toolcell.CodeMode], Any]) -> str:
        async with toolcell.CodeMode(FOREVER, executor=FakeExecutor(all_of()), store=store) as code_mode:
            with pytest.raises(toolcell.ConfigError) as refused:
                make(code_mode)
            return refused.value.message

    options = {"observedTypes": "store"}

    assert await refusal(_CellsAlone(), lambda made: made.run(config=options, scope=SCOPE)) == (
        'observedTypes: "store" needs a store with the methods of toolcell.store.TypeStore, such as SqliteStore'
    )
    assert await refusal(None, lambda made: made.run(config=options)) == (
        'observedTypes: "store" needs a run with a scope, whose agent_id says whose types they are'
    )


@pytest.mark.parametrize("observed_types", ["off", "run"])
async def test_without_being_asked_to_nothing_is_stored(path: Path, observed_types: str) -> None:
    types = module.learned_types(toolcell.CodeModeConfig(observed_types=observed_types), store := await reopened(path), SCOPE)
    if types is not None:
        await types.load()
        types.learn(TOOL, result({"a": 1}))
        await types.close()

    assert ((types is None), tables(path)) == (observed_types == "off", ["ledger", "continuation", "note"])
    await store.close()


async def test_types_belong_to_the_agent(path: Path) -> None:
    config = toolcell.CodeModeConfig(observed_types="store")
    store = await reopened(path)

    async def known(scope: toolcell.Scope) -> Any:
        types = module.learned_types(config, store, scope)
        assert types is not None
        await types.load()
        found = types.observed.shape("s", "t")
        types.learn(TOOL, result({scope.agent_id: 1}))
        await types.close()
        return found

    seen = [await known(scope) for scope in (SCOPE, toolcell.Scope(agent_id="bob"), toolcell.Scope(agent_id="ada"))]

    assert seen == [None, None, shape_of({"ada": 1})]
    await store.close()
