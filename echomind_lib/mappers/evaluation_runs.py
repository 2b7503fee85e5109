"""Evaluations of assistants."""

from typing import Any

from echomind_lib.models.public import EvaluationFigures, EvaluationRun


def to_model(row: Any, names: Any, counts: Any, figures: EvaluationFigures) -> EvaluationRun:
    """Returns the evaluation of a row.

    Args:
        row: The row.
        names: `dataset_name`, `assistant_name` and `judge_llm_name`, as attributes.
        counts: `questions`, `answered` and `failed`, as attributes.
        figures: What was measured so far.
    """
    return EvaluationRun.from_row(
        row,
        dataset_name=names.dataset_name,
        assistant_name=names.assistant_name,
        judge_llm_name=names.judge_llm_name or "",
        status_message=row.error or "",
        completion_date=row.completed_at,
        questions=counts.questions,
        answered=counts.answered,
        failed=counts.failed,
        figures=figures,
    )
