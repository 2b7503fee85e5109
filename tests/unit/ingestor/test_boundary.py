"""Normalization of a child process's output about a file."""

import itertools
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from echomind_ingestor.extract import boundary
from echomind_ingestor.extract.boundary import accept, notes
from echomind_ingestor.extract.result import Extracted, Heading, Page, UnreadableError
from echomind_lib.text import normalized

anything = st.text(st.characters(codec=None), max_size=40)
lines = st.lists(st.text(st.sampled_from("ae \x00\u0301\ud800\u0344é"), max_size=8), min_size=1, max_size=8)


def extracted(text: str, *headings: Heading, title: str = "", pages: tuple[Page, ...] = ()) -> Extracted:
    return Extracted(text, title, "text/plain", "", headings, pages)


@given(lines)
@example(["e", "\u0301", "\x00\u0301"])
def test_offsets_of_headings_and_pages_follow_the_normalized_text(written: list[str]) -> None:
    text = "\n".join(written)
    starts = list(itertools.accumulate((len(line) + 1 for line in written[:-1]), initial=0))
    headings = [Heading(1, f"h{start}", start) for start in starts]
    kept, changes = accept(extracted(text, *headings, pages=tuple(Page(1, start) for start in starts)))
    assert kept.text == normalized(text)
    assert [kept.text[heading.start :] for heading in kept.headings] == [normalized(text[start:]) for start in starts]
    assert [page.start for page in kept.pages] == [heading.start for heading in kept.headings]
    assert changes.dropped == 0


@given(
    st.builds(
        Extracted,
        text=anything,
        title=anything,
        content_type=anything,
        language=anything,
        headings=st.lists(st.builds(Heading, st.integers(-3, 99), anything, st.integers(-5, 60))).map(tuple),
        pages=st.lists(st.builds(Page, st.integers(-5, 2**40), st.integers(-5, 60))).map(tuple),
        warnings=st.lists(anything, max_size=20).map(tuple),
    )
)
def test_any_output_of_a_child_process_can_be_stored(given_: Extracted) -> None:
    kept, _ = accept(given_)
    titles = [kept.title, kept.content_type, *kept.warnings, *(heading.title for heading in kept.headings)]
    for text in (kept.text, *titles):
        assert "\x00" not in text
        assert unicodedata.is_normalized("NFC", text)
        text.encode()
    assert all(len(line) <= 500 and len(line.splitlines()) <= 1 for line in titles)
    assert all(1 <= heading.level <= 6 and heading.title for heading in kept.headings)
    assert all(1 <= page.number < 2**31 for page in kept.pages)
    for places in (kept.headings, kept.pages):
        starts = [each.start for each in places]
        assert starts == sorted(starts)
        assert all(start == 0 or kept.text[start - 1] == "\n" for start in starts)
    assert accept(kept)[0] == kept


def test_long_titles_and_headings_are_shortened_and_reported() -> None:
    given_ = extracted("text", Heading(1, "h" * 5_000, 0), title="t" * 512_000)
    kept, changes = accept(given_)
    assert (len(kept.title), len(kept.headings[0].title)) == (300, 200)
    assert notes(changes) == "2 titles or names were too long and were shortened."


def test_text_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boundary, "MAX_CHARACTERS", 10)
    with pytest.raises(UnreadableError, match="more than 10 characters"):
        accept(extracted("a" * 11))
