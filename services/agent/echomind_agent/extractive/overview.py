"""What the built-in model says of several documents: their first sentences, and questions from their headings."""

from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from typing import Final

from echomind_agent.text.sentences import blocks, sentences_of
from echomind_lib.notebooks.notebook_summaries import SummarySource
from echomind_lib.plain_text import plain_text
from echomind_lib.text import single_line

_DOCUMENTS: Final = 5
"""Maximum number of documents that are quoted, and of questions."""
_TITLE_CHARACTERS: Final = 80
_SENTENCE_CHARACTERS: Final = 300
_FEWEST_WORDS: Final = 4
"""Words of a sentence that says something; shorter ones are labels or dates."""
_QUESTIONS: Final = {"de": "Was steht dort über „{}“?", "en": "What is there about “{}”?"}


def overview_of(sources: Sequence[SummarySource], texts: Sequence[str]) -> tuple[str, list[str]]:
    """Returns the first sentence of each of the first documents, a line each, and questions from their headings.

    Args:
        sources: The documents.
        texts: The beginnings of their texts.
    """
    lines: list[str] = []
    for source, text in zip(sources, texts, strict=True):
        if len(lines) < _DOCUMENTS and (sentence := _first_sentence(source, text)):
            lines.append(f"{single_line(source.title, _TITLE_CHARACTERS)}: {sentence}")
    asked = [list(_questions(source, text)) for source, text in zip(sources, texts, strict=True)]
    # One of each document comes before the second of any.
    in_turn = (question for question in chain.from_iterable(zip_longest(*asked)) if question)
    return "\n".join(lines), list(dict.fromkeys(in_turn))[:_DOCUMENTS]


def _first_sentence(source: SummarySource, text: str) -> str:
    for block in blocks(text):
        if block.kind == "text":
            for start, end in sentences_of(text, block, source.language or "en"):
                sentence = single_line(plain_text(text[start:end]), None)
                if len(sentence.split()) >= _FEWEST_WORDS and len(sentence) <= _SENTENCE_CHARACTERS:
                    return sentence
    return ""


def _questions(source: SummarySource, text: str) -> Iterator[str]:
    question = _QUESTIONS.get(source.language or "en", "{}?")
    for block in blocks(text):
        heading = single_line(plain_text(text[block.start : block.end]), None) if block.kind == "heading" else ""
        if heading and len(heading) <= _TITLE_CHARACTERS:
            yield question.format(heading)
