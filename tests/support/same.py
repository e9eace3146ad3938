"""Comparing what JavaScript engines return, as JSON."""

from __future__ import annotations

import json
from typing import Any, cast


def spelled(value: Any) -> str:
    """JSON text of a value, keys in their order, in which 1 and 1.0 are one number and ``true`` is none."""
    return json.dumps(_plain(value))


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_plain(each) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in cast("dict[str, Any]", value).items()}
    return value
