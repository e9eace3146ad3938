"""Names of servers and tools for cells."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcell.mcp import members as module
from toolcell.mcp.members import members, to_member


def suffix(name: str, chars: int = 8) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:chars]


@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("git_log", "gitLog"),
        ("get-file contents", "getFileContents"),
        ("API-get-user", "apiGetUser"),
        ("GET_USER_INFO", "getUserInfo"),
        ("get_API_key", "getApiKey"),
        ("GetUser", "getUser"),
        ("gitLog", "gitLog"),
        ("delete", "delete"),
        ("_private", "private"),
        ("__proto__", "proto"),
        ("3d-view", "_3dView"),
        ("get_3d", "get3d"),
        ("a.b/c", "aBC"),
        ("a$b", "a$b"),
        ("straße_öffnen", "straßeÖffnen"),
        ("查询", "查询"),
        ("--", "_"),
        ("🙂", "_"),
    ],
)
def test_a_name_becomes_a_camel_case_identifier(name: str, member: str) -> None:
    assert to_member(name) == member
    assert members([name]) == [member]


def test_of_names_that_give_one_identifier_the_one_spelled_like_it_keeps_it() -> None:
    assert members(["git_log", "git-log", "gitLog"]) == [f"gitLog_{suffix('git_log')}", f"gitLog_{suffix('git-log')}", "gitLog"]


def test_of_names_that_give_one_identifier_the_first_keeps_it_if_none_is_spelled_like_it() -> None:
    assert members(["git_log", "git-log"]) == ["gitLog", f"gitLog_{suffix('git-log')}"]


@pytest.mark.parametrize("name", ["then", "toJSON", "to_string", "constructor", "resources", "prompts", "$api", "$serverName"])
def test_a_reserved_name_gets_a_suffix(name: str) -> None:
    assert members([name]) == [f"{to_member(name)}_{suffix(name)}"]


def test_names_chosen_to_share_a_suffix_get_more_of_the_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_HASH_CHARS", (0, 16))

    assert members(["a_b", "a-b", "a.b"]) == ["aB", "aB_", f"aB_{suffix('a.b', 16)}"]


def test_a_suffixed_member_is_no_other_names_spelling() -> None:
    forged = f"then_{suffix('then')}"

    assert members(["then", forged]) == [f"then_{suffix('then', 16)}", to_member(forged)]


NAMES = st.lists(st.text(min_size=1, max_size=6) | st.sampled_from(["a_b", "a-b", "aB", "then", "$api", "1"]), unique=True)


@given(names=NAMES)
def test_members_are_different_identifiers(names: list[str]) -> None:
    found = members(names)

    assert len(set(found)) == len(names)
    assert all(member.replace("$", "a").isidentifier() for member in found)
    assert module.RESERVED.union(["$api", "$serverName"]).isdisjoint(found)
