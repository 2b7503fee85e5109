"""Questions of running evaluations: those that wait to be asked, and those that were asked."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from echomind_lib.db.words import RunStatus
from echomind_lib.llms.record import LlmRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that waits to be asked."""

    id: int
    evaluation_id: int
    user_id: int
    api_key_id: int | None
    """The API key that started the evaluation; None for none."""
    assistant_id: int
    older_version: int | None
    """The version that is evaluated, if the assistant has a newer one and neither leads a team; None otherwise."""
    expected: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question that was asked, with the state of its run."""

    id: int
    evaluation_id: int
    user_id: int
    api_key_id: int | None
    """As in `Question`."""
    assistant_id: int
    version: int
    """The version of the assistant that is evaluated."""
    judge: LlmRecord | None
    judge_llm_id: int | None
    expected: dict[str, Any]
    run_id: UUID | None
    """None if its conversation was deleted."""
    chat_session_id: int | None
    status: RunStatus | None
    run_version: int | None
    error: dict[str, Any] | None
    message_id: int | None
    answer: str | None
    tokens: int
    cost: Decimal | None
    duration_ms: int | None
