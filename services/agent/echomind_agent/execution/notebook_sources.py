"""Why a notebook cannot answer: it answers only from its sources, of which the asker must be able to read one."""

from dataclasses import dataclass
from typing import Final

import asyncpg
from sqlalchemy import ColumnElement, bindparam, exists, select

from echomind_lib.access.documents import documents_of_scopes
from echomind_lib.access.notebooks import NOTEBOOK_ID, in_notebook
from echomind_lib.db.models.content import Connector, Document
from echomind_lib.db.models.identity import User
from echomind_lib.db.models.notebooks import NotebookSource
from echomind_lib.db.statements import Query
from echomind_lib.runs.record import RunRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sources:
    """What a notebook has for its asker."""

    has_any: bool
    has_readable: bool
    has_unfinished: bool
    """Whether the asker may read a source that is still being processed."""


def _has_document(*conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    return (
        exists()
        .where(
            Connector.id == Document.connector_id,
            Document.deleted_date.is_(None),
            documents_of_scopes().where(Connector, Document, User),
            in_notebook(NOTEBOOK_ID, Document, User.id),
            *conditions,
        )
        .correlate(User)
    )


_SOURCES: Final = Query(
    select(
        exists().where(NotebookSource.notebook_id == NOTEBOOK_ID).label("has_any"),
        _has_document(Document.chunking_session.is_not(None)).label("has_readable"),
        _has_document(Document.status.in_(("pending", "processing"))).label("has_unfinished"),
    ).where(User.id == bindparam("user_id")),
    _Sources,
)


async def notebook_problem(pool: asyncpg.Pool, run: RunRecord) -> dict[str, str] | None:
    """Returns why the notebook of a run cannot answer its asker, as `runs.error`; None if it can, or there is none.

    Without this, the model would answer from what it knows, as if the notebook said it. Only the first attempt at a
    question is checked: later steps search again with the rights of then.
    """
    notebook = run.session.notebook
    if notebook is None or not run.is_root or run.usage.steps:
        return None
    found = await _SOURCES.fetch_one(pool, user_id=run.user_id, notebook_id=notebook.id)
    if found is None or found.has_readable:
        return None
    if not found.has_any:
        reason, message = "NOTEBOOK_EMPTY", "This notebook has no sources to answer from. Add a source, and ask again."
    elif found.has_unfinished:
        reason = "NOTEBOOK_NOT_READY"
        message = "The sources of this notebook are still being read. Ask again when one is ready."
    else:
        reason = "NOTEBOOK_UNREADABLE"
        message = (
            "You may read none of this notebook's sources, or none could be read, so it cannot answer. Ask its owner "
            "to give you access to one."
        )
    return {"reason": reason, "message": message}
