"""Operations on knowledge that a model proposes: parsed strictly, and checked against its prompt."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

import msgspec

from echomind_agent.learning import proposals
from echomind_agent.learning.checks import (
    is_command,
    is_instruction,
    is_stated,
    keeps_details,
    may_be_kept,
    shares_terms,
)
from echomind_agent.learning.proposals import SHARE, NotJsonError, list_schema, read_json, read_list
from echomind_agent.learning.repetition import without_repetition
from echomind_lib.learned.knowledge.entities import ERROR_LESSON, KnownEntity, NewEntity
from echomind_lib.llms.schemas import Schema, array, or_null, struct, text_schema, words
from echomind_lib.text import single_line

MAX_NEW: Final = 3
"""Maximum number of entities from one session, over all extractions."""
MAX_TITLE: Final = 120
MAX_CONTENT: Final = 1_000
_USUAL_CONTENT: Final = 600
"""Longest text of a model that is held to a form: one to three sentences."""
_MAX_TAGS: Final = 5
_MAX_TAG: Final = 40
_LEAST_CERTAINTY: Final = 0.3
"""Minimum certainty of the model."""

Category: TypeAlias = Literal["fact", "methodology", "preference", "error_lesson"]
Operation: TypeAlias = proposals.Operation[KnownEntity, NewEntity]
Shown: TypeAlias = proposals.Shown[KnownEntity]
Tag: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=_MAX_TAG)]


class Proposal(proposals.Proposal, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One operation as written by a model."""

    op: Literal["ADD", "UPDATE", "MERGE"]
    category: Category
    title: str
    text: str
    tags: tuple[Tag, ...] = ()
    confidence: float = 0.5


class Lesson(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A lesson from a failed run as written by a model."""

    title: str
    text: str
    tags: tuple[Tag, ...] = ()
    confidence: float = 0.5
    replaces: int | None = None
    """Number of the shown lesson that it replaces."""


class _LessonOrNone(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The complete output of a model about a failed run."""

    lesson: Lesson | None


def answer_schema(shown: Shown) -> Schema:
    """Returns the schema of a model's answer, for servers with constrained output."""
    return list_schema(
        shown,
        ("ADD", "UPDATE", "MERGE"),
        category=words(*get_args(Category)),
        title=text_schema(MAX_TITLE),
        text=text_schema(_USUAL_CONTENT),
        tags=array(text_schema(_MAX_TAG), 0, _MAX_TAGS),
        confidence=SHARE,
    )


def lesson_schema(shown: Shown) -> Schema:
    """Returns the schema of an answer about a failed run, which can only replace shown lessons."""
    numbers = list(range(1, len(shown.candidates) + 1))
    nothing: Schema = {"type": "null"}
    replaces = or_null({"type": "integer", "enum": numbers}) if numbers else nothing
    lesson = struct(
        title=text_schema(MAX_TITLE),
        text=text_schema(_USUAL_CONTENT),
        tags=array(text_schema(_MAX_TAG), 0, _MAX_TAGS),
        confidence=SHARE,
        replaces=replaces,
    )
    return struct(lesson=or_null(lesson))


def read_operations(written: str, shown: Shown) -> tuple[list[Operation], int]:
    """Returns the valid operations, and the number of dropped ones.

    An operation is dropped if any part of it is invalid: unknown fields, messages that are not the person's, entities
    that were not shown or that learning may not change, secrets, addresses, and instructions that the person did not
    give.

    Args:
        written: Output of the model.
        shown: The contents of the prompt.

    Raises:
        NotJsonError: It is not a list of operations.
    """
    return read_list(written, Proposal, partial(_checked, shown), shown.may_add)


def read_lesson(written: str, shown: Shown, **origin: Any) -> Operation | None:
    """Returns the valid lesson; None if there is none.

    Args:
        written: Output of the model.
        shown: The contents of the prompt; the candidates are lessons.
        origin: The other fields of the `NewEntity`.

    Raises:
        NotJsonError: It contains neither a lesson nor null.
    """
    lesson = _lesson(written)
    if lesson is None:
        return None
    new = _entity(lesson, ERROR_LESSON, session_id=shown.session_id, **origin)
    # A lesson says what to do, but may not command an action on others.
    if new is None or is_command(new.text):
        return None
    if lesson.replaces is None:
        return Operation(new=new)
    if not 1 <= lesson.replaces <= len(shown.candidates):
        return None
    target = shown.candidates[lesson.replaces - 1]
    return Operation(targets=[target], new=new) if _may_replace(new, target, merges=False) else None


def _lesson(written: str) -> Lesson | None:
    """Returns the lesson in a model's output; without constrained output, models may omit the enclosing object.

    Raises:
        NotJsonError: It contains neither a lesson nor null.
    """
    try:
        answer: _LessonOrNone = read_json(written, _LessonOrNone)
    except NotJsonError:
        bare: Lesson | None = read_json(written, Lesson | None)
        return bare
    return answer.lesson


def _checked(shown: Shown, proposal: Proposal) -> Operation | None:
    """Returns the operation of a proposal; None if it is not valid."""
    quoted, targets = shown.quoted(proposal), shown.targets(proposal)
    if not quoted or targets is None:
        return None
    message_ids = sorted(set(proposal.messages))
    new = _entity(proposal, proposal.category, session_id=shown.session_id, message_ids=message_ids)
    if new is None:
        return None
    new = replace(new, is_stated=is_stated(new.text, quoted))
    if is_instruction(new.text) and not new.is_stated:
        return None
    if not all(_may_replace(new, target, merges=len(targets) > 1) for target in targets):
        return None
    return Operation(targets=targets, new=new)


def _entity(given: Proposal | Lesson, category: Category | str, **origin: Any) -> NewEntity | None:
    title, content = single_line(given.title, MAX_TITLE + 1).strip(), without_repetition(given.text.strip())
    if not (0 < len(title) <= MAX_TITLE and 0 < len(content) <= MAX_CONTENT and len(given.tags) <= _MAX_TAGS):
        return None
    tags = list(dict.fromkeys(single_line(tag, _MAX_TAG).strip() for tag in given.tags))
    if not (_LEAST_CERTAINTY <= given.confidence <= 1) or "" in tags:
        return None
    # The title and the content may form a secret only together.
    if not all(may_be_kept(text) for text in (title, content, f"{title} {content}", *tags)):
        return None
    certainty = round(given.confidence, 2)
    return NewEntity(title=title, content=content, category=category, tags=tags, confidence=certainty, **origin)


def _may_replace(new: NewEntity, target: KnownEntity, *, merges: bool) -> bool:
    """Returns whether an entity has the same subject as another one, and, for a merge, loses none of its details."""
    if not target.may_change or not shares_terms(new.text, target.text):
        return False
    return not merges or keeps_details(new.text, target.text)
