"""What a tool body is told about its call."""

from __future__ import annotations

import asyncio
import threading

from toolcell.catalog import AbortSignal, CallContext


def test_a_signal_tells_once_and_keeps_the_first_reason() -> None:
    signal = AbortSignal()
    told: list[str] = []
    signal.on_abort(lambda: told.append("a"))

    before = (signal.aborted, signal.reason)
    signal.abort("session ended")
    signal.abort("again")

    assert (before, signal.aborted, signal.reason, told) == ((False, None), True, "session ended", ["a"])


def test_a_late_callback_is_told_at_once_and_a_withdrawn_one_never() -> None:
    signal = AbortSignal()
    told: list[str] = []
    withdraw = signal.on_abort(lambda: told.append("withdrawn"))
    withdraw()
    withdraw()

    signal.abort()
    signal.on_abort(lambda: told.append("late"))

    assert told == ["late"]


async def test_a_coroutine_can_wait_for_an_abort_from_another_thread() -> None:
    signal = AbortSignal()
    waiting = asyncio.create_task(signal.wait())
    await asyncio.sleep(0)

    threading.Thread(target=signal.abort).start()
    await waiting

    assert signal.aborted


def test_a_context_has_harmless_defaults() -> None:
    context = CallContext(call_id="cell/1", tool_id="host:core:a")

    context.report_progress({"done": 1})

    assert (dict(context.values), context.signal.aborted, context.parent_id, context.scope.complete) == (
        {},
        False,
        None,
        False,
    )
