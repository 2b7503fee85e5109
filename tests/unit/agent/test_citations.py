"""Citations: the sentences that cite a source, and whether it supports them."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_agent.evidence.citations import cite, without_markers
from echomind_agent.evidence.sources import Sources
from echomind_lib.retrieval import Hit
from echomind_lib.runs.citation_rows import NewCitation
from tests.drivers.tables import for_each

LEAVE = "Employees get 30 days of annual leave. Up to five unused days may be carried over until 31 March."
PUMP = "The P-200 delivers 45 litres per minute. Do not run the pump dry."


def sources_of(*texts: str, title: str = "T", start: int = 0) -> Sources:
    sources = Sources()
    sources.add(
        Hit(f"c{position}", position, 1, "s", title, text, (), 3, start, start + len(text), 0.5, 0.5)
        for position, text in enumerate(texts, start=1)
    )
    return sources


def pairs(text: str, sources: Sources) -> list[tuple[str, int]]:
    return [(text[c.sentence_start : c.sentence_end], c.number) for c in cite(text, sources)]


@for_each(
    ("text", "expected"),
    [
        ("You get leave [1].", [("You get leave [1].", 1)]),
        ("You get leave. [1] Not more.", [("You get leave. [1]", 1)]),
        ("Both say so [1][2].", [("Both say so [1][2].", 1), ("Both say so [1][2].", 2)]),
        ("Both say so [1, 2].", [("Both say so [1, 2].", 1), ("Both say so [1, 2].", 2)]),
        ("Both say so [1-3].", [("Both say so [1-3].", 1), ("Both say so [1-3].", 2)]),
        ("Both 【1】［2］", [("Both 【1】［2］", 1), ("Both 【1】［2］", 2)]),
        ("Twice [1] the same [1].", [("Twice [1] the same [1].", 1)]),
        ("None has it [7].", []),
        ("No marker.", []),
        ("Code `a[1]` and\n```\nb[2]\n```\n", []),
        ("Code `a[1]` but [2].", [("Code `a[1]` but [2].", 2)]),
        ("- first [1]\n- second [2]", [("first [1]", 1), ("second [2]", 2)]),
        ("| a | b [1] |\n|---|---|\n| c | d [2] |", [("| a | b [1] |", 1), ("| c | d [2] |", 2)]),
        ("A sentence about leave.\n\n[1]", [("A sentence about leave.", 1)]),
        ("A sentence about leave.\n[1], [2]", [("A sentence about leave.", 1), ("A sentence about leave.", 2)]),
        ("[1]", []),
        ("A link [1](https://example.com) cites nothing.", []),
        ("Leave it [1].\n\nSources:\n[1] Handbook", [("Leave it [1].", 1)]),
    ],
)
def test_cited_sentences(text: str, expected: list[tuple[str, int]]) -> None:
    assert pairs(text, sources_of(LEAVE, PUMP, title="Handbook")) == expected


def test_a_citation_has_the_page_of_its_sentence() -> None:
    text = f"{LEAVE}\n\n{PUMP}"
    sources = Sources()
    begun = 100 + text.index(PUMP)
    sources.add([Hit("c", 1, 1, "s", "T", text, (), 3, 100, 100 + len(text), 0.5, 0.5, later_pages=((begun, 4),))])
    answer = "Employees get 30 days of annual leave [1]. The P-200 delivers 45 litres per minute [1]."
    assert [citation.page for citation in cite(answer, sources)] == [3, 4]


def test_citation_points_at_the_supporting_passage() -> None:
    text = "Up to five days may be carried over [1]."
    (citation,) = cite(text, sources_of(LEAVE, title="Handbook", start=100))
    begin = LEAVE.index("Up to five")
    assert citation == NewCitation(
        number=1,
        document_id=1,
        title="Handbook",
        chunk_id="c1",
        score=0.5,
        snippet=LEAVE[begin:],
        supported=True,
        page=3,
        sentence_start=0,
        sentence_end=len(text),
        chunking_session="s",
        span_start=100 + begin,
        span_end=100 + len(LEAVE),
    )


@for_each(
    ("claim", "source", "supported"),
    [
        ("Employees get 30 days of annual leave", LEAVE, True),
        ("Employees get 28 days of annual leave", LEAVE, False),
        ("Employees of Initech get 30 days of annual leave", LEAVE, False),
        ("Employees do not get 30 days of annual leave", LEAVE, False),
        ("Run the pump dry", PUMP, False),
        ("Never run the pump dry", PUMP, True),
        ("Employees get 30 days of annual leave", PUMP, False),
        ("Die Angestellten erhalten jedes Jahr insgesamt 30 bezahlte Urlaubstage", LEAVE, True),
        ("Die Angestellten erhalten jedes Jahr insgesamt 28 bezahlte Urlaubstage", LEAVE, False),
    ],
)
def test_support(claim: str, source: str, supported: bool) -> None:
    (citation,) = cite(f"{claim} [1].", sources_of(source))
    assert citation.supported is supported


BRIDGE = (
    "The old bridge was built by Ferdinand Krause in 1911. Its towers were painted green after the war. "
    "The harbour office was moved to the north bank by Helene Lindqvist."
)


@pytest.mark.parametrize(
    ("claim", "supported"),
    [
        ("Ferdinand Krause built the old bridge in 1911", True),
        ("Helene Lindqvist moved the harbour office to the north bank", True),
        ("Helene Lindqvist painted the towers", False),
        ("The north bank harbour office built the old bridge", False),
        # Each part of a list is from a sentence of its own.
        (
            "Ferdinand Krause built the old bridge, the towers were painted green, and the harbour office was moved",
            True,
        ),
    ],
)
def test_a_claim_that_joins_words_of_several_sentences_is_not_supported(claim: str, supported: bool) -> None:
    (citation,) = cite(f"{claim} [1].", sources_of(BRIDGE))
    assert citation.supported is supported


OFFICE = """# Oslo office
The office in Oslo opened in the 1990s. It has room for sixty guests. It has:
- a canteen
- a library

| Floor | Tenant |
|---|---|
| Ground floor | Reception |
| First floor | Accounting department |

Visitors are not only welcome but invited. Members of the Works Council need no badge. Deliveries go to Elizabeth Moore.
"""


@for_each(
    ("claim", "supported"),
    [
        # The subject stands in the sentence before.
        ("The office in Oslo has room for sixty guests", True),
        # Items of a list belong to what introduces it; headings and headers of tables to all rows.
        ("The Oslo office has a canteen and also a library", True),
        ("The first floor in Oslo has the accounting department as tenant", True),
        ("The ground floor has the accounting department", False),
        ("The Oslo office opened in the 90s", True),
        ("The Oslo office opened in the 80s", False),
        ("Visitors are welcome and invited", True),
        ("Members of the WC need no badge", True),
        ("Members of the XY need no badge", False),
        ("Deliveries go to Elisabeth Moore", True),
        ("Deliveries go to Margarete Moore", False),
        ("The office in Oslo opened with purple velvet curtain fabrics", False),
    ],
)
def test_what_belongs_together_in_a_source(claim: str, supported: bool) -> None:
    (citation,) = cite(f"{claim} [1].", sources_of(OFFICE))
    assert citation.supported is supported


FINALS = (
    "The Super Bowl of the tenth season was played in Denver after World War II. "
    "Louis XIV watched it without a ticket. In 1955 the stadium was sold to Helene Lindqvist."
)


@for_each(
    ("claim", "supported"),
    [
        # The same name, number or event is written in several ways.
        ("The Superbowl of the 10th season was played in Denver", True),
        ("The Superbowl of the 11th season was played in Denver", False),
        ("The Supercup of the 10th season was played in Denver", False),
        ("The Super Bowl was played in Denver after World War 2", True),
        ("The Super Bowl was played in Denver after World War 1", False),
        ("It was watched by Louis XIV", True),
        ("It was watched by Louis XVI", False),
        # Who acts without something does act.
        ("Louis XIV watched it", True),
        ("Louis XIV watched it with a ticket", False),
    ],
)
def test_what_is_written_in_another_way(claim: str, supported: bool) -> None:
    (citation,) = cite(f"{claim} [1].", sources_of(FINALS))
    assert citation.supported is supported


def test_a_negation_concerns_the_words_beside_it() -> None:
    source = "A committee examines bills of promoters outside the council who are not members of the government."
    (citation,) = cite("A committee examines bills of promoters outside the council [1].", sources_of(source))
    assert citation.supported
    (citation,) = cite(
        "A committee examines bills of promoters who are members of the government [1].", sources_of(source)
    )
    assert not citation.supported


def test_claims_written_by_hand() -> None:
    """At least as many right as `bench/citations.py` reports."""
    rows = [json.loads(line) for line in Path("bench/data/claims.jsonl").read_text("utf-8").splitlines()]
    right = {True: 0, False: 0}
    total = {True: 0, False: 0}
    for row in rows:
        for expected in (True, False):
            for claim in row["supported" if expected else "unsupported"]:
                (citation,) = cite(f"{claim} [1]", sources_of(row["text"], title=row["title"]))
                right[expected] += citation.supported is expected
                total[expected] += 1
    assert right[True] >= 0.95 * total[True]
    assert right[False] >= 0.8 * total[False]


def test_long_snippets_are_cut() -> None:
    long = "word " * 200
    (citation,) = cite("A word [1].", sources_of(long))
    assert len(citation.snippet) == 400
    assert citation.snippet.endswith("…")
    assert (citation.span_start, citation.span_end) == (0, len(long.rstrip()))


def test_markers_can_be_taken_out() -> None:
    assert without_markers("Thirty days [1]. More [2, 3]. [4]") == "Thirty days. More."


_TEXT = st.text(
    alphabet=st.one_of(st.sampled_from(list(" \n.[]【】123,-|`*#!?。")), st.characters(codec=None)), max_size=100
)


@given(_TEXT, _TEXT)
def test_any_text_survives(answer: str, source: str) -> None:
    for citation in cite(answer, sources_of(source, LEAVE, start=7)):
        assert 0 <= citation.sentence_start < citation.sentence_end <= len(answer)
        text = source if citation.number == 1 else LEAVE
        assert 7 <= citation.span_start <= citation.span_end <= 7 + len(text)
        piece = text[citation.span_start - 7 : citation.span_end - 7]
        assert citation.snippet in (piece, f"{piece[:399]}…")
