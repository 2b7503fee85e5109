"""Questions that work in a notebook begins with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from echomind_lib.errors import ValidationFailedError
from echomind_lib.models.public import NotebookTemplate, StartNotebookTemplateRequest

MAX_DOCUMENTS: Final = 20
"""Maximum documents of a question."""


@dataclass(frozen=True, slots=True)
class _Text:
    """A template in one language; `{titles}` and `{fields}` are filled in."""

    title: str
    question: str


_ENGLISH: Final = {
    NotebookTemplate.SUMMARY: _Text(
        "Summary of the sources",
        "Summarize these sources:\n{titles}\n\nSay in two or three sentences what they are about together, then in a "
        "short paragraph for each what it says. Close with the heading “Suggested questions” and a list of five "
        "questions that the sources can answer, one a line.",
    ),
    NotebookTemplate.BRIEFING: _Text(
        "Briefing",
        "Write a briefing from these sources, for somebody who has not read them:\n{titles}\n\nUse the headings "
        "“In short”, “Background”, “Main points”, “Figures and dates” and “Open questions”.",
    ),
    NotebookTemplate.COMPARISON: _Text(
        "Comparison of the sources",
        "Compare these sources:\n{titles}\n\nSay where they agree, where they differ or contradict each other, and "
        "what only one of them says. Name the source of each statement.",
    ),
    NotebookTemplate.TABLE: _Text(
        "Table of the sources",
        "Make a table from these sources, with a row for each:\n{titles}\n\nThe columns after the source's title:\n"
        "{fields}\n\nLook for the columns in each source, and write “–” where a source does not say it.",
    ),
}
_GERMAN: Final = {
    NotebookTemplate.SUMMARY: _Text(
        "Zusammenfassung der Quellen",
        "Fasse diese Quellen zusammen:\n{titles}\n\nSage in zwei oder drei Sätzen, worum es in ihnen zusammen geht, "
        "dann in einem kurzen Absatz für jede, was sie sagt. Schließe mit der Überschrift „Fragen zum Weiterlesen“ und "
        "einer Liste von fünf Fragen, die die Quellen beantworten können, eine je Zeile.",
    ),
    NotebookTemplate.BRIEFING: _Text(
        "Briefing",
        "Schreibe aus diesen Quellen ein Briefing für jemanden, der sie nicht gelesen hat:\n{titles}\n\nNimm die "
        "Überschriften „Kurz gesagt“, „Hintergrund“, „Hauptpunkte“, „Zahlen und Daten“ und „Offene Fragen“.",
    ),
    NotebookTemplate.COMPARISON: _Text(
        "Vergleich der Quellen",
        "Vergleiche diese Quellen:\n{titles}\n\nSage, worin sie übereinstimmen, worin sie sich unterscheiden oder "
        "widersprechen, und was nur eine von ihnen sagt. Nenne zu jeder Aussage die Quelle.",
    ),
    NotebookTemplate.TABLE: _Text(
        "Tabelle der Quellen",
        "Mache aus diesen Quellen eine Tabelle mit einer Zeile für jede:\n{titles}\n\nDie Spalten nach dem Titel der "
        "Quelle:\n{fields}\n\nSuche in jeder Quelle nach den Spalten, und schreibe „–“, wo eine Quelle es nicht sagt.",
    ),
}
_OTHER: Final = "\n\nWrite all of it in the language with the ISO 639-1 code {language}."


def template_question(request: StartNotebookTemplateRequest, titles: Sequence[str]) -> tuple[str, str]:
    """Returns the title of the conversation and the question.

    Args:
        request: The request.
        titles: Of the documents that it is about.

    Raises:
        ValidationFailedError: A table has no fields, or there is no document.
    """
    if request.template is NotebookTemplate.TABLE and not request.fields:
        raise ValidationFailedError("Name the columns of the table in `fields`.", fields="must have a field")
    if not titles:
        raise ValidationFailedError(
            "The notebook has no source that you may read and that is indexed: add one first.",
            id="must have a source that you may read",
        )
    language = request.language.lower().partition("-")[0]
    text = (_GERMAN if language == "de" else _ENGLISH)[request.template]
    question = text.question.format(titles=_listed(titles), fields=_listed(request.fields))
    return text.title, question + ("" if language in ("", "en", "de") else _OTHER.format(language=language))


def _listed(texts: Sequence[str]) -> str:
    return "\n".join(f"- {' '.join(text.split())}" for text in texts)
