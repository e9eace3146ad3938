"""A small sentence model, as a host may plug one in: all-MiniLM-L6-v2, computed with numpy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

Floats = NDArray[np.float32]

_LAYERS, _HEADS, _MAX_TOKENS = 6, 12, 256
_BATCH = 16


class Encoder:
    """Turns texts into vectors of length 1.

    Args:
        folder: The model as its package ships it: ``model.safetensors`` and ``tokenizer.json``.

    Source:
        Devlin et al., "BERT" (2019), with the mean of the last layer over the words; weights of sentence-transformers.
    """

    def __init__(self, folder: Path) -> None:
        self._weights: dict[str, Floats] = load_file(folder / "model.safetensors")
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        self._tokenizer.no_padding()

    def __call__(self, texts: Sequence[str]) -> Floats:
        """Return one row for each text."""
        ids: list[list[int]] = [encoded.ids for encoded in self._tokenizer.encode_batch(list(texts))]
        by_length = sorted(range(len(ids)), key=lambda index: len(ids[index]))
        rows: Floats = np.zeros((len(ids), self._weights["embeddings.LayerNorm.weight"].size), np.float32)
        for first in range(0, len(ids), _BATCH):
            batch = by_length[first : first + _BATCH]
            rows[batch] = self._encode([ids[index] for index in batch])
        return rows

    def _encode(self, ids: Sequence[Sequence[int]]) -> Floats:
        longest = max(map(len, ids))
        padded = np.array([[*row, *[0] * (longest - len(row))] for row in ids])
        real = np.array([[1.0] * len(row) + [0.0] * (longest - len(row)) for row in ids], np.float32)
        weights = self._weights
        state = weights["embeddings.word_embeddings.weight"][padded]
        state = state + weights["embeddings.position_embeddings.weight"][:longest]
        state = self._normed(state + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        hidden = (real[:, None, None, :] - 1) * 1e9
        for layer in range(_LAYERS):
            state = self._layer(state, hidden, f"encoder.layer.{layer}")
        mean = (state * real[:, :, None]).sum(axis=1) / real.sum(axis=1, keepdims=True)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)

    def _layer(self, state: Floats, hidden: Floats, name: str) -> Floats:
        rows, length, width = state.shape

        def heads(part: str) -> Floats:
            found = self._dense(state, f"{name}.attention.self.{part}")
            return np.ascontiguousarray(found.reshape(rows, length, _HEADS, width // _HEADS).transpose(0, 2, 1, 3))

        likeness = heads("query") @ np.ascontiguousarray(heads("key").transpose(0, 1, 3, 2)) / math.sqrt(width // _HEADS) + hidden
        likeness = np.exp(likeness - likeness.max(axis=-1, keepdims=True))
        seen = (likeness / likeness.sum(axis=-1, keepdims=True)) @ heads("value")
        seen = self._dense(seen.transpose(0, 2, 1, 3).reshape(rows, length, width), f"{name}.attention.output.dense")
        state = self._normed(state + seen, f"{name}.attention.output.LayerNorm")
        inner = _gelu(self._dense(state, f"{name}.intermediate.dense"))
        return self._normed(state + self._dense(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _dense(self, state: Floats, name: str) -> Floats:
        flat = state.reshape(-1, state.shape[-1]) @ self._weights[f"{name}.weight"].T
        return flat.reshape(*state.shape[:-1], -1) + self._weights[f"{name}.bias"]

    def _normed(self, state: Floats, name: str) -> Floats:
        state = state - state.mean(axis=-1, keepdims=True)
        state = state / np.sqrt((state * state).mean(axis=-1, keepdims=True) + 1e-12)
        return state * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]


def _gelu(x: Floats) -> Floats:
    """The error function by its usual approximation with tanh; the difference is below 0.001."""
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))
