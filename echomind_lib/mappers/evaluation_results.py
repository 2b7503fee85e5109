"""Questions of evaluations, with what came of them."""

from typing import Any

from echomind_lib.models.public import EvaluationCase, EvaluationResult, EvaluationResultStatus


def to_model(row: Any) -> EvaluationResult:
    """Returns the result of a row."""
    return EvaluationResult(
        id=row.id,
        evaluation_run_id=row.evaluation_run_id,
        case_id=row.case_id or 0,
        expected=EvaluationCase(**row.expected),
        status=EvaluationResultStatus.from_word(row.status),
        status_message=row.error or "",
        answer=row.answer,
        rank=row.rank or 0,
        document_share=row.document_share,
        passage_share=row.passage_share,
        fact_share=row.fact_share,
        missing=list(row.missing),
        citations=row.citations,
        supported_citations=row.supported_citations,
        judge_score=row.judge_score,
        judge_reason=row.judge_reason,
        judge_cost=float(row.judge_cost),
        tokens=row.tokens,
        cost=None if row.cost is None else float(row.cost),
        duration_ms=row.duration_ms or 0,
        run_id=str(row.run_id or ""),
    )
