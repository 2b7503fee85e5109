"""The kinds of background jobs. No other module defines their names."""

from dataclasses import dataclass
from typing import Final

from echomind_lib.process import retries
from echomind_lib.process.retries import RetryPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind:
    """A kind of job: its name, and its retry and recurrence rules.

    Attributes:
        name: As stored in `background_jobs.kind`.
        retries: Policy for retries of a failed attempt.
        runs_again: Whether a request that arrives while the job runs makes it run again afterwards. Otherwise the
            request is ignored.
        every: Interval in seconds at which a job of this kind recurs; None for one that runs only when requested. A
            recurring job never ends as `failed`.
    """

    name: str
    retries: RetryPolicy = retries.BACKGROUND
    runs_again: bool = True
    every: float | None = None

    @property
    def subject(self) -> str:
        """Subject of the messages that wake the workers of this kind."""
        return f"jobs.{self.name}"

    def may_attempt(self, attempt: int) -> bool:
        """Returns whether an attempt (1 or more) may be made; a recurring job has no limit."""
        return self.every is not None or self.retries.attempts is None or attempt <= self.retries.attempts

    def unique_key(self, subject_id: str) -> str:
        """Returns the key of a job of this kind, which is unique per subject."""
        return f"{self.name}:{subject_id}"


SUMMARIZE_SESSION: Final = JobKind(name="summarize_session", runs_again=False)
"""Summarizes earlier messages of a chat session. The subject is the session."""
TITLE_SESSION: Final = JobKind(name="title_session", runs_again=False)
"""Generates the title of a chat session. The subject is the session."""
SUMMARIZE_NOTEBOOK: Final = JobKind(name="summarize_notebook")
"""Summarizes the sources of a notebook that one of its members may read. The subject is `NOTEBOOK:USER`."""
CONNECTOR_SCOPE: Final = JobKind(name="connector.scope", retries=retries.PATIENT)
"""Writes a connector's scope to its chunks, and forgets readers after a change of its permission mode. The subject is
the connector."""
DOCUMENT_READERS: Final = JobKind(name="documents.readers", retries=retries.PATIENT)
"""Writes the readers of documents, as their source defines them, to their chunks. The subject is the connector."""
CHANGE_DOCUMENTS: Final = JobKind(name="documents.change", retries=retries.PATIENT, runs_again=False)
"""Deletes, retries or moves many documents. The subject is the request; the payload is the change."""
REMOVE_DOCUMENTS: Final = JobKind(name="documents.remove", every=10.0)
"""Deletes the data of removed documents and connectors. It has no subject: one job deletes all."""
SWEEP_LEFTOVERS: Final = JobKind(name="documents.sweep", every=120.0)
"""Checks a page of stored files and chunks for orphans, which take space and nothing else. It has no subject."""
SCHEDULE_SYNCS: Final = JobKind(name="connector.schedule", every=3.0)
"""Starts the syncs of connectors that are due. It has no subject."""
SYNC_CONNECTOR: Final = JobKind(name="connector.sync")
"""Runs one slice of a connector's sync; an unfinished sync requests the next one. The subject is the connector."""
INDEX_FACTS: Final = JobKind(name="facts.index", every=30.0)
"""Updates the vectors of changed memories and knowledge. It has no subject: one job handles all changes."""
FILL_INDEXES: Final = JobKind(name="indexes.fill", every=300.0)
"""Fills, switches and drops indexes beside the active one. It has no subject."""
FIND_IDLE_SESSIONS: Final = JobKind(name="sessions.idle", every=60.0)
"""Finds idle sessions, from which memories and knowledge are then extracted. It has no subject."""
EXTRACT_MEMORIES: Final = JobKind(name="memories.extract")
"""Extracts memories about its owner from a chat session. The subject is the session."""
EXTRACT_KNOWLEDGE: Final = JobKind(name="knowledge.extract")
"""Extracts its owner's knowledge from a chat session. The subject is the session."""
LEARN_FROM_RUN: Final = JobKind(name="knowledge.lesson", runs_again=False)
"""Extracts a lesson from a failed run. The subject is the run."""
RUN_EVALUATIONS: Final = JobKind(name="evaluations.run")
"""Asks the questions of all running evaluations, and measures the answers. It has no subject."""
DELIVER_WEBHOOKS: Final = JobKind(name="webhooks.deliver", every=3600.0)
"""Sends events to webhooks for as long as one is enabled. It has no subject: one job sends all."""
