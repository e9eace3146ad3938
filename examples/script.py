"""One cell from an ordinary script: no event loop, no configuration."""

from __future__ import annotations

import toolcell

PRICES = {"tea": 3.5, "cake": 4.25, "soup": 6.0}


@toolcell.tool(read_only=True)
def price(item: str) -> float:
    """Get the price of an item."""
    return PRICES[item]


@toolcell.tool(read_only=True)
def stock() -> dict[str, int]:
    """Count the items in stock."""
    return {"tea": 40, "cake": 3, "soup": 0}


CODE = """
const counts = await stock();
const items = Object.keys(counts).filter(item => counts[item] > 0);
const prices = await Promise.all(items.map(item => price({item})));
return items.reduce((total, item, i) => total + counts[item] * prices[i], 0);
"""


def main() -> None:
    """Print the value of what is in stock."""
    result = toolcell.run_cell(CODE, tools=[price, stock])
    if not result.ok:
        raise SystemExit(str(result))
    print(f"in stock: {result.value}")


if __name__ == "__main__":
    main()
