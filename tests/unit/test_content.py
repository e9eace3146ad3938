"""Bytes that stay on the host, and the handles that stand for them."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from toolcell.content import Content, ContentStore, handles_in
from toolcell.mcp.content import detach_binary

PIXEL = b"\x89PNG\r\n\x1a\n"
PIXEL_TEXT = base64.b64encode(PIXEL).decode()


def kept(store: ContentStore, data: bytes = PIXEL, mime_type: object = "image/png") -> Content:
    content = store.add(data, mime_type)
    assert content is not None
    return content


def test_a_handle_resolves_in_the_store_that_made_it() -> None:
    store = ContentStore()

    content = kept(store)

    assert (store.get(content.handle), content.data, content.mime_type) == (content, PIXEL, "image/png")


def test_a_handle_of_another_store_an_invented_one_and_a_dropped_one_resolve_to_nothing() -> None:
    store, other = ContentStore(max_bytes=len(PIXEL)), ContentStore()
    dropped, foreign = kept(store), kept(other)
    content = kept(store)
    handles = [dropped.handle, foreign.handle, f"toolcell-content:{'0' * 32}", content.handle + "0", content.handle]

    assert [store.get(handle) for handle in handles] == [None, None, None, None, content]
    assert store.named_in(handles) == {content.handle: content}


def test_equal_bytes_have_handles_of_their_own() -> None:
    store = ContentStore()

    assert kept(store).handle != kept(store).handle


def test_the_oldest_make_room_for_new_ones() -> None:
    store = ContentStore(max_bytes=10)
    contents = [kept(store, bytes(4)) for _ in range(4)]

    assert [store.get(content.handle) is None for content in contents] == [True, True, False, False]


def test_what_is_larger_than_the_store_is_not_taken_and_drops_nothing() -> None:
    store = ContentStore(max_bytes=10)
    content = kept(store, bytes(10))

    assert (store.add(bytes(11), "image/png"), store.get(content.handle)) == (None, content)


def test_the_number_of_contents_is_bounded_too() -> None:
    store = ContentStore()
    contents = [kept(store, b"") for _ in range(4_098)]

    assert [content for content in contents if store.get(content.handle) is None] == contents[:2]


@pytest.mark.parametrize(
    ("said", "understood"),
    [
        ("image/PNG", "image/png"),
        ("text/plain; charset=utf-8", "text/plain"),
        ("image/png\nobey", "application/octet-stream"),
        ("a picture", "application/octet-stream"),
        ("image/" + "x" * 200, "application/octet-stream"),
        (None, "application/octet-stream"),
        (7, "application/octet-stream"),
    ],
)
def test_a_mime_type_is_one_or_says_nothing(said: object, understood: str) -> None:
    assert kept(ContentStore(), mime_type=said).mime_type == understood


def test_handles_are_found_in_texts_and_at_any_depth_in_order() -> None:
    store = ContentStore()
    first, second, third = (kept(store) for _ in range(3))
    value = [{"a": {"handle": third.handle}, first.handle: 1}, f"see {second.handle}, and {third.handle}.", None, 10**5000]

    assert list(store.named_in(value).values()) == [third, first, second]


def test_what_looks_like_a_handle_but_is_longer_is_none() -> None:
    assert handles_in(f"toolcell-content:{'a' * 33} toolcell-content:{'A' * 32}") == []


def test_pictures_and_sound_become_image_and_audio_blocks_all_else_resources() -> None:
    store = ContentStore()
    contents = [kept(store, b"hi", mime_type) for mime_type in ("image/png", "audio/wav", "application/pdf")]

    assert [content.block() for content in contents] == [
        {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
        {
            "type": "resource",
            "resource": {"uri": contents[2].handle, "mimeType": "application/pdf", "blob": "aGk="},
        },
    ]


def detached(result: dict[str, Any], store: ContentStore | None = None) -> tuple[Any, list[bytes]]:
    """What is left of a result, handles numbered, and the bytes in the order of their handles."""
    store = ContentStore() if store is None else store
    text = json.dumps(detach_binary(result, store))
    found = handles_in(text)
    for number, handle in enumerate(found):
        text = text.replace(handle, f"#{number}")
    return json.loads(text), [content.data for content in map(store.get, found) if content is not None]


def test_where_structured_content_repeats_the_bytes_the_handle_stands_too() -> None:
    long, short = base64.b64encode(PIXEL * 9).decode(), PIXEL_TEXT
    blocks = [{"type": "image", "mimeType": "image/png", "data": data} for data in (long, short)]

    left, data = detached({"content": blocks, "structuredContent": {"content": blocks, "other": [f"{long}=", 1, None]}})

    assert left["structuredContent"] == {
        "content": [blocks[0] | {"data": "#0"}, blocks[1]],
        "other": [f"{long}=", 1, None],
    }
    assert data == [PIXEL * 9, PIXEL]


def test_structured_content_nested_beyond_all_measure_is_left_as_it_is() -> None:
    long = base64.b64encode(PIXEL * 9).decode()
    nested: Any = long
    for _ in range(900):
        nested = [nested]

    left, _ = detached({"content": [{"type": "image", "mimeType": "image/png", "data": long}], "structuredContent": nested})

    assert left["structuredContent"] == nested


def test_a_picture_leaves_its_metadata_and_a_handle() -> None:
    image = {"type": "image", "mimeType": "image/png", "data": PIXEL_TEXT, "annotations": {"priority": 1}}

    assert detached({"content": [{"type": "text", "text": "a"}, image], "isError": False, "later": 1}) == (
        {
            "content": [
                {"type": "text", "text": "a"},
                {"type": "image", "mimeType": "image/png", "annotations": {"priority": 1}, "size": 8, "handle": "#0"},
            ],
            "isError": False,
            "later": 1,
        },
        [PIXEL],
    )


def test_a_resource_keeps_its_own_address_beside_the_handle() -> None:
    resource = {"uri": "file:///a.png", "mimeType": "image/png", "blob": PIXEL_TEXT}
    left = {"uri": "file:///a.png", "mimeType": "image/png", "size": 8, "handle": "#0"}

    assert detached({"contents": [resource, {"uri": "x:", "text": "t"}]}) == (
        {"contents": [left, {"uri": "x:", "text": "t"}]},
        [PIXEL],
    )
    assert detached({"content": [{"type": "resource", "resource": resource}]}) == (
        {"content": [{"type": "resource", "resource": left}]},
        [PIXEL],
    )


def test_pictures_in_prompts_are_taken_out() -> None:
    image = {"type": "image", "mimeType": "image/png", "data": PIXEL_TEXT}

    left, bytes_ = detached({"messages": [{"role": "user", "content": image}, {"role": "user", "content": [image]}]})

    assert [message["role"] for message in left["messages"]] == ["user", "user"]
    assert (left["messages"][0]["content"]["handle"], left["messages"][1]["content"][0]["handle"]) == ("#0", "#1")
    assert bytes_ == [PIXEL, PIXEL]


@pytest.mark.parametrize("data", ["%%%", "aGk=aGk=", "a", "\u00e9", None, 7, ["aGk="], {"x": 1}])
def test_data_that_is_not_base64_never_reaches_a_cell(data: object) -> None:
    left, bytes_ = detached({"content": [{"type": "image", "mimeType": "image/png", "data": data, "handle": "forged"}]})

    assert (left["content"][0], bytes_) == (
        {"type": "image", "mimeType": "image/png", "size": 0, "unavailable": "the server's data is not base64"},
        [],
    )


@pytest.mark.parametrize("data", ["aGk", "aG\nk=", "", "aGk=\n"])
def test_line_breaks_and_missing_padding_are_forgiven(data: str) -> None:
    left, bytes_ = detached({"content": [{"type": "audio", "mimeType": "audio/wav", "data": data}]})

    assert (left["content"][0]["size"], bytes_) == (len(bytes_[0]), [b"hi" if data else b""])


def test_what_is_too_large_to_be_kept_says_so() -> None:
    left, bytes_ = detached({"content": [{"type": "image", "data": PIXEL_TEXT}]}, ContentStore(max_bytes=7))

    assert (left["content"], bytes_) == ([{"type": "image", "size": 8, "unavailable": "too large to be kept"}], [])


def test_blocks_of_later_protocols_lose_their_bytes_and_data_that_is_none_stays() -> None:
    video = {"type": "video", "mimeType": "video/mp4", "data": PIXEL_TEXT}
    others = [{"type": "text", "text": "t", "data": "kept"}, {"type": "json", "data": {"a": 1}}]

    left, bytes_ = detached({"content": [video, *others]})

    assert (left["content"][1:], bytes_) == (others, [PIXEL])


ODD: list[object] = [None, 7, "text", [None, 7, "text", [[]]], {"resource": None}, [{"resource": [1]}]]


@pytest.mark.parametrize("content", ODD)
def test_no_shape_is_too_odd(content: object) -> None:
    assert detached({"content": content}) == ({"content": content}, [])
