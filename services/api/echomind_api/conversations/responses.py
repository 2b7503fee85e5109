"""Stored questions as callers see them."""

from echomind_lib.conversations.questions import StoredQuestion
from echomind_lib.models.public import (
    AuthorKind,
    ChatMessage,
    MessageRole,
    MessageStatus,
    Run,
    RunKind,
    RunStatus,
    SendMessageResponse,
)


def to_response(question: StoredQuestion) -> SendMessageResponse:
    """Returns the response to a question that was stored."""
    return SendMessageResponse(
        user_message=ChatMessage(
            id=question.user_message_id,
            role=MessageRole.USER,
            author_kind=AuthorKind.from_word(question.author_kind),
            status=MessageStatus.COMPLETED,
            content=question.content,
            token_count=question.token_count,
            parent_message_id=question.parent_message_id,
            chat_session_id=question.chat_session_id,
            creation_date=question.asked_at,
        ),
        assistant_message=ChatMessage(
            id=question.assistant_message_id,
            role=MessageRole.ASSISTANT,
            author_kind=AuthorKind.ASSISTANT,
            status=MessageStatus.STREAMING,
            parent_message_id=question.user_message_id,
            run_id=str(question.run_id),
            chat_session_id=question.chat_session_id,
            creation_date=question.creation_date,
        ),
        run=Run(
            id=str(question.run_id),
            kind=RunKind.AGENT,
            status=RunStatus.from_word(question.status),
            assistant_id=question.assistant_id,
            assistant_version=question.assistant_version or 0,
            input=question.content,
            message_id=question.assistant_message_id,
            max_steps=question.max_steps,
            timeout_seconds=question.timeout_seconds,
            max_run_tokens=question.max_run_tokens or 0,
            max_cost=question.max_cost or 0.0,
            max_depth=question.max_depth,
            goal=question.goal or "",
            auto_run=question.auto_run,
            ask_clarifications=question.ask_clarifications,
            chat_session_id=question.chat_session_id,
            creation_date=question.creation_date,
        ),
    )
