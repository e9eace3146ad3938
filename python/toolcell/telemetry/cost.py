"""What the model's turns cost, where prices are known."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

_PER = 1_000_000


class Prices(BaseModel):
    """US dollars for a million tokens of each tier; a tier without a price is ``None``.

    Raises:
        ValidationError: a price below zero.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, populate_by_name=True)

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one turn, each counted in one tier only: ``input_tokens`` are those that no cache served."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


def cost_usd(usage: Usage, prices: Prices) -> float | None:
    """Return the price of a turn, ``None`` if a tier that was used has none."""
    tiers = (
        (usage.input_tokens, prices.input),
        (usage.output_tokens, prices.output),
        (usage.cache_read_tokens, prices.cache_read),
        (usage.cache_write_tokens, prices.cache_write),
    )
    total = 0.0
    for tokens, price in tiers:
        if tokens and price is None:
            return None
        total += tokens * (price or 0.0)
    return total / _PER
