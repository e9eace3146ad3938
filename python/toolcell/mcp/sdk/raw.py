"""Results as a server sent them."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class RawResult(BaseModel):
    """A result of any shape; its keys and values are in ``model_extra``."""

    model_config = ConfigDict(extra="allow")
