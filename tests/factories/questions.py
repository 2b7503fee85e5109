"""Questions of people, as their clients ask them."""

from typing import Any

from echomind_lib.conversations.questions import FirstQuestion, NextQuestion, StoredQuestion
from echomind_lib.conversations.questions.submission import store
from echomind_lib.events.log import EventLog
from echomind_lib.models.public import RunOptions


async def ask(
    log: EventLog,
    user_id: int,
    session_id: int | None = None,
    content: str = "What?",
    *,
    request_id: str = "",
    **options: Any,
) -> StoredQuestion:
    """Stores and publishes a question that begins a session, or one of a session; wakes nobody.

    Args:
        log: Where.
        user_id: Who asks.
        session_id: The session; None begins one.
        content: The question.
        request_id: The person's key against repetition.
        options: `RunOptions` by their JSON names.
    """
    given = RunOptions.model_validate(options)
    question = (
        FirstQuestion(user_id=user_id, content=content, request_id=request_id, options=given)
        if session_id is None
        else NextQuestion(user_id=user_id, session_id=session_id, content=content, request_id=request_id, options=given)
    )
    return (await store(log, question)).question
