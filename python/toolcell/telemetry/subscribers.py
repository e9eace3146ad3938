"""Who is told of events."""

from __future__ import annotations

import logging
from collections.abc import Callable

from toolcell.telemetry.events import Event

log = logging.getLogger("toolcell")

Listener = Callable[[Event], None]


class Subscribers(list[Listener]):
    """Listeners of one run. Falsy while there are none, so that events need not be made."""

    def add(self, listener: Listener) -> Callable[[], None]:
        """Add a listener; returns a function that takes it away again."""
        self.append(listener)

        def remove() -> None:
            if listener in self:
                self.remove(listener)

        return remove

    def tell(self, event: Event) -> None:
        """Call every listener; one that raises is logged and changes nothing."""
        for listener in tuple(self):
            try:
                listener(event)
            except Exception:
                log.exception("a subscriber raised")
