"""The kinds of jobs. The only place that names them."""

from dataclasses import dataclass
from typing import Final

from echomind_lib import retries
from echomind_lib.retries import RetryPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind:
    """A kind of job: its name, and what happens after an attempt.

    Attributes:
        name: As stored in `background_jobs.kind`.
        retries: Policy for retries of a failed attempt.
        runs_again: Whether a request that comes while the job runs makes it run once more afterwards. Without it, the
            request is ignored.
        every: Seconds after which a job of this kind runs again by itself; None for one that runs when it is
            requested. A job that recurs never ends as `failed`.
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
        """Returns whether an attempt, from 1, is to be made; a job that recurs has any number of them."""
        return self.every is not None or self.retries.attempts is None or attempt <= self.retries.attempts

    def unique_key(self, subject_id: str) -> str:
        """Returns what tells a job of this kind from others: there is one for each subject."""
        return f"{self.name}:{subject_id}"


SUMMARIZE_SESSION: Final = JobKind(name="summarize_session", runs_again=False)
"""Earlier messages of a chat session are summarized. The subject is the session."""
TITLE_SESSION: Final = JobKind(name="title_session", runs_again=False)
"""A chat session gets a title from its model. The subject is the session."""
CONNECTOR_SCOPE: Final = JobKind(name="connector.scope")
"""The chunks of a connector get the scope of their connector. The subject is the connector."""
DOCUMENT_READERS: Final = JobKind(name="documents.readers")
"""Chunks follow the readers that a source has for their documents. The subject is the connector."""
CHANGE_DOCUMENTS: Final = JobKind(name="documents.change", runs_again=False)
"""Many documents are deleted, retried or moved. The subject is the request; the payload says what and which."""
REMOVE_DOCUMENTS: Final = JobKind(name="documents.remove", every=10.0)
"""What is stored of removed documents and connectors is deleted. It has no subject: one job removes all."""
SWEEP_LEFTOVERS: Final = JobKind(name="documents.sweep", every=20.0)
"""A page of stored files and chunks is checked for what no row names. It has no subject."""
SCHEDULE_SYNCS: Final = JobKind(name="connector.schedule", every=3.0)
"""Syncs of connectors that are due begin. It has no subject."""
SYNC_CONNECTOR: Final = JobKind(name="connector.sync")
"""A connector is synced for a while; a sync that is not over then requests it again. The subject is the connector."""
INDEX_FACTS: Final = JobKind(name="facts.index", every=30.0)
"""The vectors of memories and knowledge follow their rows. It has no subject: one job follows all changes."""
FIND_IDLE_SESSIONS: Final = JobKind(name="sessions.idle", every=60.0)
"""Sessions that nobody uses for a while are found, for what can be learned from them. It has no subject."""
EXTRACT_MEMORIES: Final = JobKind(name="memories.extract")
"""Memories of its owner are extracted from a chat session. The subject is the session."""
EXTRACT_KNOWLEDGE: Final = JobKind(name="knowledge.extract")
"""Knowledge of its owner is extracted from a chat session. The subject is the session."""
LEARN_FROM_RUN: Final = JobKind(name="knowledge.lesson", runs_again=False)
"""A lesson is drawn from a run that failed. The subject is the run."""
