"""A run's events in a file, and the transcript made of them."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

import toolcell
from toolcell.telemetry import Trajectory, Transcript, read_trajectory
from toolcell.testing import FakeCall, FakeExecutor, all_of

ran: list[Any] = []


@toolcell.tool(name="record", input_schema={}, raw_input=True)
async def record(given: Any) -> Any:
    ran.append(given)
    return {"answer": "a result no model saw"}


@toolcell.tool
async def denied() -> None:
    raise AssertionError("denied calls do not run")


class Guarded(toolcell.Policy):
    def decide(self, call: toolcell.ToolCall) -> Any:
        return "deny" if call.tool_name == "denied" else "allow"


async def recorded(path: Path) -> Transcript:
    """A cell with two calls that yields once, recorded in a file and as a transcript."""
    calls = (FakeCall(1, "call_value", "record", b'{"token": "t", "n": 1}'), FakeCall(2, "call", "denied"), FakeCall(3, "yield"))
    transcript, trajectory = Transcript(), Trajectory(path)
    executor = FakeExecutor(all_of(*calls))
    async with toolcell.CodeMode({"enabled": True}, executor=executor) as code_mode:
        code_mode.subscribe(trajectory)
        async with code_mode.run(tools=[record, denied], policy=Guarded()) as run:
            run.subscribe(transcript)
            cell = await run.exec({"code": "the code", "title": "T"}, tool_call_id="t1")
            await run.wait({"runId": cell.run_id}, tool_call_id="t2")
    trajectory.close()
    return transcript


async def test_each_event_is_one_line_and_the_code_stays_in_it(tmp_path: Path) -> None:
    await recorded(tmp_path / "run.jsonl")

    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert [line["event"] for line in lines] == [
        "ModelCallStarted",
        "CellStarted",
        "NestedCallStarted",
        "NestedCallFinished",
        "NestedCallFinished",
        "CellSuspended",
        "ModelCallFinished",
        "ModelCallStarted",
        "CellResumed",
        "CellFinished",
        "ModelCallFinished",
    ]
    assert lines[0]["arguments"] == {"code": "the code", "title": "T"}
    assert lines[1]["code"] == "the code"
    assert (lines[6]["status"], lines[6]["telemetry"]["callCount"]) == ("waiting", 2)


async def test_neither_secrets_nor_results_of_nested_calls_are_written_and_the_file_is_private(tmp_path: Path) -> None:
    await recorded(tmp_path / "run.jsonl")

    events = [event for event in read_trajectory(tmp_path / "run.jsonl") if event["event"].startswith("NestedCall")]
    assert events[0]["input"] == {"token": "[redacted]", "n": 1}
    assert "a result no model saw" not in json.dumps(events)
    assert stat.S_IMODE((tmp_path / "run.jsonl").stat().st_mode) == 0o600


async def test_nested_calls_are_tool_calls_of_the_transcript_with_their_parents_id(tmp_path: Path) -> None:
    transcript = await recorded(tmp_path / "run.jsonl")

    rows = [(call.id.rpartition("/")[2], call.parent_id, call.name, call.outcome) for call in transcript.calls]
    assert rows == [
        ("t1", None, "exec", "waiting"),
        ("1", "t1", "record", "ok"),
        ("2", "t1", "denied", "denied"),
        ("t2", None, "wait", "completed"),
    ]
    assert [call.name for call in transcript.children("t1")] == ["record", "denied"]
    assert transcript.calls[0].arguments["code"] == "the code"
    assert [call.text is None for call in transcript.calls] == [False, True, True, False]


async def test_a_transcript_made_from_a_trajectory_is_the_same_and_runs_nothing(tmp_path: Path) -> None:
    transcript = await recorded(tmp_path / "run.jsonl")
    before = len(ran)

    again = Transcript.of_trajectory(tmp_path / "run.jsonl")

    assert (again.calls, len(ran)) == (transcript.calls, before)


async def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"event": "CellResumed", "runId": "c"}\n{"event": "CellFi')

    assert [event["event"] for event in read_trajectory(path)] == ["CellResumed"]


def test_a_file_that_is_no_trajectory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text("[1]\n")

    with pytest.raises(ValueError, match="line 1"):
        list(read_trajectory(tmp_path / "run.jsonl"))
