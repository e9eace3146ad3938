"""The quick index of large catalogs, whatever their tools are called, in tokens of a real vocabulary."""

from __future__ import annotations

import json
import random
import string
from dataclasses import dataclass
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.tokens import count_tokens
from toolcell.catalog import Catalog, FunctionTool, tool
from toolcell.quick_index import MAX_CUT_INDEX_TOKENS, MAX_INDEX_CHARS, quick_index

ALPHABETS = [
    string.ascii_lowercase,
    string.ascii_uppercase,
    string.ascii_letters + string.digits,
    string.digits + "abcdef",
    string.digits + "_",
    "zqxjvkw",
    "ZQXJVKW",
    "_$",
    "aeiou",
    "äöüßéèçñ",
    "東京大阪名古屋検索一覧更新削除",
    "".join(map(chr, range(0x4E00, 0x9FA0))),
    "".join(map(chr, range(0x12000, 0x12300))),
]
SIGNS = "\"\\'`~!@#%^&*()-+=[]{}|;:,.<>/? \n\t\x00\u2028😀"


@dataclass(frozen=True)
class Kind:
    """How the names in one catalog are made."""

    seed: int = 1
    alphabet: str = string.ascii_lowercase
    length: int = 8
    words: int = 1
    separator: str = "_"
    keys: str = string.ascii_lowercase
    """What the names of properties, and the strings that they may be, are made of."""
    properties: int = 0
    values: int = 0


kinds = st.builds(
    Kind,
    seed=st.integers(0, 2**32),
    alphabet=st.sampled_from(ALPHABETS),
    length=st.integers(1, 12),
    words=st.integers(1, 5),
    separator=st.sampled_from(["", "_", "A"]),
    keys=st.sampled_from([*ALPHABETS, SIGNS]),
    properties=st.integers(0, 5),
    values=st.integers(0, 3),
)


@example(kind=Kind(length=1, words=5))
@example(kind=Kind(length=1, properties=5))
@example(kind=Kind(length=3))
@example(kind=Kind(properties=5, values=3))
@settings(max_examples=settings().max_examples // 2)
@given(kind=kinds)
def test_an_index_that_leaves_out_tools_is_within_its_tokens_whatever_their_names(kind: Kind) -> None:
    text = quick_index(Catalog(tools_of(kind)).native)

    sent = [json.dumps(text), json.dumps(text, ensure_ascii=False)]
    assert text.endswith("finds them)")
    assert max(map(count_tokens, sent)) <= MAX_CUT_INDEX_TOKENS


def tools_of(kind: Kind) -> list[FunctionTool[..., Any]]:
    """More tools than fit into the index."""
    chance = random.Random(kind.seed)
    tools: list[FunctionTool[..., Any]] = []
    chars = 0
    while chars <= MAX_INDEX_CHARS:
        name = f"t{kind.separator.join(word(chance, kind.alphabet, kind.length) for _ in range(kind.words))}{len(tools)}"
        keys = [word(chance, kind.keys, kind.length) for _ in range(kind.properties)]
        values = [word(chance, kind.keys, 4) for _ in range(kind.values)]
        properties = {key: {"enum": values} if values else {"type": "string"} for key in keys}
        schema = {"type": "object", "properties": properties, "additionalProperties": False}
        tools.append(tool(name=name, description="", input_schema=schema, raw_input=True)(same))
        chars += len(name) + len("- () -> ?\n") + sum(map(len, properties))
    return tools


def word(chance: random.Random, alphabet: str, length: int) -> str:
    return "".join(chance.choices(alphabet, k=length))


def same(given: Any) -> Any:
    return given
