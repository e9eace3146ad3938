"""A result as people see it: text for a terminal, HTML for a notebook.

Whatever a cell or a tool wrote is only ever shown: it steers no terminal, is no markup, and is cut where it gets long.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from toolcell.untrusted import printable, shorten
from toolcell.values import json_text

if TYPE_CHECKING:
    from toolcell.results import CellResult, OutputItem

MAX_ITEM_CHARS = 2_000
"""Shown of a value, an error and each item of output."""
MAX_ROWS = 100
"""Items of output, calls and warnings that are shown, each."""

_BAR_CHARS = 20
_STATUS_COLOURS = {"completed": "#2a7", "waiting": "#b80", "failed": "#c33"}
_OUTCOME_COLOURS = {"ok": "#2a7", "error": "#c33", "denied": "#c33"}
_OTHER_COLOUR = "#b80"


class TimedCall(NamedTuple):
    """A call of a cell. ``start_ms`` counts from the first call's start; unknown for calls of other processes."""

    number: str
    tool: str
    outcome: str
    duration_ms: int
    start_ms: int | None = None


def as_text(result: CellResult, calls: Sequence[TimedCall]) -> str:
    """Say what came of a cell, one line for each thing; lines of one text are indented under its first."""
    lines = [f"{result.status} {_headline(result)}".rstrip()]
    lines += [f"  {line}" for line in (*_outputs(result), *_call_lines(calls), *_notes(result))]
    return "\n".join(line.replace("\n", "\n    ") for line in lines)


def as_html(result: CellResult, calls: Sequence[TimedCall]) -> str:
    """Return the same as HTML, calls as bars on one axis of time.

    Foreign words stand in ``pre`` and ``code`` alone, where notebooks look for no formulas.
    """
    parts = [f"<b>{result.status}</b>", _pre(_headline(result)), *map(_pre, _outputs(result))]
    if calls:
        span = _span(calls)
        rows = "".join(_row(call, span) for call in calls[:MAX_ROWS])
        parts += [f'<table style="border-spacing:.5em 0">{rows}</table>', *map(_pre, _left_out(len(calls), "calls"))]
    parts += map(_pre, _notes(result))
    colour = _STATUS_COLOURS[result.status]
    return f'<div style="border-left:3px solid {colour};padding-left:.7em">{"".join(parts)}</div>'


def _headline(result: CellResult) -> str:
    if result.status == "completed":
        return _shown(_json(result.value))
    if result.status == "waiting":
        return f"{result.run_id} ({result.reason})"
    return _shown(f"{result.code}{f'/{result.reason}' if result.reason else ''}: {result.error}")


def _outputs(result: CellResult) -> Iterator[str]:
    output = result.output or ()
    yield from (_shown(_item(item)) for item in output[:MAX_ROWS])
    yield from _left_out(len(output), "items")


def _call_lines(calls: Sequence[TimedCall]) -> Iterator[str]:
    span = _span(calls)
    for call in calls[:MAX_ROWS]:
        line = f"call {call.number} {_shown(call.tool)}: {call.outcome}, {call.duration_ms} ms"
        yield line if call.start_ms is None else f"{line} [{_bar(call.start_ms, call.duration_ms, span)}]"
    yield from _left_out(len(calls), "calls")


def _notes(result: CellResult) -> Iterator[str]:
    """What the cell waits for, and its warnings."""
    pending, warnings = result.pending_tool_calls or (), result.warnings or ()
    yield from (f"waits for {_shown(call.tool or call.method)} ({call.id})" for call in pending[:MAX_ROWS])
    yield from _left_out(len(pending), "calls")
    yield from (f"warning: {_shown(warning)}" for warning in warnings[:MAX_ROWS])


def _span(calls: Sequence[TimedCall]) -> int:
    """Length of the axis of time in milliseconds."""
    return max((call.start_ms + call.duration_ms for call in calls if call.start_ms is not None), default=0) or 1


def _bar(start_ms: int, duration_ms: int, span: int) -> str:
    first = min(start_ms * _BAR_CHARS // span, _BAR_CHARS - 1)
    length = max(1, duration_ms * _BAR_CHARS // span)
    return f"{' ' * first}{'=' * length}".ljust(_BAR_CHARS)[:_BAR_CHARS]


def _row(call: TimedCall, span: int) -> str:
    colour = _OUTCOME_COLOURS.get(call.outcome, _OTHER_COLOUR)
    bar = ""
    if call.start_ms is not None:
        start, width = (min(100 * part / span, 100) for part in (call.start_ms, call.duration_ms))
        bar = f"height:.7em;min-width:2px;margin-left:{start:.1f}%;width:{width:.1f}%;background:{colour}"
    return (
        f"<tr><td><code><bdi>{_escape(call.number)}</bdi></code></td><td><code><bdi>{_escape(call.tool)}</bdi></code></td>"
        f'<td style="width:16em"><div style="{bar}"></div></td>'
        f'<td style="color:{colour}">{_escape(call.outcome)}</td><td>{call.duration_ms} ms</td></tr>'
    )


def _left_out(count: int, what: str) -> list[str]:
    return [f"… and {count - MAX_ROWS} more {what}"] if count > MAX_ROWS else []


def _pre(text: str) -> str:
    return f'<pre style="margin:0">{html.escape(text)}</pre>'


def _escape(text: str) -> str:
    return html.escape(_shown(text))


def _shown(text: str) -> str:
    return printable(shorten(text, MAX_ITEM_CHARS))


def _item(item: OutputItem) -> str:
    return item.text if item.type == "text" else _json(item.value)


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):  # more digits than Python prints, or more levels
        return json_text(value)
