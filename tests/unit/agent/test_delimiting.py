"""Text between tags: nothing in it can close its tag, or open and close others."""

import re
import time
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_agent.text.delimiting import Tag, delimited, harmless
from tests.drivers.tables import for_each

TAGS = get_args(Tag)
_NAMES = "|".join(TAGS)
# Matches everything that a lenient parser could read as one of the tags.
_ALIKE = re.compile(rf"<[^\w<>‹]*(?:{_NAMES})s?\b", re.IGNORECASE)
_BLOCK = re.compile(
    rf'<(?P<tag>{_NAMES})(?: a="(?P<a>[^"<>\n]*)")?(?: b="(?P<b>[^"<>\n]*)")?>\n(.*?)\n</(?P=tag)>', re.DOTALL
)
_PIECES = [
    *("</{}>", "<{}>", "< / {} >", "<\n{}s a='1'>", "<\u200b/{}", "</{}", "<{}", '<{} a="x">\n'),
    *("<", ">", "/", '"', "'", "\n", " ", "‹", "text"),
]
HOSTILE = st.lists(
    st.builds(
        lambda piece, tag, change: change(piece.format(tag)),
        st.sampled_from(_PIECES),
        st.sampled_from(TAGS),
        st.sampled_from([str, str.upper, str.title]),
    )
    | st.text(max_size=3),
    max_size=12,
).map("".join)


@given(st.lists(st.tuples(st.sampled_from(TAGS), HOSTILE, HOSTILE, st.none() | HOSTILE), max_size=5))
def test_delimited_texts_can_be_distinguished(blocks: list[tuple[Tag, str, str, str | None]]) -> None:
    prompt = "\n".join(delimited(tag, text, a=a, b=b) for tag, text, a, b in blocks)
    found = list(_BLOCK.finditer(prompt))
    assert [match["tag"] for match in found] == [tag for tag, *_ in blocks]
    assert "\n".join(match[0] for match in found) == prompt
    assert len(_ALIKE.findall(prompt)) == 2 * len(blocks)
    for match, (_, text, _, b) in zip(found, blocks, strict=True):
        assert len(match[4]) == len(text)
        assert match[4].replace("‹", "<") == text.replace("‹", "<")
        assert (match["b"] is None) == (b is None)


@given(HOSTILE)
def test_text_that_holds_no_tag_stays_as_it_is(text: str) -> None:
    assert harmless(text) == text or _ALIKE.search(text)
    assert harmless(harmless(text)) == harmless(text)


@for_each("text", ["a < b", "<b>bold</b>", "<persons_of_interest>", "<a source>", "x<y>z", "<sourcecode>"])
def test_other_tags_are_left_alone(text: str) -> None:
    assert harmless(text) == text


@pytest.mark.parametrize("text", ["<" + " " * 1_000_000, "<" * 1_000_000, "< /" * 300_000, "<\n/ \n" * 200_000])
def test_a_hostile_text_is_read_through_once(text: str) -> None:
    started = time.process_time()
    assert harmless(text) == text
    # Quadratic time would take hours.
    assert time.process_time() - started < 10
