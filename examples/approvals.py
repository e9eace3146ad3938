"""A person, or a rule that stands for one, decides on calls while the cell waits for them."""

from __future__ import annotations

import asyncio

import toolcell

LIMIT = 100


@toolcell.tool(requires_approval=True)
async def pay(to: str, amount: int) -> str:
    """Pay somebody."""
    return f"paid {amount} to {to}"


async def approve(request: toolcell.ToolCall) -> str | toolcell.Edit:
    """Small payments pass, payments to strangers don't, large ones are cut."""
    assert isinstance(request.input, dict)
    amount = request.input["amount"]
    assert isinstance(amount, int)
    if request.input["to"] == "stranger":
        return "deny"
    return "approve" if amount <= LIMIT else toolcell.Edit({**request.input, "amount": LIMIT})


CODE = """
const payments = [{to: "Ada", amount: 20}, {to: "Ben", amount: 5000}, {to: "stranger", amount: 1}];
const settled = await Promise.allSettled(payments.map(payment => pay(payment)));
return settled.map(s => s.value ?? s.reason.name);
"""


async def main() -> None:
    """Try three payments."""
    async with toolcell.CodeMode(True) as code_mode, code_mode.run(tools=[pay], approve=approve) as run:
        result = await run.exec({"code": CODE})
        for line in result.value:
            print(line)


if __name__ == "__main__":
    asyncio.run(main())
