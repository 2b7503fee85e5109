"""The kinds of questions, independent of the transport."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from echomind_lib.access.principal import KeyLimits, Rates
from echomind_lib.models.public import RunOptions
from echomind_lib.runs.caller import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    user_id: int
    """The asker, who must own the session."""
    request_id: str = ""
    """The user's idempotency key: a repeated key returns the first call's question. Empty for none."""
    options: RunOptions = field(default_factory=RunOptions)
    """Options of the run. They override the session's preferences; limits can only lower the assistant's."""
    caller: Caller | None = None
    """What a program gives besides the question."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """Values of the program for the run."""
    limits: KeyLimits | None = None
    """Limits of the API key that asks. A session that begins with the question has them; no other key asks in it."""
    api_key_id: int | None = None
    """The API key that asks, whose quotas the run is charged to, too; None for none."""
    rates: Sequence[Rates] = ()
    """What the asker, and that key, may do at a time."""
    run_external_id: str = ""
    """The run's ID at the program, unique in the session; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstQuestion(_Asked):
    """A question that starts a session."""

    content: str
    assistant_id: int = 0
    """The session's assistant; 0 means the person's default one."""
    assistant_version: int = 0
    """Version that the run and sub-agents of the same assistant keep, of one that leads no team; 0 for the newest one.
    The caller checks that it exists and that the user may choose it."""
    notebook_id: int | None = None
    """The session's notebook; None for none."""
    title: str = ""
    """The session's title; empty means the beginning of the question."""
    holds_words_of_others: bool = False
    """Whether it holds text that the person has not written, such as titles of documents: it is nobody's word then."""
    document_ids: Sequence[int] = ()
    """Attached documents. The caller checks that the user may read them."""
    is_unlisted: bool = False
    """Whether the session is for this question only, and not listed."""
    external_id: str | None = None
    """The session's ID at the program that asks, unique among the user's sessions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextQuestion(_Asked):
    """A question after the head of a session, or an answer to a waiting run of it."""

    session_id: int
    content: str
    document_ids: Sequence[int] = ()
    """As in `FirstQuestion`; none for the answer to a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedQuestion(_Asked):
    """An edited question, which becomes a sibling of the original one."""

    message_id: int
    """The original question."""
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Regeneration(_Asked):
    """The same question once more, for another answer beside the ones that there are."""

    message_id: int
    """The question, or an answer to it."""


Question = FirstQuestion | NextQuestion | EditedQuestion | Regeneration
