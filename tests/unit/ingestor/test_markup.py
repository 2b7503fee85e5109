"""reStructuredText, AsciiDoc, Org and LaTeX as Markdown: no words are lost."""

from hypothesis import given
from hypothesis import strategies as st

from echomind_ingestor.extract.latex import from_latex
from echomind_ingestor.extract.markup import from_asciidoc, from_org, from_rst
from tests.drivers.tables import for_each

FORMS = (from_rst, from_asciidoc, from_org, from_latex)


@for_each(
    ("written", "markdown"),
    [
        ("====\nOver\n====\n\nUnder\n=====\n", "# Over\n\n## Under\n"),
        ("Run::\n\n  a\n    b\n\nThen.", "Run:\n\n```\na\n  b\n```\n\n\nThen."),
        (".. note:: Ask first.", "Note: Ask first.\n"),
        (".. a remark\n   of the author\nText", "Text"),
        ("``code``, :doc:`the page <page>`, `site <http://a.b>`_", "`code`, the page, [site](http://a.b)"),
        (
            "+---+---+\n| A | B |\n+===+===+\n| 1 | x |\n|   | y |\n+---+---+",
            "\n| A | B |\n| --- | --- |\n| 1 | x y |\n",
        ),
    ],
)
def test_restructured_text(written: str, markdown: str) -> None:
    assert from_rst(written) == markdown


@for_each(
    ("written", "markdown"),
    [
        ("== A\n:toc:\n// no\n.Title\n* x\n.. y", "## A\nTitle\n- x\n1. y"),
        ("|===\n|A |B\n\n|1\n|2\nmore\n|===", "\n| A | B |\n| --- | --- |\n| 1 | 2 more |\n"),
        ("----\n= no heading\n----", "```\n= no heading\n```"),
        ("|===\n|A |B", "A\nB"),
    ],
)
def test_asciidoc(written: str, markdown: str) -> None:
    assert from_asciidoc(written) == markdown


@for_each(
    ("written", "markdown"),
    [
        ("* TODO Order tyres :work:\n:ID: 5", "# Order tyres\n:ID: 5"),
        ("#+begin_src sh\n* no heading\n#+end_src", "```\n* no heading\n```"),
        ("| A | B |\n|---+---|\n| 1 | [[http://a.b][x]] |", "| A | B |\n|---|---|\n| 1 | [x](http://a.b) |"),
    ],
)
def test_org(written: str, markdown: str) -> None:
    assert from_org(written) == markdown


@for_each(
    ("written", "markdown"),
    [
        (r"\section*{A \emph{b}}", "## A b"),
        (r"caf\'e, Gr\"o{\ss}e, \c{c}a, 5\,\% of \$4", "café, Größe, ça, 5 % of $4"),
        (r"It is $a_{1}^2$, as \cite{smith} says~now. % remark", "It is $a_{1}^2$, as [smith] says now."),
        (r"\unknown{words} stay", "words stay"),
        (r"\begin{verbatim}\x{y} % z\end{verbatim}", "```\n\\x{y} % z\n```"),
        ("no preamble \\end{document} nothing", "no preamble"),
    ],
)
def test_latex(written: str, markdown: str) -> None:
    assert " ".join(from_latex(written).split()) == " ".join(markdown.split())


@given(st.text(alphabet=st.sampled_from(list("ab A.\n=-|*#+:`_{}\\$&%[]~ ")), max_size=120))
def test_any_text_is_read(text: str) -> None:
    for form in FORMS:
        assert isinstance(form(text), str)
