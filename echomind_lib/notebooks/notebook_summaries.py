"""Summaries of the sources of notebooks: of which documents one is, and its storage.

A summary says what its documents say, so it is kept by the exact set of documents, in their present versions, that it
was written from. A reader finds it only if this is the set of documents that they may read at that moment: somebody who
may read less has another set, and a change of rights or of a document leads to another summary. Documents whose own
permissions at their source decide who reads them are never summarized.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import Final
from uuid import UUID

import asyncpg
from sqlalchemy import BigInteger, Integer, Numeric, Text, bindparam, delete, func, literal, select, true
from sqlalchemy.dialects.postgresql import ARRAY, insert

from echomind_lib.access import Principal
from echomind_lib.access.assistant_choice import chosen
from echomind_lib.access.documents import documents_of_scopes
from echomind_lib.access.notebooks import NOTEBOOK_ID, may_ask_in
from echomind_lib.access.ways import Reader
from echomind_lib.db.charges import charged
from echomind_lib.db.models import Assistant, BackgroundJob, Connector, Document, NotebookSource
from echomind_lib.db.models import NotebookSummary as Row
from echomind_lib.db.statements import Command, Connection, Query, columns
from echomind_lib.jobs.kinds import SUMMARIZE_NOTEBOOK
from echomind_lib.jobs.lease import Job
from echomind_lib.llms import Usage
from echomind_lib.llms.record import LlmRecord
from echomind_lib.llms.rows import SESSION_MODEL, model_part

DOCUMENTS: Final = 20
"""Maximum number of documents of a summary: the first of the notebook."""
REQUEST_DELAY: Final = 5.0
"""Seconds from the last request to the summary, as sources are often added and read one after the other."""
_KEPT: Final = 20
"""Number of summaries of a notebook that are kept, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarySource:
    """A document that a summary is to cover."""

    id: int
    title: str
    language: str | None
    chunking_session: UUID
    """Its version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSummary:
    """A summary, or a failed attempt at it."""

    documents: int
    content: str
    questions: list[str]
    model: str
    error: str | None
    creation_date: datetime


_rule = documents_of_scopes(by_source=False)
_documents = select(NotebookSource.document_id).where(
    NotebookSource.notebook_id == NOTEBOOK_ID, NotebookSource.document_id.is_not(None)
)
_connectors = select(NotebookSource.connector_id).where(NotebookSource.notebook_id == NOTEBOOK_ID)
_of_connectors = select(Document.id).where(Document.connector_id.in_(_connectors), Document.deleted_date.is_(None))
_SOURCES: Final = Query(
    select(Document.id, Document.title, Document.language, Document.chunking_session)
    .join(Connector, Connector.id == Document.connector_id)
    .where(
        Document.id.in_(_documents.union_all(_of_connectors)),
        Document.deleted_date.is_(None),
        Document.chunking_session.is_not(None),
        Connector.deleted_date.is_(None),
        _rule.where(),
        may_ask_in(NOTEBOOK_ID, bindparam(Reader.ID.value, type_=Integer)),
    )
    .order_by(Document.id)
    .limit(DOCUMENTS),
    SummarySource,
)


async def read_sources(pool: asyncpg.Pool, reader: Principal, notebook_id: int) -> list[SummarySource]:
    """Returns the documents of which a member of a notebook may read a summary; none for somebody who is no member."""
    return await _SOURCES.fetch_all(pool, notebook_id=notebook_id, **_rule.values(reader))


def fingerprint(sources: Sequence[SummarySource]) -> str:
    """Returns the key of the summary of exactly these documents in these versions."""
    return sha256("\n".join(f"{source.id} {source.chunking_session}" for source in sources).encode()).hexdigest()


_fingerprint = bindparam("fingerprint", type_=Text)
_READ: Final = Query(
    select(*columns(StoredSummary, Row)).where(Row.notebook_id == NOTEBOOK_ID, Row.fingerprint == _fingerprint),
    StoredSummary,
)


async def read_summary(pool: asyncpg.Pool, notebook_id: int, sources: Sequence[SummarySource]) -> StoredSummary | None:
    """Returns the summary of documents that the reader may read; None if there is none yet."""
    return await _READ.fetch_one(pool, notebook_id=notebook_id, fingerprint=fingerprint(sources))


def subject_of(notebook_id: int, user_id: int) -> str:
    """Returns the subject of the job that summarizes a notebook for one of its members."""
    return f"{notebook_id}:{user_id}"


def read_request(job: Job) -> tuple[int, int, int | None]:
    """Returns the notebook and the member of a job, and the API key that has requested it; None for none.

    An API process of the previous version appends the key to the subject.
    """
    notebook_id, user_id, *keys = map(int, job.subject_id.split(":"))
    return notebook_id, user_id, job.api_key_id or next(iter(keys), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryJob:
    """The state of a job."""

    status: str
    error: str | None


_JOB: Final = Query(
    select(BackgroundJob.status, BackgroundJob.error).where(
        BackgroundJob.unique_key == bindparam("unique_key", type_=Text)
    ),
    SummaryJob,
)


async def read_job(pool: asyncpg.Pool, subject: str) -> SummaryJob | None:
    """Returns the job with a subject, as `subject_of` returns it; None if it was never requested."""
    return await _JOB.fetch_one(pool, unique_key=SUMMARIZE_NOTEBOOK.unique_key(subject))


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryModel:
    """The chat model that writes a summary: that of the assistant which would answer the member's next question."""

    assistant_id: int
    model: LlmRecord | None
    """None if no model is active."""
    is_used_up: bool
    """Whether a quota of the member or of the API key is used up."""


_USER_ID = bindparam("user_id", type_=Integer)
_is_used_up = charged(_USER_ID, api_key_id=bindparam("api_key_id", type_=Integer)).label("is_used_up")
_MODEL: Final = Query(
    select(Assistant.id.label("assistant_id"), *model_part("model"), _is_used_up)
    .outerjoin(SESSION_MODEL, true())
    .where(Assistant.id == chosen(_USER_ID, literal(0)).scalar_subquery()),
    SummaryModel,
)


async def read_model(pool: asyncpg.Pool, user_id: int, api_key_id: int | None) -> SummaryModel | None:
    """Returns the model for a member; None if there is no assistant that they may use."""
    return await _MODEL.fetch_one(pool, user_id=user_id, api_key_id=api_key_id)


_values = {
    "notebook_id": NOTEBOOK_ID,
    "fingerprint": _fingerprint,
    "documents": bindparam("documents", type_=Integer),
    "content": bindparam("content", type_=Text),
    "questions": bindparam("questions", type_=ARRAY(Text)),
    "model": bindparam("model", type_=Text),
    "error": bindparam("error", type_=Text),
    "prompt_tokens": bindparam("prompt_tokens", type_=BigInteger),
    "completion_tokens": bindparam("completion_tokens", type_=BigInteger),
    "cost": bindparam("cost", type_=Numeric),
}
_inserted = insert(Row).values(_values)
_SAVE: Final = Command(
    _inserted.on_conflict_do_update(
        index_elements=[Row.notebook_id, Row.fingerprint],
        set_={
            "content": _inserted.excluded.content,
            "questions": _inserted.excluded.questions,
            "model": _inserted.excluded.model,
            "error": _inserted.excluded.error,
            # What earlier attempts cost stays counted.
            "prompt_tokens": Row.prompt_tokens + _inserted.excluded.prompt_tokens,
            "completion_tokens": Row.completion_tokens + _inserted.excluded.completion_tokens,
            "cost": Row.cost + _inserted.excluded.cost,
            "creation_date": func.now(),
        },
    )
)
_newest = (
    select(Row.id).where(Row.notebook_id == NOTEBOOK_ID).order_by(Row.creation_date.desc(), Row.id.desc()).limit(_KEPT)
)
_DELETE_OLD: Final = Command(delete(Row).where(Row.notebook_id == NOTEBOOK_ID, Row.id.not_in(_newest)))


async def save_summary(
    connection: Connection,
    notebook_id: int,
    sources: Sequence[SummarySource],
    *,
    content: str,
    questions: Sequence[str],
    model: str,
    error: str | None,
    used: Usage,
    cost: Decimal,
) -> None:
    """Stores a summary, or a failed attempt at it, in place of an earlier one of the same documents.

    Args:
        connection: The transaction.
        notebook_id: The notebook.
        sources: The documents.
        content: The summary; empty if the attempt failed.
        questions: Questions that the documents answer.
        model: Name of the model.
        error: Why it failed, for users; None if it did not.
        used: The request's tokens.
        cost: Its price in US dollars; 0 if unknown.
    """
    await _SAVE.execute(
        connection,
        notebook_id=notebook_id,
        fingerprint=fingerprint(sources),
        documents=len(sources),
        content=content,
        questions=list(questions),
        model=model,
        error=error,
        prompt_tokens=used.prompt_tokens,
        completion_tokens=used.completion_tokens,
        cost=cost,
    )
    await _DELETE_OLD.execute(connection, notebook_id=notebook_id)
