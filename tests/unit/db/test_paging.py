from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_lib.db.paging import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, read_page
from echomind_lib.errors import InvalidPageTokenError
from tests.drivers.tables import for_each

times = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
ids = st.integers(-(2**63), 2**63 - 1)
texts = st.text(st.characters(blacklist_categories=["Cs"]))
keys: st.SearchStrategy[tuple[Any, tuple[Any, ...]]] = st.one_of(
    st.tuples(st.just(tuple[int]), st.tuples(ids)),
    st.tuples(st.just(tuple[datetime, int]), st.tuples(times, ids)),
    st.tuples(st.just(tuple[UUID]), st.tuples(st.uuids())),
    st.tuples(st.just(tuple[str, int]), st.tuples(texts, ids)),
)


def token_of(key: tuple[Any, ...], key_type: Any, *query: object) -> str:
    """Returns the token after a row with this key."""
    return read_page(1, "", key_type, *query).cut([key, key], lambda row: row)[1]


@given(keys)
def test_a_token_brings_its_key_back(key: tuple[Any, tuple[Any, ...]]) -> None:
    key_type, values = key

    page = read_page(1, token_of(values, key_type, "q", 1), key_type, "q", 1)

    assert page.after == values
    assert [type(value) for value in page.after or ()] == [type(value) for value in values]


@given(values=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 10_000)), unique=True), size=st.integers(1, 9))
def test_pages_together_are_the_list(values: list[tuple[int, int]], size: int) -> None:
    values = sorted(values)
    seen: list[tuple[int, int]] = []
    token = ""
    while True:
        page = read_page(size, token, tuple[int, int], "q")
        after = page.after
        rows = [value for value in values if after is None or value > after][: page.limit]
        rows, token = page.cut(rows, lambda row: row)
        assert len(rows) <= size
        seen += rows
        if not token:
            break
        assert len(rows) == size

    assert seen == values


@given(texts)
def test_a_token_that_was_not_given_out_is_refused(token: str) -> None:
    if token:
        with pytest.raises(InvalidPageTokenError):
            read_page(1, token, tuple[int], "q")


@given(key=ids, index=st.integers(0), change=st.integers(1, 63))
def test_a_damaged_token_is_refused(key: int, index: int, change: int) -> None:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    token = token_of((key,), tuple[int], "q")
    # Not the last character, whose low bits may be unused.
    index %= len(token) - 1
    other = alphabet[(alphabet.index(token[index]) + change) % 64]

    with pytest.raises(InvalidPageTokenError):
        read_page(1, token[:index] + other + token[index + 1 :], tuple[int], "q")


@for_each("query", [(), ("q",), ("q", 2), ("q", "1"), ("other", 1), ("q", 1, None)])
def test_a_token_is_good_for_its_query_only(query: tuple[object, ...]) -> None:
    token = token_of((7,), tuple[int], "q", 1)
    assert read_page(1, token, tuple[int], "q", 1).after == (7,)

    with pytest.raises(InvalidPageTokenError):
        read_page(1, token, tuple[int], *query)


def test_a_token_of_another_kind_of_key_is_refused() -> None:
    with pytest.raises(InvalidPageTokenError):
        read_page(1, token_of(("a",), tuple[str], "q"), tuple[int], "q")


@pytest.mark.parametrize(
    ("asked", "size"), [(0, DEFAULT_PAGE_SIZE), (1, 1), (MAX_PAGE_SIZE, MAX_PAGE_SIZE), (10**6, MAX_PAGE_SIZE)]
)
def test_page_sizes(asked: int, size: int) -> None:
    page = read_page(asked, "", tuple[int], "q")

    assert (page.size, page.limit, page.after) == (size, size + 1, None)


def test_a_negative_page_size_is_refused() -> None:
    with pytest.raises(ValueError, match="page_size must not be negative, it is -1"):
        read_page(-1, "", tuple[int], "q")
