"""A run as a list of tool calls: the model's own `exec` and `wait`, and the nested calls as children of those."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from toolcell.telemetry.events import Event
from toolcell.telemetry.trajectory import read_trajectory
from toolcell.telemetry.wire import to_wire


@dataclass(slots=True)
class TranscriptCall:
    """One tool call.

    A nested call has the id of its `exec` or `wait` as ``parent_id``; its ``arguments`` are as `Policy.redact` shows
    them, and it has no ``text``: no model ever saw its result. ``outcome`` is ``None`` while it runs.
    """

    id: str
    parent_id: str | None
    name: str
    arguments: Any = None
    outcome: str | None = None
    """Status of an `exec` or `wait`, outcome of a nested call."""
    text: str | None = None
    """What the model was given."""
    run_id: str | None = None


class Transcript:
    """A listener for `Run.subscribe` that keeps the run's tool calls, in the order in which they began.

    It is data: making one from a trajectory runs nothing and asks nobody.
    """

    def __init__(self) -> None:
        self.calls: list[TranscriptCall] = []
        self._open: dict[str, TranscriptCall] = {}

    def __call__(self, event: Event) -> None:
        """Take one event."""
        self.add(to_wire(event))

    @classmethod
    def of_trajectory(cls, path: str | os.PathLike[str]) -> Transcript:
        """Make the transcript of a trajectory's file.

        Raises:
            OSError: the file can't be read.
            ValueError: it is not a trajectory.
        """
        transcript = cls()
        for event in read_trajectory(path):
            transcript.add(event)
        return transcript

    def add(self, event: dict[str, Any]) -> None:
        """Take one event in the form of a trajectory; those that are no tool calls are passed over."""
        match event.get("event"):
            case "ModelCallStarted":
                self._begin(TranscriptCall(event["callId"], None, event["tool"], event.get("arguments")))
            case "ModelCallFinished":
                self._end(event, event.get("status", "exception"), event.get("text"))
            case "NestedCallStarted":
                self._begin(_nested(event))
            case "NestedCallFinished":
                if event["callId"] not in self._open:
                    self._begin(_nested(event))  # it was refused before it began
                self._end(event, event["outcome"], None)
            case _:
                pass

    def children(self, call_id: str) -> list[TranscriptCall]:
        """Nested calls of one `exec` or `wait`."""
        return [call for call in self.calls if call.parent_id == call_id]

    def _begin(self, call: TranscriptCall) -> None:
        self.calls.append(call)
        self._open[call.id] = call

    def _end(self, event: dict[str, Any], outcome: str, text: str | None) -> None:
        call = self._open.pop(event["callId"], None)
        if call is not None:
            call.outcome, call.text, call.run_id = outcome, text, event.get("runId", call.run_id)


def _nested(event: dict[str, Any]) -> TranscriptCall:
    return TranscriptCall(event["callId"], event.get("parentId"), event["tool"], event.get("input"), run_id=event.get("runId"))
