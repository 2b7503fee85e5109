"""Conversations as files: Markdown for people, JSON for programs."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID

import asyncpg
from sqlalchemy import ARRAY, Uuid, and_, any_, bindparam, or_, select

from echomind_lib.access import Principal, assistants
from echomind_lib.db.models.catalog import Assistant, Llm
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Query, columns
from echomind_lib.db.words import RunKind
from echomind_lib.models import public

_BASIS_WORDS: Final = {
    public.AnswerBasis.NO_SOURCE_FOUND: "No source found.",
    public.AnswerBasis.MODEL_ONLY: "From the model alone, without your documents.",
    public.AnswerBasis.OTHER: "From web pages, knowledge, memories or tools, not from your documents.",
}
"""What an answer without sources stands on."""
_NAME_CHARACTERS: Final = 60
_NOT_IN_NAMES: Final = re.compile(r"[^\w]+")
"""Characters not used in file names: all but letters, digits and the underscore."""
_NOT_IN_BRACKETS: Final = re.compile(r"[\s<>]")
"""Characters that would end an address in Markdown."""

_HEADINGS: Final = {
    public.AuthorKind.FOREIGN: "## Question (written by somebody else)",
    public.AuthorKind.UNKNOWN: "## Question (perhaps written by somebody else)",
}
"""Headings of questions that the session's owner has not written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerer:
    """An assistant, a team or a member that worked on an answer."""

    id: UUID
    """The run."""
    parent_run_id: UUID | None
    kind: RunKind
    assistant: str | None
    """Its assistant; None when the reader may not see it."""
    assistant_version: int | None
    model: str | None
    result_summary: str | None
    """The member's report to its team."""


_run_ids = bindparam("run_ids", type_=ARRAY(Uuid))
_ANSWERERS: Final = Query(
    select(*columns(Answerer, Run, assistant=Assistant.name, model=Llm.name))
    .outerjoin(Assistant, and_(Assistant.id == Run.assistant_id, assistants("read").where(Assistant)))
    .outerjoin(Llm, Llm.id == Run.llm_id)
    .where(or_(Run.id == any_(_run_ids), and_(Run.parent_run_id == any_(_run_ids), Run.kind == "member")))
    .order_by(Run.id),
    Answerer,
)


async def read_answerers(
    pool: asyncpg.Pool, reader: Principal, messages: Sequence[public.ChatMessage]
) -> dict[str, list[Answerer]]:
    """Returns the answerers by the run of the message: first the assistant or team, then its members."""
    run_ids = [message.run_id for message in messages if message.run_id]
    found: dict[str, list[Answerer]] = {}
    for each in await _ANSWERERS.fetch_all(pool, run_ids=run_ids, **assistants("read").values(reader)):
        found.setdefault(str(each.parent_run_id if each.kind == "member" else each.id), []).append(each)
    return found


def export(
    session: public.ChatSession,
    messages: Sequence[public.ChatMessage],
    answerers: Mapping[str, Sequence[Answerer]],
    export_format: public.ExportFormat,
) -> public.ExportChatSessionResponse:
    """Returns a conversation as a file.

    Args:
        session: The conversation.
        messages: The messages of its shown branch, as its reader may see them.
        answerers: Who answered, by the run of the message.
        export_format: The form of the file.
    """
    name = _NOT_IN_NAMES.sub("-", session.title)[:_NAME_CHARACTERS].strip("-") or f"conversation-{session.id}"
    if export_format is public.ExportFormat.JSON:
        content = {
            "chatSession": session.model_dump(mode="json"),
            "messages": [message.model_dump(mode="json") for message in messages],
            "runs": [_record(run_id, some) for run_id, some in answerers.items()],
        }
        text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
        return public.ExportChatSessionResponse(file_name=f"{name}.json", media_type="application/json", content=text)
    text = "\n\n".join(_blocks(session, messages, answerers)) + "\n"
    return public.ExportChatSessionResponse(file_name=f"{name}.md", media_type="text/markdown", content=text)


def _record(run_id: str, answerers: Sequence[Answerer]) -> dict[str, Any]:
    first, *members = map(_answerer_record, answerers)
    return {"id": run_id} | first | {"members": members}


def _answerer_record(answerer: Answerer) -> dict[str, Any]:
    values = {
        "kind": answerer.kind,
        "assistant": answerer.assistant,
        "assistantVersion": answerer.assistant_version,
        "model": answerer.model,
        "answer": answerer.result_summary,
    }
    return {name: value for name, value in values.items() if value is not None}


def _blocks(
    session: public.ChatSession, messages: Sequence[public.ChatMessage], answerers: Mapping[str, Sequence[Answerer]]
) -> Iterator[str]:
    yield f"# {' '.join(session.title.split())}"
    for message in messages:
        if message.role is public.MessageRole.USER:
            yield _HEADINGS.get(message.author_kind, "## Question")
            yield "\n".join(f"> {line}".rstrip() for line in message.content.splitlines())
        elif message.content or message.error:
            yield "## Answer"
            yield message.content or f"*{message.error}*"
            if sources := "\n".join(_sources(message.citations)):
                yield f"**Sources**\n\n{sources}"
            elif words := _BASIS_WORDS.get(message.basis):
                yield f"*{words}*"
            if tools := ", ".join(message.other_tools):
                yield f"*Also used: {tools}*"
            if names := "; ".join(filter(None, map(_name, answerers.get(message.run_id, ())))):
                yield f"*Answered by {names}*"


def _name(answerer: Answerer) -> str:
    """Names an assistant with its version and model, as far as they are known; empty when the reader may not see it."""
    if not answerer.assistant:
        return ""
    version = f"version {answerer.assistant_version}" if answerer.assistant_version else ""
    return ", ".join(filter(None, (answerer.assistant, version, answerer.model)))


def _sources(citations: Sequence[public.Citation]) -> Iterator[str]:
    """Lists each source once, by its number."""
    titles: dict[int, str] = {}
    confirmed = {citation.number for citation in citations if citation.supported}
    for citation in citations:
        page_text = f", page {citation.page}" if citation.page else ""
        found = citation.url or citation.original_url
        address = f", <{_NOT_IN_BRACKETS.sub(lambda sign: quote(sign[0]), found)}>" if found else ""
        file = f" ({citation.file_name})" if citation.file_name not in {"", citation.title} else ""
        title = f"{citation.title}{file}{page_text}{address}" if citation.title else "a source you cannot open"
        titles.setdefault(citation.number, title)
    for number, title in sorted(titles.items()):
        yield f"{number}. {title}" + ("" if number in confirmed else " (not confirmed)")
