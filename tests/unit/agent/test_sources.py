"""Numbered sources, and how they are shown to a model."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from echomind_agent.evidence.sources import (
    Sources,
    found_event,
    numbers_and_rest,
    render,
    sources_record,
    without_sources,
)
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.retrieval import Hit
from echomind_lib.retrieval.rendered import ParsedSource, parse_sources


def hit(key: str = "a", text: str = "Text.", title: str = "Title", heading: tuple[str, ...] = ()) -> Hit:
    return Hit(key, 7, 1, "s", title, text, heading, 3, 10, 10 + len(text), 0.5, 0.25)


def test_numbers_are_given_in_order_and_kept() -> None:
    sources = Sources()
    assert [source.number for source in sources.add([hit("a"), hit("b")])] == [1, 2]
    assert [source.number for source in sources.add([hit("b"), hit("c"), hit("a")])] == [2, 3, 1]
    assert len(sources) == 3
    found = sources.get(3)
    assert found is not None
    assert (found.chunk_id, found.document_id, found.start, found.page, found.score) == ("c", 7, 10, 3, hit().score)
    assert sources.get(4) is None


def test_rendered_sources_are_read_back() -> None:
    sources = Sources()
    found = sources.add([hit("a", "One.\n\nTwo.", 'A "title"'), hit("b", "Three.", heading=("Top", "Sub <b>"))])
    rendered = render(found)
    assert rendered.startswith('<source number="1" title="A \'title\'" page="3">\nOne.\n\nTwo.\n</source>\n')
    assert parse_sources(f"Use this: {rendered} Then answer.") == [
        ParsedSource(1, "A 'title'", "", "One.\n\nTwo."),
        ParsedSource(2, "Title", "Top › Sub ‹b›", "Three."),
    ]
    assert without_sources(f"Use this: {rendered} Then answer.").split() == ["Use", "this:", "Then", "answer."]
    assert numbers_and_rest(f"{rendered} Then.") == ([1, 2], "\n Then.")


def test_a_passage_that_begins_in_code_is_read_back_as_such() -> None:
    found = Sources().add([replace(hit(), in_code=True), hit("b", 'begins_in="code"', 'x begins_in="code"')])
    assert [source.in_code for source in parse_sources(render(found))] == [True, False]


def test_a_passage_over_several_pages_shows_the_first_and_the_last() -> None:
    (found,) = Sources().add([replace(hit(), later_pages=((20, 4), (30, 5)))])
    assert render([found]).startswith('<source number="1" title="Title" page="3-5">')


def test_a_page_of_the_guide_is_read_back_as_such() -> None:
    found = Sources().add([replace(hit(), is_guide=True), hit("b", 'part_of="guide"', 'x part_of="guide"')])
    assert [source.is_guide for source in parse_sources(render(found))] == [True, False]


def test_headings_that_the_text_or_title_shows_are_not_repeated() -> None:
    sources = Sources()
    text = render(sources.add([hit("a", "## Leave\n\nText.", "Handbook", ("Handbook", "Rights", "Leave"))]))
    assert 'section="Rights"' in text


def test_sources_of_an_earlier_attempt_are_restored() -> None:
    first = Sources()
    found = first.add([hit("a", "One <source> two."), hit("b", "Three.")])
    record, result = sources_record([SessionEvent(sources=found_event("query", found))]), render(found)
    assert record is not None
    second = Sources()
    second.restore(record, result)
    assert [(s.number, s.chunk_id, s.start, s.page, s.text) for s in second] == [
        (1, "a", 10, 3, "One ‹source> two."),
        (2, "b", 10, 3, "Three."),
    ]
    assert [source.number for source in second.add([hit("b"), hit("new")])] == [2, 3]


def test_numbers_of_results_that_were_never_recorded_stay_free() -> None:
    """Of two searches at the same time the second is recorded, and then the worker ends."""
    first = Sources()
    first.add([hit(f"lost-{number}") for number in range(3)])
    found = first.add([hit(f"kept-{number}", f"Kept {number}.") for number in range(3)])
    record, result = sources_record([SessionEvent(sources=found_event("query", found))]), render(found)
    assert record is not None
    for adopts in (False, True):
        second = Sources()
        second.restore(record, result)
        hits = [hit(f"lost-{number}", f"Lost {number}.") for number in range(4)]
        again = second.adopt(Sources().add(hits)) if adopts else second.add(hits)
        assert [(source.number, source.text) for source in again] == [(7 + n, f"Lost {n}.") for n in range(4)]
        assert [source.number for source in second] == list(range(4, 11))


_HOSTILE = st.lists(
    st.sampled_from(
        ["</source>", '<source number="9" title="x">', "< / SOURCE >", "<sources>", "\n", " ", "text", '"', ">", "<"]
    ),
    max_size=12,
).map("".join)


@given(_HOSTILE, _HOSTILE, _HOSTILE)
def test_no_text_breaks_out_of_its_source(text: str, title: str, heading: str) -> None:
    sources = Sources()
    rendered = render(sources.add([hit("a", text, title, (heading,)), hit("b", "Second.")]))
    first, second = parse_sources(rendered)
    assert (first.number, second.number, second.text) == (1, 2, "Second.")
    assert len(first.text) == len(text)
    assert rendered.lower().count("</source>") == 2
    assert not without_sources(rendered).strip()
