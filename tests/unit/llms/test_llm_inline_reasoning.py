"""Reasoning between tags at the start of a text."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from echomind_lib.llms.inline_reasoning import InlineReasoning
from tests.drivers.tables import for_each


def split(pieces: list[str]) -> tuple[str, str]:
    splitter = InlineReasoning()
    parts = [splitter.feed(piece) for piece in pieces] + [splitter.finish()]
    return "".join(reasoning for reasoning, _ in parts), "".join(text for _, text in parts)


@for_each(
    ("text", "reasoning", "answer"),
    [
        ("Hello", "", "Hello"),
        ("<think>why</think>Hello", "why", "Hello"),
        ("\n<think>\nwhy\n</think>\n\nHello\n", "\nwhy\n", "Hello\n"),
        ("<think></think>Hello", "", "Hello"),
        ("<think>cut off </thi", "cut off </thi", ""),
        ("<think>a</think><think>b</think>", "a", "<think>b</think>"),
        ("Use <think> tags</think>", "", "Use <think> tags</think>"),
        ("<thin", "", "<thin"),
        ("  ", "", "  "),
        ("<think>a</think>\n\n", "a", ""),
        ("", "", ""),
    ],
)
def test_only_a_block_at_the_start_is_reasoning(text: str, reasoning: str, answer: str) -> None:
    assert split([text]) == (reasoning, answer)
    assert split(list(text)) == (reasoning, answer)


TAGGED = st.lists(st.sampled_from(["<think>", "</think>", "<", "</", "think>", "\n", " ", "a", "é"]), max_size=12)


@given(TAGGED, st.data())
def test_the_split_does_not_depend_on_the_pieces(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)))) | {0, len(text)})
    assert split([text[start:stop] for start, stop in pairwise(cuts)]) == split([text])


@given(TAGGED)
def test_a_text_without_tags_is_not_changed(parts: list[str]) -> None:
    text = "x" + "".join(parts)
    assert split([text]) == ("", text)
