"""Quotable parts of a source, and their form."""

from hypothesis import given
from hypothesis import strategies as st

from echomind_agent.evidence.citations import cite
from echomind_agent.evidence.sources import Sources
from echomind_agent.extractive.quotes import compose, quotes_of
from echomind_lib.retrieval import Hit
from echomind_lib.retrieval.rendered import ParsedSource

GUIDE = """# Pumps

The pump is strong. It delivers
about 45 litres per minute (see [3] and [the manual](http://example.com/m)).

## Start

Proceed as follows:

1. Open the valve.
2. Press start:
   ```
   pump --start
   ```
3. Wait.

| Model | Power |
|-------|-------|
| P-1   | 5 kW  |
| P-2   |       |

Run this command:

```
pump --check
```

Sizes:
- small
- large
"""


def _quotes(text: str = GUIDE, section: str = "", number: int = 1) -> list[tuple[str, str]]:
    return [(quote.heading, quote.text) for quote in quotes_of(ParsedSource(number, "Manual", section, text), "en")]


def _compose(*chosen: str) -> str:
    quotes = quotes_of(ParsedSource(1, "Manual", "", GUIDE), "en")
    return compose(quotes, [quote for quote in quotes if quote.text in chosen])


def test_code_in_which_a_passage_begins_is_not_quoted() -> None:
    text = "approve(leave)\n{fence}\n\nThe team lead approves leave.\n\n```\nlist(leave)\n```"
    for fence in ("```", "~~~~"):
        source = ParsedSource(1, "Manual", "", text.format(fence=fence), in_code=True)
        assert [quote.text for quote in quotes_of(source, "en")] == ["The team lead approves leave."]
    assert quotes_of(ParsedSource(1, "Manual", "", "approve(leave)\nlist(leave)", in_code=True), "en") == []


def test_units_with_their_headings() -> None:
    assert _quotes() == [
        ("Pumps", "The pump is strong."),
        ("Pumps", "It delivers about 45 litres per minute (see (3) and the manual)."),
        ("Start", "Proceed as follows:"),
        ("Start", "Open the valve."),
        ("Start", "Press start:"),
        ("Start", "Wait."),
        ("Start", "Model: P-1; Power: 5 kW"),
        ("Start", "Model: P-2"),
        ("Start", "Run this command:"),
        ("Start", "Sizes:"),
        ("Start", "small"),
        ("Start", "large"),
    ]
    assert _quotes("Alone.", "Handbook › Leave") == [("Leave", "Alone.")]


def test_sentence_that_points_back_brings_the_one_before() -> None:
    answer = _compose("It delivers about 45 litres per minute (see (3) and the manual).")
    assert answer == "The pump is strong. [1] It delivers about 45 litres per minute (see (3) and the manual). [1]"


def test_introduction_brings_its_list() -> None:
    assert _compose("Sizes:") == "Sizes: [1]\n\n- small [1]\n- large [1]"


def test_a_single_step_is_shown_alone_and_several_together() -> None:
    assert _compose("Wait.") == "Proceed as follows: [1]\n\n3. Wait. [1]"
    answer = _compose("Open the valve.", "Wait.")
    assert answer.startswith("Proceed as follows: [1]\n\n1. Open the valve. [1]\n2. Press start: [1]")
    assert answer.endswith("3. Wait. [1]")


def test_code_follows_what_introduces_it() -> None:
    assert _compose("Run this command:") == "Run this command: [1]\n\n```\npump --check\n```"


def test_rows_can_be_read_alone() -> None:
    assert _compose("Model: P-1; Power: 5 kW") == "- Model: P-1; Power: 5 kW [1]"
    assert _quotes("| a | b |\n| c | d |") == [("", "a – b"), ("", "c – d")]


def test_rows_of_extracted_tables_are_quoted_one_by_one_under_their_columns() -> None:
    rows = [f"City: {city}; Limit per night: 200 euro; Contact: Dr. Berg. Ask early" for city in ("Oslo", "Rome")]
    expected = [("", row) for row in rows]
    assert _quotes("\n".join(rows)) == expected
    assert _quotes("\n".join(f"- {row}" for row in rows)) == expected


def test_titles_and_headings_that_nothing_marks_are_never_quoted() -> None:
    text = "Travel Policy\n\nHotels in Oslo\n\nUp to 150 euro a night.\n\nLimits\n\nCity: Oslo; Limit: 200 euro"
    assert _quotes(text, "Travel Policy") == [
        ("Hotels in Oslo", "Up to 150 euro a night."),
        ("Limits", "City: Oslo; Limit: 200 euro"),
    ]
    assert _quotes("Manual") == []


def test_quotations_without_a_full_stop_are_cited_one_by_one() -> None:
    text = "INVOICE No. 2026-0417\nPayable within 21 days to account 7733 1904"
    quotes = quotes_of(ParsedSource(1, "Scan", "", text), "en")
    answer = compose(quotes, quotes)
    sources = Sources()
    sources.add([Hit("c", 1, 1, "s", "Scan", text, (), None, 0, len(text), 0.5, 0.5)])
    cited = [(answer[each.sentence_start : each.sentence_end], each.supported) for each in cite(answer, sources)]
    assert cited == [(f"{line} [1]", True) for line in text.split("\n")]


def test_a_short_paragraph_without_a_full_stop_is_quoted() -> None:
    assert _quotes("Up to 150 euro a night\n\n# Abroad\n\nUp to 200 euro") == [
        ("", "Up to 150 euro a night"),
        ("Abroad", "Up to 200 euro"),
    ]


def test_long_quotations_are_cut_at_a_word() -> None:
    ((_, text),) = _quotes("word " * 300)
    assert len(text) <= 602
    assert text.endswith("word …")


@given(st.text(alphabet=st.sampled_from(list("ab A. \n-1|#`*:[]>。中")), max_size=150))
def test_everything_that_is_quoted_is_cited_and_holds(text: str) -> None:
    quotes = quotes_of(ParsedSource(1, "", "", text), "en")
    answer = compose(quotes, quotes)
    sources = Sources()
    sources.add([Hit("c", 1, 1, "s", "", text, (), None, 0, len(text), 0.5, 0.5)])
    for quote in quotes:
        assert quote.text in answer
    for citation in cite(answer, sources):
        assert citation.number == 1


def test_code_below_a_heading_is_quoted_with_it() -> None:
    backup = "## Make a backup\n\n```sh\ntool backup\n```\n\nIt takes a minute.\n\n"
    text = f"{backup}## Test\n\nRun this:\n\n```\ntool test\n```\n"
    found = quotes_of(ParsedSource(1, "Manual", "", text), "en")
    assert [(quote.text, quote.code) for quote in found] == [
        ("Make a backup:", "tool backup"),
        ("It takes a minute.", ""),
        ("Run this:", "tool test"),
    ]
    assert compose(found, found[:1]) == "Make a backup: [1]\n\n```\ntool backup\n```"


def test_short_lines_of_a_slide_or_a_scan_stand_below_the_first() -> None:
    text = "INVOICE No. 17\nHarbour Ltd, Leeds\nTotal 37.85 GBP\n\nIt is payable within 21 days."
    first, *lines, sentence = quotes_of(ParsedSource(1, "scan.png", "", text), "en")
    assert (first.text, first.is_title) == ("INVOICE No. 17", True)
    assert [(line.text, line.title, line.heading) for line in lines] == [
        ("Harbour Ltd, Leeds", "INVOICE No. 17", "INVOICE No. 17"),
        ("Total 37.85 GBP", "INVOICE No. 17", "INVOICE No. 17"),
    ]
    assert (sentence.text, sentence.table) == ("It is payable within 21 days.", "")


def test_short_lines_below_a_heading_are_all_lines() -> None:
    text = "# Risks\n\nThe motor is late\n\nThe certificate is missing"
    quotes = quotes_of(ParsedSource(1, "Plan", "", text), "en")
    assert [(quote.text, quote.title, quote.is_title) for quote in quotes] == [
        ("The motor is late", "Risks", False),
        ("The certificate is missing", "Risks", False),
    ]
    assert compose(quotes, quotes) == "- The motor is late [1]\n- The certificate is missing [1]"


def test_the_headers_of_an_email_are_no_sentence_of_it() -> None:
    text = "From: Katrin <k@schwalbe.example>\nTo: Tom <t@northwind.example>\nDate: 5 Mar 2026\n\nWe deliver on Monday."
    *headers, sentence = quotes_of(ParsedSource(1, "Tyres", "", text), "en")
    assert headers
    assert all(header.is_mail_header for header in headers)
    assert not sentence.is_mail_header
    assert "schwalbe" in sentence.context
