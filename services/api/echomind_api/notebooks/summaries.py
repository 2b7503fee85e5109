"""The summary of a notebook's sources, as one of its members reads it."""

from echomind_lib import jobs
from echomind_lib.access import Principal
from echomind_lib.events.log import EventLog
from echomind_lib.jobs import SUMMARIZE_NOTEBOOK
from echomind_lib.models.public import NotebookSummary, NotebookSummaryState
from echomind_lib.notebooks import notebook_summaries
from echomind_lib.notebooks.notebook_summaries import subject_of


async def read_summary(log: EventLog, reader: Principal, notebook_id: int) -> NotebookSummary:
    """Returns the summary of the documents that a member may read now, or why there is none."""
    sources = await notebook_summaries.read_sources(log.pool, reader, notebook_id)
    if not sources:
        return NotebookSummary(notebook_id=notebook_id, state=NotebookSummaryState.NO_SOURCES)
    stored = await notebook_summaries.read_summary(log.pool, notebook_id, sources)
    if stored is not None and stored.error is None:
        return NotebookSummary(
            notebook_id=notebook_id,
            state=NotebookSummaryState.READY,
            content=stored.content,
            questions=stored.questions,
            documents=stored.documents,
            model=stored.model,
            creation_date=stored.creation_date,
        )
    job = await notebook_summaries.read_job(log.pool, subject_of(notebook_id, reader.user_id))
    state, message = NotebookSummaryState.NOT_REQUESTED, ""
    if job is not None and job.status in ("pending", "running"):
        state = NotebookSummaryState.PENDING
    elif stored is not None:
        state, message = NotebookSummaryState.FAILED, stored.error or ""
    elif job is not None and job.status == "failed":
        state, message = NotebookSummaryState.FAILED, job.error or ""
    return NotebookSummary(
        notebook_id=notebook_id,
        state=state,
        documents=len(sources),
        status_message=message,
        model=stored.model if stored else "",
        creation_date=stored.creation_date if stored else None,
    )


async def request_summary(log: EventLog, reader: Principal, notebook_id: int) -> NotebookSummary:
    """Requests a summary of the documents that a member may read now, unless it is there or on its way."""
    found = await read_summary(log, reader, notebook_id)
    if found.state not in (NotebookSummaryState.NOT_REQUESTED, NotebookSummaryState.FAILED):
        return found
    await jobs.enqueue(
        log.pool,
        SUMMARIZE_NOTEBOOK,
        subject_of(notebook_id, reader.user_id),
        jobs.requested_with(reader.api_key_id),
        after=notebook_summaries.REQUEST_DELAY,
    )
    return await read_summary(log, reader, notebook_id)
