"""Questions of datasets."""

from collections.abc import Iterable
from typing import Any, Final

from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import EvaluationCase

EXPECTED: Final = ("question", "documents", "passages", "facts", "answer")
"""The fields that people write, and that an evaluation keeps."""


def to_columns(case: EvaluationCase, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of a question that can be written.

    Raises:
        ValidationFailedError: A field cannot be written.
    """
    columns = {
        "question": case.question,
        "documents": list(case.documents),
        "passages": list(case.passages),
        "facts": list(case.facts),
        "answer": case.answer,
    }
    return pick(EvaluationCase, columns, fields)
