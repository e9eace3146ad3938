"""The three Python tools of the demo: tickets, customers, and an announcement that a person must approve."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal, TypedDict

import toolcell


class Ticket(TypedDict):
    """A ticket of the shop."""

    id: str
    title: str
    state: Literal["open", "closed"]
    customer: int


class Customer(TypedDict):
    """Who reported a ticket."""

    id: int
    name: str
    plan: Literal["free", "paid"]
    zone: str
    """Time zone of the office."""


TICKETS: list[Ticket] = [
    {"id": "SHOP-7", "title": "Payments fail at night", "state": "open", "customer": 3},
    {"id": "SHOP-12", "title": "Totals are off by a cent", "state": "open", "customer": 1},
    {"id": "SHOP-31", "title": "Stock is invisible", "state": "closed", "customer": 2},
    {"id": "SHOP-40", "title": "Search takes seconds", "state": "open", "customer": 1},
]
CUSTOMERS: list[Customer] = [
    {"id": 1, "name": "Nordlicht", "plan": "paid", "zone": "Asia/Tokyo"},
    {"id": 2, "name": "Aurora", "plan": "free", "zone": "America/Bogota"},
    {"id": 3, "name": "Polaris", "plan": "paid", "zone": "Asia/Kathmandu"},
]


def tools(outbox: Path) -> list[toolcell.Tool]:
    """The tools; announcements become lines of ``outbox``."""

    @toolcell.tool(read_only=True)
    async def ticket_get(id: str) -> Ticket:
        """Get a ticket by its id, such as SHOP-7."""
        await asyncio.sleep(0.05)  # a ticket system is not at hand at once
        for ticket in TICKETS:
            if ticket["id"] == id:
                return ticket
        raise LookupError(f"there is no ticket {id}")

    @toolcell.tool(read_only=True)
    async def customer_list(plan: Literal["free", "paid"] | None = None) -> list[Customer]:
        """List customers, all or those of one plan."""
        return [customer for customer in CUSTOMERS if plan in (None, customer["plan"])]

    @toolcell.tool(requires_approval=True)
    def announce(channel: str, text: str) -> str:
        """Tell a channel something. A person must approve it."""
        with outbox.open("a", encoding="utf-8") as file:
            file.write(f"#{channel}: {text}\n")
        return f"sent to #{channel}"

    return [ticket_get, customer_list, announce]
