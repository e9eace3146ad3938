"""Python objects that the command line names."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable
from typing import Any, cast

from toolcell.cli.inputs import UsageError
from toolcell.policy.policy import Policy


def load_tools(names: Iterable[str]) -> list[Any]:
    """Import tools named ``module:attribute``; an attribute may be one tool or a list of tools.

    Raises:
        UsageError: there is no such module or attribute.
    """
    tools: list[Any] = []
    for name in names:
        found = _load("--tools", name)
        tools += cast("list[Any]", found) if isinstance(found, list | tuple) else [found]
    return tools


def load_policy(name: str | None) -> Policy | None:
    """Import a policy named ``module:attribute``: a `Policy`, or a class of one that is made without arguments.

    Raises:
        UsageError: there is no such module or attribute, or it is no policy.
    """
    if name is None:
        return None
    found = _load("--policy", name)
    policy = found() if isinstance(found, type) else found
    if not isinstance(policy, Policy):
        raise UsageError(f"--policy {name}: a toolcell.Policy is expected, not {type(policy).__name__}")
    return policy


def _load(option: str, name: str) -> Any:
    """Import ``module:attribute``, also from the current folder; ``option`` is for messages."""
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise UsageError(f"{option} {name}: give module:attribute")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"{option} {name}: {error}") from None
