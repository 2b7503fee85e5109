"""Whether a question whose idempotency key was used before is a repetition of that question."""

from dataclasses import dataclass
from typing import Final

import asyncpg
from sqlalchemy import func, select

from echomind_lib.conversations.questions.kinds import Question, Regeneration
from echomind_lib.conversations.questions.positions import REQUEST_ID, USER_ID
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Query
from echomind_lib.errors import AlreadyExistsError


@dataclass(frozen=True, slots=True, kw_only=True)
class _Begun:
    input: str
    fingerprint: str


_BEGUN: Final = Query(
    select(Run.input, func.coalesce(Run.caller["fingerprint"].astext, "").label("fingerprint")).where(
        Run.user_id == USER_ID, Run.request_id == REQUEST_ID
    ),
    _Begun,
)


async def require_repetition(pool: asyncpg.Pool, question: Question) -> None:
    """Returns if the run that began with the question's idempotency key has the same question, or none began with it.

    Raises:
        AlreadyExistsError: It has another question, whose answer would be taken for the answer to this one.
    """
    begun = await _BEGUN.fetch_one(pool, user_id=question.user_id, request_id=question.request_id)
    if begun is None:  # the key was that of an answer to a run
        return
    fingerprint = question.caller.fingerprint if question.caller else ""
    is_same = isinstance(question, Regeneration) or begun.input == question.content
    if not is_same or begun.fingerprint != fingerprint:
        raise AlreadyExistsError(
            "This idempotency key was used for another request: give each request a key of its own.",
            resource="run",
            field="requestId",
        )
