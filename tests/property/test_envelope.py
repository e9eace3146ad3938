"""Sealed cells against every change of one byte, and any other bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolcell import EnvelopeError
from toolcell.store import StoredCell
from toolcell.store.envelope import seal, seal_cell, unseal_cell

KEY = b"k" * 32
cells = st.builds(
    StoredCell,
    cell_id=st.text(max_size=20),
    generation=st.integers(1, 1000),
    scope=st.binary(min_size=32, max_size=32),
    record=st.binary(max_size=200),
    image=st.binary(max_size=200),
    ttl_seconds=st.floats(1, 1e6),
    expires_at=st.none(),
)


def opens(cell: StoredCell, sealed: bytes, key: bytes = KEY) -> bool:
    try:
        unseal_cell(key, cell.cell_id, cell.generation, None, sealed)
    except EnvelopeError:
        return False
    return True


@given(cells)
def test_every_cell_opens_as_it_was(cell: StoredCell) -> None:
    assert unseal_cell(KEY, cell.cell_id, cell.generation, None, seal_cell(KEY, cell)) == cell


@given(cells, st.integers(0, 10_000), st.integers(1, 255))
def test_no_changed_byte_opens(cell: StoredCell, place: int, change: int) -> None:
    sealed = bytearray(seal_cell(KEY, cell))
    sealed[place % len(sealed)] ^= change

    assert not opens(cell, bytes(sealed))


@given(cells, st.integers(0, 10_000))
def test_no_cut_opens(cell: StoredCell, length: int) -> None:
    sealed = seal_cell(KEY, cell)

    assert not opens(cell, sealed[: length % len(sealed)])


@given(cells, st.binary(min_size=16, max_size=40).filter(lambda key: key != KEY))
def test_no_other_key_opens(cell: StoredCell, key: bytes) -> None:
    assert not opens(cell, seal_cell(KEY, cell), key)


@given(cells, st.binary(max_size=100))
def test_rightly_signed_nonsense_is_refused_or_a_cell_but_never_another_error(cell: StoredCell, payload: bytes) -> None:
    opens(cell, seal(KEY, ("cell", cell.cell_id, cell.generation), payload))
