"""Sealed bytes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from toolcell import EnvelopeError
from toolcell.store import StoredCell
from toolcell.store.envelope import MAGIC, seal, seal_cell, seal_note, unseal, unseal_cell, unseal_note
from toolcell.store.protocol import Note

KEY = b"k" * 32
CELL = StoredCell("cell_1", 2, b"s" * 32, b'{"v":1}', b"\x00image\xff", 900.0, None)


def test_a_sealed_cell_opens_as_it_was() -> None:
    assert unseal_cell(KEY, "cell_1", 2, None, seal_cell(KEY, CELL)) == CELL


def test_an_empty_record_and_image_are_kept() -> None:
    empty = replace(CELL, record=b"", image=b"")

    assert unseal_cell(KEY, "cell_1", 2, None, seal_cell(KEY, empty)) == empty


@pytest.mark.parametrize(("cell_id", "generation"), [("cell_2", 2), ("cell_1", 1), ("cell_1", 3)])
def test_a_cell_does_not_pass_for_another_one_or_an_earlier_self(cell_id: str, generation: int) -> None:
    with pytest.raises(EnvelopeError, match="not written with this key, or was changed"):
        unseal_cell(KEY, cell_id, generation, None, seal_cell(KEY, CELL))


def test_another_key_does_not_open_it() -> None:
    with pytest.raises(EnvelopeError, match="not written with this key"):
        unseal_cell(b"x" * 32, "cell_1", 2, None, seal_cell(KEY, CELL))


def test_another_version_is_named() -> None:
    with pytest.raises(EnvelopeError, match="another version"):
        unseal_cell(KEY, "cell_1", 2, None, b"toolcell\x02" + seal_cell(KEY, CELL)[len(MAGIC) :])


def test_a_note_does_not_pass_for_another_kind_or_call() -> None:
    sealed = seal_note(KEY, "cell_1", Note(4, "decision", b"[]"))

    assert unseal_note(KEY, "cell_1", 4, "decision", sealed) == Note(4, "decision", b"[]")
    with pytest.raises(EnvelopeError):
        unseal_note(KEY, "cell_1", 4, "result", sealed)
    with pytest.raises(EnvelopeError):
        unseal_note(KEY, "cell_1", 5, "decision", sealed)


def test_a_cell_does_not_pass_for_a_note() -> None:
    with pytest.raises(EnvelopeError):
        unseal_note(KEY, "cell_1", 2, "result", seal_cell(KEY, CELL))


@pytest.mark.parametrize(
    "payload", [b"", b"\xff" * 8, b"\x02\x00\x00\x00\x00\x00\x00\x00{}", b"\xff\xff\xff\x7f\x00\x00\x00\x00x"]
)
def test_a_rightly_signed_but_malformed_payload_is_refused(payload: bytes) -> None:
    with pytest.raises(EnvelopeError, match=r"cut|malformed"):
        unseal_cell(KEY, "cell_1", 2, None, seal(KEY, ("cell", "cell_1", 2), payload))


def test_a_context_can_not_be_shifted_into_the_payload() -> None:
    sealed = seal(KEY, ("a", "b"), b"c")

    assert unseal(KEY, ("a", "b"), sealed) == b"c"
    with pytest.raises(EnvelopeError):
        unseal(KEY, ("a", "bc"), sealed)
