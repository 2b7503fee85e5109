"""Work in the background as rows of `background_jobs`: requested once or many times, done by one worker at a time.

A job is claimed with a lease, which its worker renews while it works. A worker that stops gives its jobs back; one that
dies loses them. What fails is retried with back-off, and what fails for good is kept as `failed` with its reason, with
a copy in the dead letters.
"""

from echomind_lib.jobs.kinds import (
    CHANGE_DOCUMENTS,
    CONNECTOR_SCOPE,
    DOCUMENT_READERS,
    EXTRACT_KNOWLEDGE,
    EXTRACT_MEMORIES,
    FIND_IDLE_SESSIONS,
    INDEX_FACTS,
    LEARN_FROM_RUN,
    REMOVE_DOCUMENTS,
    SCHEDULE_SYNCS,
    SUMMARIZE_SESSION,
    SWEEP_LEFTOVERS,
    SYNC_CONNECTOR,
    TITLE_SESSION,
    JobKind,
)
from echomind_lib.jobs.lease import Job
from echomind_lib.jobs.queue import enqueue, enqueue_in, request, wake
from echomind_lib.jobs.worker import JobFailedError, JobHandler, JobWorker

__all__ = [
    "CHANGE_DOCUMENTS",
    "CONNECTOR_SCOPE",
    "DOCUMENT_READERS",
    "EXTRACT_KNOWLEDGE",
    "EXTRACT_MEMORIES",
    "FIND_IDLE_SESSIONS",
    "INDEX_FACTS",
    "LEARN_FROM_RUN",
    "REMOVE_DOCUMENTS",
    "SCHEDULE_SYNCS",
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
    "wake",
]
