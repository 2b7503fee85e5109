"""References of datasets and evaluations."""

from typing import Any

from tests.factories.references.assistants import no_group
from tests.factories.references.use import Use, about, asks
from tests.factories.world import World, name


def _evaluates(item: Any) -> dict[str, Any]:
    return {"datasetId": item}


USES: dict[tuple[str, str], Use] = {
    ("EvaluationDatasetService/CreateEvaluationDataset", "dataset.groups"): Use(
        no_group, asks(lambda group: {"dataset": {"name": name(), "groups": [group]}}), "hidden"
    ),
    ("EvaluationDatasetService/UpdateEvaluationDataset", "dataset.groups"): Use(
        no_group,
        about(
            World.dataset,
            lambda dataset, group: {"id": dataset, "dataset": {"groups": [group]}, "updateMask": "groups"},
        ),
        "hidden",
    ),
    ("EvaluationDatasetService/AddRatedAnswers", "chat_session_id"): Use(
        World.session, about(World.dataset, lambda dataset, session: {"datasetId": dataset, "chatSessionId": session})
    ),
    ("EvaluationRunService/StartEvaluationRun", "assistant_id"): Use(
        World.assistant,
        about(World.filled_dataset, lambda dataset, assistant: {"datasetId": dataset, "assistantId": assistant}),
        "hidden",
    ),
    ("EvaluationRunService/StartEvaluationRun", "judge_llm_id"): Use(
        World.llm, about(World.filled_dataset, lambda dataset, llm: {"datasetId": dataset, "judgeLlmId": llm}), ""
    ),
    ("EvaluationRunService/ListEvaluationRuns", "dataset_id"): Use(World.dataset, asks(_evaluates)),
}
