"""The kinds of questions: each is one way to ask, whatever the transport."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from echomind_lib.models.public import RunOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    user_id: int
    """The asker, who must own the session."""
    request_id: str = ""
    """Their key against repetition: with one that was used, the first call's question is the result. Empty for none."""
    options: RunOptions = field(default_factory=RunOptions)
    """Options of the run. They take precedence over the session's preferences; limits only lower the assistant's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstQuestion(_Asked):
    """A question that begins a session."""

    content: str
    assistant_id: int = 0
    """The session's assistant; 0 means the person's default one."""
    notebook_id: int | None = None
    """The notebook that the session is in; None for none."""
    title: str = ""
    """The session's title; empty: the beginning of the question."""
    document_ids: Sequence[int] = ()
    """Attached documents. The caller checks that the user may read them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextQuestion(_Asked):
    """A question after the head of a session, or the answer to a run of it that waits for one."""

    session_id: int
    content: str
    document_ids: Sequence[int] = ()
    """As in `FirstQuestion`; none for the answer to a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedQuestion(_Asked):
    """A question beside another one, in its place in the conversation."""

    message_id: int
    """The question that is asked in other words."""
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Regeneration(_Asked):
    """The same question once more, for another answer beside the ones that there are."""

    message_id: int
    """The question, or an answer to it."""


Question = FirstQuestion | NextQuestion | EditedQuestion | Regeneration
