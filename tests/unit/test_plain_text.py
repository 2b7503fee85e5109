"""Snippets as people read them."""

from hypothesis import given
from hypothesis import strategies as st

from echomind_agent.evidence.citations import cite
from echomind_agent.evidence.sources import Sources
from echomind_lib.plain_text import plain_text
from echomind_lib.retrieval import Hit
from tests.drivers.tables import for_each


@for_each(
    ("markup", "plain"),
    [
        ("## The **pump** is `strong`", "The pump is strong"),
        ('- [x] see [the *manual*](http://example.com/a "Title")', "see the manual"),
        ("> quoted _text_ and snake_case_name", "quoted text and snake_case_name"),
        ("| Oslo | **200** euro |\n|---|---|\n| a\\|b | |", "Oslo – 200 euro a|b"),
        ("<p>AT&amp;T <b>bold</b><br/>next</p><!-- note -->", "AT&T bold next"),
        ("```python\nx = 1\n```", "x = 1"),
        ("use `<div>` and `**kwargs`", "use <div> and **kwargs"),
        ("![a pump](pump.png) is <https://example.com>", "a pump is https://example.com"),
        ("***all*** of \\*this\\* is 2 * 3 * 4, a < b > c", "all of *this* is 2 * 3 * 4, a < b > c"),
        ("City: Oslo; Limit: 200", "City: Oslo; Limit: 200"),
    ],
)
def test_markup_is_left_out(markup: str, plain: str) -> None:
    assert plain_text(markup) == plain


@given(st.text(alphabet=st.sampled_from(list("ab \n|*_`[]()<>#-~\\&;!")), max_size=200))
def test_any_text_becomes_one_line(markup: str) -> None:
    text = plain_text(markup)
    assert text == " ".join(text.split())


def test_a_snippet_is_plain_and_its_span_is_the_source_itself() -> None:
    text = "## Hotels\n\nUp to **150 euro** a night, see [the list](http://example.com/list)."
    sources = Sources()
    sources.add([Hit("c", 1, 1, "s", "Travel", text, (), None, 100, 100 + len(text), 0.5, 0.5)])
    (citation,) = cite("Up to 150 euro a night. [1]", sources)
    assert citation.snippet == "Up to 150 euro a night, see the list."
    assert text[citation.span_start - 100 : citation.span_end - 100].startswith("Up to **150 euro**")
    assert citation.supported
