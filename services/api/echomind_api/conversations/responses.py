"""Stored questions as callers see them."""

from echomind_lib.conversations.questions import StoredQuestion
from echomind_lib.models import public


def to_response(question: StoredQuestion) -> public.SendMessageResponse:
    """Returns the response to a question that was stored."""
    return public.SendMessageResponse(
        user_message=public.ChatMessage(
            id=question.user_message_id,
            role=public.MessageRole.USER,
            author_kind=public.AuthorKind.from_word(question.author_kind),
            status=public.MessageStatus.COMPLETED,
            content=question.content,
            token_count=question.token_count,
            parent_message_id=question.parent_message_id,
            chat_session_id=question.chat_session_id,
            creation_date=question.asked_at,
        ),
        assistant_message=public.ChatMessage(
            id=question.assistant_message_id,
            role=public.MessageRole.ASSISTANT,
            author_kind=public.AuthorKind.ASSISTANT,
            status=public.MessageStatus.STREAMING,
            parent_message_id=question.user_message_id,
            run_id=str(question.run_id),
            chat_session_id=question.chat_session_id,
            creation_date=question.creation_date,
        ),
        run=public.Run(
            id=str(question.run_id),
            kind=public.RunKind.AGENT,
            status=public.RunStatus.from_word(question.status),
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
