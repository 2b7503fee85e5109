"""Questions of evaluations, with what came of them."""

from typing import Any

from echomind_lib.models.public import EvaluationResult


def to_model(row: Any) -> EvaluationResult:
    """Returns the result of a row."""
    return EvaluationResult.from_row(row).model_copy(update={"status_message": row.error or ""})
