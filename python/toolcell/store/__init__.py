"""Where suspended cells are kept."""

from toolcell.store.memory import MemoryStore
from toolcell.store.protocol import Absence, ContinuationStore, Note, StoredCell, TypeStore
from toolcell.store.sqlite import SqliteStore

__all__ = ["Absence", "ContinuationStore", "MemoryStore", "Note", "SqliteStore", "StoredCell", "TypeStore"]
