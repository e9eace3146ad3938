"""``TOOLCELL_DEBUG``: what goes to the model and what happens, in the log."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from toolcell.redaction import redacted
from toolcell.telemetry.events import Event
from toolcell.telemetry.wire import to_wire

VARIABLE = "TOOLCELL_DEBUG"
MODES = ("surface", "payload", "full-redacted", "stream", "peek")
MAX_REQUEST_CHARS = 4_000
"""What is shown of a request."""
PEEKED_EVENTS = 5

log = logging.getLogger("toolcell.debug")
_SECRET_FREE = ("event", "callId", "runId", "tool", "outcome", "status", "code", "reason", "limit", "durationMs", "imageBytes")


class Debug:
    """What ``TOOLCELL_DEBUG`` asks for: one mode, or several with commas between.

    ``surface``: names of the tools that a model sees. ``payload``: the tools themselves. ``full-redacted``: the request
    that `Run.assert_surface` was given, redacted and cut. ``stream``: every event by name and ids. ``peek``: the first
    five events, redacted. Lines go to the logger ``toolcell.debug``, and to standard error if no handler is configured.
    """

    def __init__(self, modes: Iterable[str]) -> None:
        self.modes = frozenset(modes)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Debug | None:
        """Read the variable; ``None`` if it is not set. A mode that is not known is logged and passed over."""
        wanted = [mode.strip() for mode in environment.get(VARIABLE, "").split(",") if mode.strip()]
        if not wanted:
            return None
        log.setLevel(logging.DEBUG)
        if not log.hasHandlers():
            log.addHandler(logging.StreamHandler(sys.stderr))
        for mode in wanted:
            if mode not in MODES:
                log.warning("%s: %s is not known; there are %s", VARIABLE, mode, ", ".join(MODES))
        return cls(mode for mode in wanted if mode in MODES)

    def surface(self, tools: Iterable[Any]) -> None:
        """Log what the model of a run sees."""
        shown = list(tools)
        if "surface" in self.modes:
            log.debug("surface: %s", ", ".join(tool.name for tool in shown))
        if "payload" in self.modes:
            payload = [{"name": t.name, "description": t.description, "input_schema": t.input_schema} for t in shown]
            log.debug("payload: %s", json.dumps(payload, ensure_ascii=False))

    def request(self, payload: object) -> None:
        """Log a request to a model provider."""
        if "full-redacted" in self.modes:
            text = json.dumps(redacted(payload), ensure_ascii=False)
            more = f"… ({len(text)} characters)" if len(text) > MAX_REQUEST_CHARS else ""
            log.debug("request: %s%s", text[:MAX_REQUEST_CHARS], more)

    def listener(self) -> Callable[[Event], None] | None:
        """Return what listens to a run's events, ``None`` if no mode is about events."""
        if self.modes.isdisjoint(("stream", "peek")):
            return None
        seen = 0

        def listen(event: Event) -> None:
            nonlocal seen
            wire = to_wire(event)
            if "stream" in self.modes:
                log.debug("event: %s", json.dumps({key: wire[key] for key in _SECRET_FREE if key in wire}))
            if "peek" in self.modes and seen < PEEKED_EVENTS:
                seen += 1
                shown = json.dumps(cast("dict[str, Any]", redacted(wire)), ensure_ascii=False)
                log.debug("peek: %s", shown[:MAX_REQUEST_CHARS])

        return listen
