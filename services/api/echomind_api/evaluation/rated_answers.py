"""Questions of a dataset, made from the answers of a conversation that somebody has rated."""

import re
from collections.abc import Sequence
from typing import Final

from echomind_lib.models.public import ChatMessage, EvaluationCase, MessageRole, MessageStatus

_MARKER: Final = re.compile(r"[ \t]?\[\d+\](?!\()")


def rated_cases(messages: Sequence[ChatMessage]) -> list[EvaluationCase]:
    """Returns a question for each answer that the reader has rated, in order.

    A helpful answer is expected again, with the documents that it cites, as far as the reader may see them.

    Args:
        messages: The messages of the branch that is shown, as the reader sees them.
    """
    by_id = {message.id: message for message in messages}
    cases = []
    for answer in messages:
        question = by_id.get(answer.parent_message_id or 0)
        if answer.role is not MessageRole.ASSISTANT or answer.feedback is None or question is None:
            continue
        is_helpful = answer.feedback.is_positive and answer.status is MessageStatus.COMPLETED
        cited = [citation.title for citation in answer.citations if citation.title]
        cases.append(
            EvaluationCase(
                question=question.content,
                documents=list(dict.fromkeys(cited)) if is_helpful else [],
                answer=_MARKER.sub("", answer.content) if is_helpful else "",
                message_id=answer.id,
            )
        )
    return cases


def has_content_of_sources(case: EvaluationCase) -> bool:
    """Returns whether a question that was made of a rated answer shows more than the person's own words."""
    return bool(case.answer or case.documents)
