"""What looks like a secret by its name."""

from __future__ import annotations

import pytest

from toolcell.redaction import REDACTED, redacted

SECRET = [
    "password",
    "PWD",
    "passcode",
    "apiKey",
    "x-api-key",
    "access_key",
    "privateKey",
    "Authorization",
    "auth",
    "bearer",
    "setCookie",
]


@pytest.mark.parametrize("name", SECRET)
def test_values_under_telling_names_are_replaced_however_deep(name: str) -> None:
    assert redacted([{"a": {name: {"k": 1}}}]) == [{"a": {name: REDACTED}}]


@pytest.mark.parametrize("name", ["author", "key", "passage", "monkey", "title"])
def test_values_under_harmless_names_stay(name: str) -> None:
    assert redacted({name: "x"}) == {name: "x"}
