"""Who is told of events."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from toolcell.telemetry.events import Event

log = logging.getLogger("toolcell")

Listener = Callable[[Event], None]


class Subscribers:
    """Listeners of one run. Falsy while there are none, so that events need not be made."""

    __slots__ = ("_listeners",)

    def __init__(self, listeners: Iterable[Listener] = ()) -> None:
        self._listeners = list(listeners)

    def __bool__(self) -> bool:
        return bool(self._listeners)

    def add(self, listener: Listener) -> Callable[[], None]:
        """Add a listener; returns a function that takes it away again."""
        self._listeners.append(listener)

        def remove() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return remove

    def tell(self, event: Event) -> None:
        """Call every listener; one that raises is logged and changes nothing."""
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception:
                log.exception("a subscriber raised")
