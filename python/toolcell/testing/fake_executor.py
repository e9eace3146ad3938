"""`FakeExecutor` stands in for the workers: a Python generator plays the guest.

So policies, hooks, stores and adapters can be tested without processes.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from toolcell.errors import RuntimeUnavailableError
from toolcell.executor.protocol import (
    CellSource,
    Completed,
    Failed,
    Gone,
    GuestOutput,
    Leg,
    LegEnd,
    Limits,
    Method,
    Parked,
    Refused,
    Waiting,
)
from toolcell.guest_catalog import GuestCatalog
from toolcell.settlement import CallFailure, Settled


@dataclass(frozen=True, slots=True)
class FakeCall:
    """A call that a fake guest makes. ``target`` and ``input`` (JSON) as the native module gives them."""

    number: int
    method: Method = "call_value"
    target: str | None = None
    input: bytes | None = None
    limit: int | None = None
    delay_ms: int | None = None


@dataclass(frozen=True, slots=True)
class FakeText:
    """Text that a fake guest emits."""

    data: str
    kind: str = "text"


FakeLeg = Sequence[FakeCall | FakeText]
Guest = Generator[FakeLeg, dict[int, "bytes | CallFailure"], bytes]
"""Yields the calls and output of a leg, gets what settled, by number; returns the cell's value as JSON."""


def all_of(*calls: FakeCall) -> Callable[[CellSource], Guest]:
    """Make a guest that makes ``calls`` at once and, when all have settled, returns what came, by number.

    A failed call comes as ``{"error": code, "message": message}``.
    """

    def program(source: CellSource) -> Guest:
        settled: dict[int, bytes | CallFailure] = {}
        emitted = calls
        while len(settled) < len(calls):
            settled |= yield emitted
            emitted = ()
        return json.dumps({number: _plain(outcome) for number, outcome in sorted(settled.items())}).encode()

    return program


def _plain(outcome: bytes | CallFailure) -> Any:
    if isinstance(outcome, CallFailure):
        return {"error": outcome.code, "message": outcome.message}
    return json.loads(outcome)


class GuestError(Exception):
    """Raised by a fake guest to fail its cell for ``reason``."""

    def __init__(self, message: str, reason: str = "guest_error") -> None:
        super().__init__(message)
        self.reason = reason


class FakeExecutor:
    """An executor whose guests are generators made by ``program``. Parked guests live in this object, also after `close`."""

    serializable = True
    build = "fake"

    def __init__(self, program: Callable[[CellSource], Guest], *, available: bool = True) -> None:
        self.program = program
        self.available = available
        self.parked: dict[bytes, _Live] = {}
        """Guests by image."""
        self.restores = 0

    async def open(self) -> None:
        if not self.available:
            raise RuntimeUnavailableError("the fake executor is switched off")

    def session(self, catalog: GuestCatalog, *, reuse_workers: bool) -> FakeSession:
        return FakeSession(self)

    async def close(self) -> None:
        pass


class FakeSession:
    """A session of a `FakeExecutor`."""

    def __init__(self, executor: FakeExecutor) -> None:
        self._executor = executor

    def replace(self, catalog: GuestCatalog) -> None:
        pass

    async def lease(self) -> FakeGuest:
        if not self._executor.available:
            raise RuntimeUnavailableError("the fake executor is switched off")
        return FakeGuest(self._executor)

    def close(self) -> None:
        pass


@dataclass(slots=True)
class _Live:
    """A generator and the numbers of its unsettled calls."""

    guest: Guest
    outstanding: set[int]


class FakeGuest:
    """A cell of a `FakeExecutor`."""

    def __init__(self, executor: FakeExecutor) -> None:
        self._executor = executor
        self._live: _Live | None = None
        self._killed = False

    def stream(self, take: Callable[[Sequence[GuestOutput]], None]) -> None:
        pass  # its legs bring their output

    async def start(self, source: CellSource, limits: Limits, *, timeout_ms: float) -> Leg:
        self._live = _Live(self._executor.program(source), set())
        return self._step(None)

    async def resume(
        self, source: CellSource, image: bytes, limits: Limits, settled: Sequence[Settled], *, timeout_ms: float
    ) -> Leg:
        self._executor.restores += 1
        self._live = self._executor.parked.pop(image, None)
        if self._live is None:
            return Leg((), Refused("no such image"))
        return self._step(dict(settled))

    async def settle(self, settled: Sequence[Settled], *, timeout_ms: float) -> Leg:
        return self._step(dict(settled))

    async def park(self, *, timeout_ms: float) -> Leg:
        if self._killed or self._live is None:
            return Leg((), Gone("killed"))
        image = secrets.token_bytes(16)
        self._executor.parked[image] = self._live
        return Leg((), Parked(image))

    def kill(self) -> None:
        self._killed = True

    def release(self) -> None:
        self._live = None

    def _step(self, settled: dict[int, bytes | CallFailure] | None) -> Leg:
        live = self._live
        if self._killed or live is None:
            return Leg((), Gone("killed"))
        live.outstanding -= (settled or {}).keys()
        try:
            emitted = next(live.guest) if settled is None else live.guest.send(settled)
        except StopIteration as stop:
            return Leg((), Completed(stop.value))
        except GuestError as error:
            return Leg((), Failed(error.reason, str(error)))
        calls = [item for item in emitted if isinstance(item, FakeCall)]
        live.outstanding |= {call.number for call in calls}
        output: list[GuestOutput] = [item for item in emitted if isinstance(item, FakeText)]  # pyright: ignore
        end: LegEnd = Waiting(calls, (), len(live.outstanding))
        return Leg(output, end)
