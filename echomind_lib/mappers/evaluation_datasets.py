"""Datasets of questions to evaluate assistants with."""

from collections.abc import Iterable
from typing import Any

from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import EvaluationDataset


def to_model(row: Any, *, user_name: str, cases: int, is_editable: bool) -> EvaluationDataset:
    """Returns the dataset of a row.

    Args:
        row: The row.
        user_name: The name of its owner.
        cases: Number of its questions.
        is_editable: Whether the reader may change it. Others do not see which groups it is shared with.
    """
    hidden: dict[str, Any] = {} if is_editable else {"groups": []}
    return EvaluationDataset.from_row(row, user_name=user_name, cases=cases, is_editable=is_editable, **hidden)


def to_columns(dataset: EvaluationDataset, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of a dataset that can be written.

    Raises:
        ValidationFailedError: A field cannot be written.
    """
    columns = {
        "name": dataset.name,
        "description": dataset.description,
        "is_shared": dataset.is_shared,
        "groups": list(dataset.groups),
    }
    return pick(EvaluationDataset, columns, fields)
