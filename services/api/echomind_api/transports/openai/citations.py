"""Citations in OpenAI's forms, and as a list of sources for clients that read none of them."""

from collections.abc import Sequence
from typing import Any

from echomind_lib.models.public import Citation

_HEADING = "\n\nSources:\n"


def document_url(address: str, document_id: int) -> str:
    """Returns the page of a document."""
    return f"{address}/documents/{document_id}"


def source_url(address: str, citation: Citation) -> str:
    """Returns the address of a source: of its web page, or of its document's page; empty if it cannot be opened."""
    if citation.url:
        return citation.url
    return document_url(address, citation.document_id) if citation.document_id and citation.title else ""


def sources_text(citations: Sequence[Citation], address: str) -> str:
    """Returns the numbered sources of an answer, to be put after its text; empty if it cites none.

    A source is marked if the check found none of its sentences supported.
    """
    by_number: dict[int, list[Citation]] = {}
    for citation in citations:
        if source_url(address, citation):
            by_number.setdefault(citation.number, []).append(citation)
    if not by_number:
        return ""
    return _HEADING + "\n".join(_line(number, by_number[number], address) for number in sorted(by_number))


def _line(number: int, citations: Sequence[Citation], address: str) -> str:
    first = citations[0]
    page = f", page {first.page}" if first.page else ""
    doubt = "" if any(citation.supported for citation in citations) else " (the source does not support the sentence)"
    title = first.title.replace("[", "(").replace("]", ")")
    return f"[{number}] [{title}]({_in_link(source_url(address, first))}){page}{doubt}"


def _in_link(url: str) -> str:
    """Returns an address as the target of a link in Markdown: one with brackets or blanks would end early."""
    return url.replace(" ", "%20").replace("(", "%28").replace(")", "%29").replace("<", "%3C").replace(">", "%3E")


def url_citations(citations: Sequence[Citation], address: str) -> list[dict[str, Any]]:
    """Returns the supported citations of an answer as flat `url_citation` annotations, by position."""
    shown = [each for each in citations if each.supported and source_url(address, each)]
    return [
        {
            "type": "url_citation",
            "url": source_url(address, citation),
            "title": citation.title,
            "start_index": citation.sentence_start,
            "end_index": citation.sentence_end,
        }
        for citation in sorted(shown, key=lambda each: (each.sentence_start, each.number))
    ]


def nested(annotations: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns flat annotations in the form of chat completions."""
    return [
        {"type": each["type"], each["type"]: {name: value for name, value in each.items() if name != "type"}}
        for each in annotations
    ]


def file_citations(citations: Sequence[Citation]) -> list[dict[str, Any]]:
    """Returns the supported citations of an answer as `file_citation` annotations."""
    return [
        {
            "type": "file_citation",
            "file_id": f"file-{citation.document_id}",
            "filename": citation.file_name or citation.title,
            "index": citation.sentence_end,
        }
        for citation in citations
        if citation.supported and citation.document_id and citation.title
    ]
