"""Background jobs, stored in `background_jobs`: requested once or several times, executed by one worker at a time.

A job is claimed with a lease, which its worker renews while it executes the job. A worker that stops releases its jobs;
those of a dead worker are claimed by others. Failures are retried with back-off; a permanent failure is stored as
`failed` with its reason, with a copy in the dead-letter stream.
"""

from echomind_lib.jobs.kinds import (
    CHANGE_DOCUMENTS,
    CONNECTOR_SCOPE,
    DELIVER_WEBHOOKS,
    DOCUMENT_READERS,
    EXTRACT_KNOWLEDGE,
    EXTRACT_MEMORIES,
    FILL_INDEXES,
    FIND_IDLE_SESSIONS,
    INDEX_FACTS,
    LEARN_FROM_RUN,
    REMOVE_DOCUMENTS,
    RUN_EVALUATIONS,
    SCHEDULE_SYNCS,
    SUMMARIZE_NOTEBOOK,
    SUMMARIZE_SESSION,
    SWEEP_LEFTOVERS,
    SYNC_CONNECTOR,
    TITLE_SESSION,
    JobKind,
)
from echomind_lib.jobs.lease import Job
from echomind_lib.jobs.queue import enqueue, enqueue_in, request, requested_with, wake
from echomind_lib.jobs.worker import JobFailedError, JobHandler, JobWorker

__all__ = [
    "CHANGE_DOCUMENTS",
    "CONNECTOR_SCOPE",
    "DELIVER_WEBHOOKS",
    "DOCUMENT_READERS",
    "EXTRACT_KNOWLEDGE",
    "EXTRACT_MEMORIES",
    "FILL_INDEXES",
    "FIND_IDLE_SESSIONS",
    "INDEX_FACTS",
    "LEARN_FROM_RUN",
    "REMOVE_DOCUMENTS",
    "RUN_EVALUATIONS",
    "SCHEDULE_SYNCS",
    "SUMMARIZE_NOTEBOOK",
    "SUMMARIZE_SESSION",
    "SWEEP_LEFTOVERS",
    "SYNC_CONNECTOR",
    "TITLE_SESSION",
    "Job",
    "JobFailedError",
    "JobHandler",
    "JobKind",
    "JobWorker",
    "enqueue",
    "enqueue_in",
    "request",
    "requested_with",
    "wake",
]
