"""TOOLCELL_DEBUG."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

import toolcell
from toolcell.telemetry.debug import MAX_REQUEST_CHARS, Debug
from toolcell.testing import FakeCall, FakeExecutor, all_of


@toolcell.tool(name="echo", input_schema={}, raw_input=True, description="Words of a tool.")
async def echo(given: Any) -> Any:
    return given


async def lines(mode: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> list[str]:
    """What a run with one cell logs in a mode."""
    monkeypatch.setenv("TOOLCELL_DEBUG", mode)
    executor = FakeExecutor(all_of(FakeCall(1, "call_value", "echo", b'{"password": "hunter2"}')))
    with caplog.at_level(logging.DEBUG, "toolcell.debug"):
        async with toolcell.CodeMode({"enabled": True}, executor=executor) as code_mode, code_mode.run(tools=[echo]) as run:
            run.assert_surface({"tools": [{"name": t.name} for t in run.model_tools], "api_key": "k", "system": "x" * 9000})
            await run.exec({"code": "the code"})
    return [record.getMessage() for record in caplog.records if record.name == "toolcell.debug"]


async def test_surface_logs_names_only(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    assert await lines("surface", monkeypatch, caplog) == ["surface: exec, wait"]


async def test_payload_logs_the_tools(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    (line,) = await lines("payload", monkeypatch, caplog)

    assert [tool["name"] for tool in json.loads(line.removeprefix("payload: "))] == ["exec", "wait"]


async def test_full_redacted_logs_the_request_cut_and_without_secrets(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (line,) = await lines("full-redacted", monkeypatch, caplog)

    assert ('"api_key": "[redacted]"' in line, len(line) < MAX_REQUEST_CHARS + 100) == (True, True)


async def test_stream_logs_every_event_by_name_and_ids(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    logged = [json.loads(line.removeprefix("event: ")) for line in await lines("stream", monkeypatch, caplog)]

    assert [event["event"] for event in logged] == [
        "ModelCallStarted",
        "CellStarted",
        "NestedCallStarted",
        "NestedCallFinished",
        "CellFinished",
        "ModelCallFinished",
    ]
    assert [key for event in logged for key in event if key in ("arguments", "input", "text")] == []


async def test_peek_logs_the_first_five_events_redacted(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    logged = await lines("peek", monkeypatch, caplog)

    assert (len(logged), "the code" in logged[0], "hunter2" in "".join(logged)) == (5, True, False)


def test_several_modes_may_be_given_and_an_unknown_one_is_named(caplog: pytest.LogCaptureFixture) -> None:
    debug = Debug.from_environment({"TOOLCELL_DEBUG": "surface, everything"})

    assert debug is not None
    assert (debug.modes, "everything is not known" in caplog.text) == ({"surface"}, True)


def test_without_the_variable_nothing_listens() -> None:
    assert Debug.from_environment({}) is None
