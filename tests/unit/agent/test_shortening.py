"""Shortened texts."""

import re

from hypothesis import given
from hypothesis import strategies as st

from echomind_agent.text.shortening import one_line, shorten
from echomind_lib.llms.tokens import count_tokens

_NAMES = st.sampled_from(["source", "result", "goal"])
_BLOCKS = st.lists(st.tuples(_NAMES, st.text(alphabet="abc \n<>/", max_size=200)), min_size=1, max_size=8)
_TAGS = re.compile(r"^<(/?)(source|result|goal)( number=\"\d+\")?>$", re.MULTILINE)


@given(st.text(max_size=2000), st.integers(0, 300))
def test_shortened_text_fits_and_keeps_its_ends(text: str, tokens: int) -> None:
    shortened = shorten(text, tokens, count_tokens)
    if count_tokens(text) <= tokens:
        assert shortened == text
        return
    assert count_tokens(shortened) <= max(tokens, 20)
    assert re.search(r"\[\d+ characters are left out here to fit the model's window\.]", shortened)
    if tokens > 100:
        assert shortened[:5] == text[:5]
        assert shortened[-5:] == text[-5:]


@given(_BLOCKS, st.integers(30, 200))
def test_delimited_text_stays_delimited(blocks: list[tuple[str, str]], tokens: int) -> None:
    text = "\n".join(
        f'<{name} number="{number}">\n{re.sub("<", "‹", inner)}\n</{name}>'
        for number, (name, inner) in enumerate(blocks)
    )
    open_tag = None
    for tag in _TAGS.finditer(shorten(text, tokens, count_tokens)):
        if tag[1]:
            assert tag[2] == open_tag
            open_tag = None
        else:
            assert open_tag is None
            open_tag = tag[2]
    assert open_tag is None


@given(st.text(), st.integers(2, 400))
def test_one_line_is_one_line(text: str, length: int) -> None:
    line = one_line(text, length)
    assert len(line) <= length
    assert len(line.splitlines()) <= 1
    assert "<" not in line
