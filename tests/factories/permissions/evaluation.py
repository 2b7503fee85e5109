"""The calls about datasets and evaluations."""

from typing import Any

from tests.factories.permissions.rows import (
    ANYTHING,
    EVERYONE,
    FORBIDDEN,
    NOBODY_ELSE,
    PERSONAL,
    Outcome,
    Row,
    Table,
    by_id,
    empty,
    patch,
)
from tests.factories.world import World, name

_ONLY_READ: Outcome = (FORBIDDEN, FORBIDDEN, FORBIDDEN)
DATASETS_READ: Table = {
    "own": EVERYONE,
    "group": EVERYONE,
    "org": EVERYONE,
    "foreign": NOBODY_ELSE,
    "foreign group": NOBODY_ELSE,
}
DATASETS_CHANGED: Table = DATASETS_READ | {"group": _ONLY_READ, "org": _ONLY_READ}


def _of_dataset(item: Any) -> dict[str, Any]:
    return {"datasetId": item}


ROWS: dict[str, Row] = {
    "EvaluationDatasetService/ListEvaluationDatasets": Row(World.nothing, empty, ANYTHING),
    "EvaluationDatasetService/GetEvaluationDataset": Row(World.dataset, by_id, DATASETS_READ),
    "EvaluationDatasetService/CreateEvaluationDataset": Row(
        World.nothing, lambda _: {"dataset": {"name": name()}}, ANYTHING
    ),
    "EvaluationDatasetService/UpdateEvaluationDataset": Row(
        World.dataset, patch("dataset", "name", name), DATASETS_CHANGED
    ),
    "EvaluationDatasetService/DeleteEvaluationDataset": Row(World.dataset, by_id, DATASETS_CHANGED),
    "EvaluationDatasetService/ListEvaluationCases": Row(World.dataset, _of_dataset, DATASETS_READ),
    "EvaluationDatasetService/AddEvaluationCases": Row(
        World.dataset, lambda item: {"datasetId": item, "cases": [{"question": "What?"}]}, DATASETS_CHANGED
    ),
    "EvaluationDatasetService/AddRatedAnswers": Row(
        World.rated_dataset, lambda item: {"datasetId": item, "chatSessionId": item}, DATASETS_CHANGED
    ),
    "EvaluationDatasetService/UpdateEvaluationCase": Row(
        World.evaluation_case, patch("case", "answer", "Yes."), DATASETS_CHANGED
    ),
    "EvaluationDatasetService/DeleteEvaluationCase": Row(World.evaluation_case, by_id, DATASETS_CHANGED),
    "EvaluationRunService/StartEvaluationRun": Row(World.filled_dataset, _of_dataset, DATASETS_READ),
    "EvaluationRunService/ListEvaluationRuns": Row(World.nothing, empty, ANYTHING),
    "EvaluationRunService/GetEvaluationRun": Row(World.evaluation, by_id, PERSONAL),
    "EvaluationRunService/ListEvaluationResults": Row(
        World.evaluation, lambda item: {"evaluationRunId": item}, PERSONAL
    ),
    "EvaluationRunService/CancelEvaluationRun": Row(World.evaluation, by_id, PERSONAL),
    "EvaluationRunService/DeleteEvaluationRun": Row(World.evaluation, by_id, PERSONAL),
}
