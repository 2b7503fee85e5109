"""The numbered sources of a run, which its answer may cite."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from google.protobuf import json_format

from echomind_agent.text.delimiting import delimited
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2, session_event_pb2
from echomind_lib.retrieval import Hit
from echomind_lib.retrieval.rendered import SOURCE_BLOCK, parse_sources

_SECTIONS = " › "


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A passage with its citation number."""

    number: int
    document_id: int
    title: str
    chunk_id: str
    chunking_session: str
    text: str
    start: int
    """Start of `text` in the document's text, in code points."""
    page: int | None
    """The page that it begins on, from 1; None if there are none."""
    score: float
    heading: tuple[str, ...] = ()
    """Its headings, outermost first."""
    language: str = ""
    """ISO 639-1 code of its document; empty if unknown."""
    file_name: str = ""
    """Name of its document's file."""
    in_code: bool = False
    """Whether it begins inside a fenced block of code."""
    url: str = ""
    """Address of its web page, which belongs to no document: `document_id` is 0, and `chunking_session` empty."""
    is_guide: bool = False
    """Whether its document is a page of the guide to EchoMind."""
    later_pages: tuple[tuple[int, int], ...] = ()
    """The pages that begin within it: the offset in the document's text, and the number."""

    def page_at(self, offset: int) -> int | None:
        """Returns the page of a place in its text, given as an offset in the document's text."""
        begun = [number for start, number in self.later_pages if start <= offset]
        return begun[-1] if begun else self.page


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePart:
    """A part of a web page's text, as a tool read it."""

    url: str
    title: str
    text: str
    start: int = 0
    """Start of `text` in the page's text, in code points."""

    @property
    def id(self) -> str:
        """Returns an id of this text at this address: a page that has changed is another source."""
        digest = sha256(f"{self.url}\0{self.start}\0{self.text}".encode()).hexdigest()
        return f"web-{digest[:32]}"


class Sources:
    """Sources in order of retrieval; a passage found again keeps its number."""

    def __init__(self) -> None:
        # Numbers may be missing: those of results that an earlier attempt did not record.
        self._by_number: dict[int, Source] = {}
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._by_number)

    def __iter__(self) -> Iterator[Source]:
        return iter(self._by_number.values())

    def get(self, number: int) -> Source | None:
        """Returns the source with this number."""
        return self._by_number.get(number)

    def add(self, hits: Iterable[Hit]) -> list[Source]:
        """Numbers passages; returns them in the given order, existing ones with their old numbers."""
        found, last = [], max(self._by_number, default=0)
        for hit in hits:
            number = self._numbers.setdefault(hit.chunk_id, last + 1)
            if number not in self._by_number:
                last = number
                self._by_number[number] = Source(
                    number=number,
                    document_id=hit.document_id,
                    title=hit.title,
                    chunk_id=hit.chunk_id,
                    chunking_session=hit.chunking_session,
                    text=hit.text,
                    start=hit.start,
                    page=hit.page,
                    score=hit.score,
                    heading=hit.heading,
                    language=hit.language,
                    file_name=hit.file_name,
                    in_code=hit.in_code,
                    is_guide=hit.is_guide,
                    later_pages=hit.later_pages,
                )
            found.append(self._by_number[number])
        return found

    def add_pages(self, parts: Iterable[PagePart]) -> list[Source]:
        """Numbers parts of web pages; returns them in the given order, existing ones with their old numbers."""
        return self.adopt(
            Source(
                number=0,
                document_id=0,
                title=part.title,
                chunk_id=part.id,
                chunking_session="",
                text=part.text,
                start=part.start,
                page=None,
                score=0.0,
                url=part.url,
            )
            for part in parts
        )

    def renumbered(self, order: Sequence[int]) -> "Sources":
        """Returns the sources with the given numbers, numbered from 1 in this order."""
        shown = Sources()
        for number, source in enumerate(order, start=1):
            shown._by_number[number] = replace(self._by_number[source], number=number)
        return shown

    def adopt(self, sources: Iterable[Source]) -> list[Source]:
        """Numbers sources of elsewhere; returns them in the given order, existing ones with their old numbers."""
        found, last = [], max(self._by_number, default=0)
        for source in sources:
            number = self._numbers.setdefault(source.chunk_id, last + 1)
            last = max(last, number)
            found.append(self._by_number.setdefault(number, replace(source, number=number)))
        return found

    def restore(self, stored: Sequence[Mapping[str, Any]], result: str) -> None:
        """Restores the sources of an earlier attempt.

        Args:
            stored: Sources as returned by `sources_record`.
            result: A text with the sources, as returned by `render`.
        """
        texts = {source.number: source.text for source in parse_sources(result)}
        for record in stored:
            found = json_format.ParseDict(dict(record), chat_message_pb2.Source(), ignore_unknown_fields=True)
            if found.number in texts:
                self._numbers[found.chunk_id] = found.number
                self._by_number[found.number] = Source(
                    number=found.number,
                    document_id=found.document_id,
                    title=found.title,
                    chunk_id=found.chunk_id,
                    chunking_session=found.chunking_session,
                    text=texts[found.number],
                    start=found.start,
                    page=found.page if found.HasField("page") else None,
                    score=found.score,
                    heading=tuple(found.heading),
                    language=found.language,
                    url=found.url,
                )


def found_event(query: str, found: Iterable[Source]) -> session_event_pb2.SourcesFound:
    """Returns the stored event about found sources."""
    event = session_event_pb2.SourcesFound(query=query)
    for source in found:
        event.sources.add(
            number=source.number,
            document_id=source.document_id,
            title=source.title,
            chunk_id=source.chunk_id,
            score=source.score,
            chunking_session=source.chunking_session,
            start=source.start,
            page=source.page,
            heading=source.heading,
            language=source.language,
            url=source.url,
        )
    return event


def sources_record(events: Iterable[session_event_pb2.SessionEvent]) -> list[dict[str, Any]] | None:
    """Returns the sources in events, in the form stored with their tool call; None for none."""
    found = [source for event in events for source in event.sources.sources]
    return [json_format.MessageToDict(source) for source in found] or None


def documents_of(events: Iterable[session_event_pb2.SessionEvent]) -> list[int]:
    """Returns the documents of the sources and knowledge in events."""
    found: list[int] = []
    for event in events:
        found += [source.document_id for source in event.sources.sources if source.document_id]
        found += [each for entity in event.knowledge.entities for each in entity.document_ids]
    return found


def render(found: Iterable[Source]) -> str:
    """Returns sources as text for a model; `parse_sources` is the inverse."""
    blocks = []
    for source in found:
        first_line = source.text.lstrip("# ").partition("\n")[0]
        headings = [heading for heading in source.heading if heading not in (source.title, first_line.strip())]
        section = _SECTIONS.join(headings) or None
        blocks.append(
            delimited(
                "source",
                source.text,
                number=source.number,
                title=source.title,
                section=section,
                page=_pages(source),
                begins_in="code" if source.in_code else None,
                part_of="guide" if source.is_guide else None,
                url=source.url or None,
            )
        )
    return "\n".join(blocks)


def _pages(source: Source) -> int | str | None:
    """Returns the page of a source, or the first and the last one; None if there are none."""
    if not source.page or not source.later_pages:
        return source.page or None
    return f"{source.page}-{source.later_pages[-1][1]}"


def numbers_and_rest(text: str) -> tuple[list[int], str]:
    """Returns the numbers of the sources in a text, and the text without them."""
    numbers: list[int] = []

    def take(block: re.Match[str]) -> str:
        numbers.append(int(block["number"]))
        return ""

    return numbers, SOURCE_BLOCK.sub(take, text)


def without_sources(text: str) -> str:
    """Returns a text without its sources."""
    return numbers_and_rest(text)[1]
