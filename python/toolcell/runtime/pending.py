"""One call that a cell waits for, from the guest's request to its settlement."""

from __future__ import annotations

import asyncio
import enum
from dataclasses import dataclass

from toolcell.policy.nested_call import NestedCall


class Stage(enum.IntEnum):
    """Where a pending call is."""

    QUEUED = 0
    """Waits for a free slot."""
    RUNNING = 1
    """In the pipeline of this process."""
    ASKING = 2
    """A callback was asked for approval; holds no slot."""
    APPROVAL = 3
    """Waits for `Run.decide`; holds no slot."""
    CLIENT = 4
    """Waits for `Run.deliver`."""
    REMOTE = 5
    """In the pipeline of another process, or of an earlier view of the cell in this one."""
    TIMER = 6
    YIELD = 7
    AUTHORISING = 8
    """Policy, validation and hooks have not said yet what happens to it."""


HOST_STAGES = (Stage.QUEUED, Stage.AUTHORISING, Stage.RUNNING, Stage.ASKING, Stage.REMOTE, Stage.TIMER)
"""Stages that end without anyone outside doing something."""
HOLDS_SLOT = frozenset({Stage.AUTHORISING, Stage.RUNNING, Stage.CLIENT})


@dataclass(slots=True)
class Pending:
    """A pending call. ``call`` for tool calls only, ``due`` (wall clock, seconds) for timers only."""

    number: int
    stage: Stage
    call: NestedCall | None = None
    approved: bool = False
    claimed: bool = False
    """May run without asking the store, which has it down for a process that is gone."""
    started: float = 0.0
    """Loop time of its dispatch; 0 if it never was."""
    due: float = 0.0
    reason: str | None = None
    """The guest's reason, for yields only."""
    task: asyncio.Task[None] | None = None
    timer: asyncio.TimerHandle | None = None
    owner: str | None = None
    """Process that runs a remote call."""

    def cancel(self, why: str) -> None:
        """Stop whatever works for this call in this process."""
        if self.timer is not None:
            self.timer.cancel()
        if self.call is not None:
            self.call.signal.abort(why)
        if self.task is not None:
            self.task.cancel()
