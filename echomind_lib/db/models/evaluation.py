"""Evaluation: datasets of questions, and what came of asking an assistant these questions."""

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import REAL, BigInteger, CheckConstraint, ForeignKey, Index, Numeric, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, CreationDate, at_least, one_of


class EvaluationDataset(Audit, Base):
    """Questions to evaluate assistants with. `groups` are the names of those it is shared with, none for everyone."""

    __tablename__ = "evaluation_datasets"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(255))
    description: Mapped[str] = mapped_column(server_default=text("''"))
    is_shared: Mapped[bool] = mapped_column(server_default=text("false"))
    groups: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))

    __table_args__ = (UniqueConstraint("user_id", "name"),)


class EvaluationCase(Audit, Base):
    """A question with what is expected of its answer; see `EvaluationCase` of the contract.

    `message_id` is the rated answer that it was made from.
    """

    __tablename__ = "evaluation_cases"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    dataset_id: Mapped[int] = mapped_column(ForeignKey("evaluation_datasets.id", ondelete="CASCADE"))
    question: Mapped[str]
    documents: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    passages: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    facts: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    answer: Mapped[str] = mapped_column(server_default=text("''"))
    message_id: Mapped[int | None] = mapped_column(ForeignKey("chat_messages.id", ondelete="SET NULL"))

    __table_args__ = (
        Index("idx_evaluation_cases_dataset_id", "dataset_id", "id"),
        Index(
            "idx_evaluation_cases_message_id",
            "message_id",
            "dataset_id",
            unique=True,
            postgresql_where=text("message_id IS NOT NULL"),
        ),
    )


class EvaluationRun(CreationDate, Base):
    """A dataset's questions, asked of an assistant for `user_id`. `error` is why it failed; NULL if it did not.

    `api_key_id` is the API key that it was started with, which may have been removed; NULL for none.
    """

    __tablename__ = "evaluation_runs"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    dataset_id: Mapped[int] = mapped_column(ForeignKey("evaluation_datasets.id", ondelete="CASCADE"))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    assistant_id: Mapped[int] = mapped_column(ForeignKey("assistants.id"))
    assistant_version: Mapped[int]
    judge_llm_id: Mapped[int | None] = mapped_column(ForeignKey("llms.id"))
    api_key_id: Mapped[int | None]
    status: Mapped[words.EvaluationStatus] = mapped_column(String(20), server_default=text("'running'"))
    error: Mapped[str | None]
    completed_at: Mapped[datetime | None]

    __table_args__ = (
        one_of("status", words.EvaluationStatus),
        at_least("assistant_version", 0),
        CheckConstraint("(status = 'running') = (completed_at IS NULL)", name="completed_at"),
        Index("idx_evaluation_runs_user_id", "user_id", "id"),
        Index("idx_evaluation_runs_dataset_id", "dataset_id", "user_id", "id"),
        Index("idx_evaluation_runs_running", "id", postgresql_where=text("status = 'running'")),
    )


class EvaluationResult(Base):
    """A question of an evaluation. `expected` is the case as it was when the evaluation was started.

    The shares are NULL if nothing of their kind is expected, and until the question was asked. `missing` is what was
    expected and not found. `rank` is that of the first expected document. The judge's tokens and cost (US dollars) are
    no part of the run's; those of the answer are copies of the run's, which its retention may purge.
    """

    __tablename__ = "evaluation_results"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    evaluation_run_id: Mapped[int] = mapped_column(ForeignKey("evaluation_runs.id", ondelete="CASCADE"))
    case_id: Mapped[int | None] = mapped_column(ForeignKey("evaluation_cases.id", ondelete="SET NULL"))
    expected: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    status: Mapped[words.EvaluationResultStatus] = mapped_column(String(20), server_default=text("'pending'"))
    error: Mapped[str | None]
    run_id: Mapped[UUID | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"))
    answer: Mapped[str] = mapped_column(server_default=text("''"))
    rank: Mapped[int | None]
    document_share: Mapped[float | None] = mapped_column(REAL)
    passage_share: Mapped[float | None] = mapped_column(REAL)
    fact_share: Mapped[float | None] = mapped_column(REAL)
    missing: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    citations: Mapped[int] = mapped_column(server_default=text("0"))
    supported_citations: Mapped[int] = mapped_column(server_default=text("0"))
    judge_score: Mapped[float | None] = mapped_column(REAL)
    judge_reason: Mapped[str] = mapped_column(server_default=text("''"))
    judge_prompt_tokens: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    judge_completion_tokens: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    judge_cost: Mapped[Decimal] = mapped_column(Numeric(14, 8), server_default=text("0"))
    tokens: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    cost: Mapped[Decimal | None] = mapped_column(Numeric(14, 8))
    duration_ms: Mapped[int | None] = mapped_column(BigInteger)

    __table_args__ = (
        one_of("status", words.EvaluationResultStatus),
        at_least("rank", 1),
        CheckConstraint("document_share BETWEEN 0 AND 1", name="document_share"),
        CheckConstraint("passage_share BETWEEN 0 AND 1", name="passage_share"),
        CheckConstraint("fact_share BETWEEN 0 AND 1", name="fact_share"),
        CheckConstraint("judge_score BETWEEN 0 AND 1", name="judge_score"),
        CheckConstraint("supported_citations BETWEEN 0 AND citations", name="citations"),
        at_least("judge_prompt_tokens", 0),
        at_least("judge_completion_tokens", 0),
        at_least("judge_cost", 0),
        Index("idx_evaluation_results_evaluation_run_id", "evaluation_run_id", "id"),
        Index("idx_evaluation_results_case_id", "case_id", postgresql_where=text("case_id IS NOT NULL")),
        Index("idx_evaluation_results_run_id", "run_id", postgresql_where=text("run_id IS NOT NULL")),
    )
