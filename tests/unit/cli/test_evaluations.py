"""`echomind eval datasets`, `run`, `show` and `compare`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.drivers.api_server import ApiServer, about
from tests.drivers.shell import Shell

DATASETS = {"datasets": [{"id": "3", "name": "Leave", "cases": 2, "isEditable": True}]}
FIGURES = {"documents": 0.5, "facts": 0.75, "cost": 0.25, "durationMs": 1500}
RUN = {
    "id": "8",
    "datasetId": "3",
    "datasetName": "Leave",
    "assistantName": "Clerk",
    "assistantVersion": 4,
    "status": "EVALUATION_STATUS_COMPLETED",
    "questions": 2,
    "answered": 1,
    "failed": 1,
    "figures": FIGURES,
}
FOUND = {
    "id": "1",
    "caseId": "11",
    "expected": {"question": "How long is leave?"},
    "status": "EVALUATION_RESULT_STATUS_COMPLETED",
    "rank": 2,
    "documentShare": 1,
    "factShare": 0.5,
    "missing": ["until March"],
    "citations": 2,
    "supportedCitations": 1,
}
FAILED = {
    "id": "2",
    "caseId": "12",
    "expected": {"question": "Who approves it?"},
    "status": "EVALUATION_RESULT_STATUS_FAILED",
    "statusMessage": "No model.",
}


@pytest.fixture
def evaluations(api: ApiServer) -> ApiServer:
    api.on("EvaluationDatasetService/ListEvaluationDatasets", DATASETS)
    return api


def test_a_file_of_json_lines_is_imported(evaluations: ApiServer, shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "leave.jsonl"
    cases = [{"question": "How long?", "facts": ["30 days"]}, {"question": "Who?", "documents": ["leave.md"]}]
    file.write_text("\n".join(map(json.dumps, cases)) + "\n\n")
    evaluations.on(about("EvaluationDatasetService/AddEvaluationCases", dataset_id=3), {})
    assert shell.run("eval", "datasets", "import", "leave", str(file)).stdout == "Questions added to Leave: 2.\n"
    (call,) = evaluations.changes()
    assert (call.body or {})["cases"] == cases


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 2 is not JSON"),
        ('{"facts": []}', "line 2 needs the field question."),
        ('{"question": "x", "fact": "y"}', "unknown field fact. Known: question, documents, passages, facts, answer."),
        ('{"question": "x", "facts": "y"}', "line 2: facts must be a list of texts."),
        ('{"question": "x", "answer": 3}', "line 2: answer must be a text."),
    ],
)
def test_a_wrong_line_is_named_and_nothing_imported(
    evaluations: ApiServer, shell: Shell, tmp_path: Path, line: str, words: str
) -> None:
    file = tmp_path / "leave.jsonl"
    file.write_text(f'{{"question": "x"}}\n{line}\n')
    assert words in shell.run("eval", "datasets", "import", "leave", str(file), code=1).stderr
    assert not evaluations.changes()


def test_an_export_can_be_imported(evaluations: ApiServer, shell: Shell) -> None:
    cases: list[dict[str, Any]] = [
        {"question": "Wie lange?", "facts": ["30 Tage"]},
        {"question": "Who?", "answer": "Ann"},
    ]
    stored = {"cases": [{"id": str(number), **case} for number, case in enumerate(cases, 1)]}
    evaluations.on(about("EvaluationDatasetService/ListEvaluationCases", dataset_id=3), stored)
    lines = shell.run("eval", "datasets", "export", "leave").stdout.splitlines()
    assert [json.loads(line) for line in lines] == cases


def test_sharing_with_groups_and_everyone_and_nobody(evaluations: ApiServer, shell: Shell) -> None:
    method = about("EvaluationDatasetService/UpdateEvaluationDataset", id=3)
    evaluations.on(method, {"id": "3", "name": "Leave"})
    for options, sent in (
        (("--group", "south"), {"isShared": True, "groups": ["south"]}),
        (("--shared",), {"isShared": True, "groups": []}),
        (("--private",), {"isShared": False, "groups": []}),
    ):
        shell.run("eval", "datasets", "update", "leave", *options)
        assert evaluations.changes()[-1].body == sent
    assert "Say what to change" in shell.run("eval", "datasets", "update", "leave", code=2).stderr


def test_a_run_is_followed_to_its_end_and_shown(evaluations: ApiServer, shell: Shell) -> None:
    evaluations.on("EvaluationRunService/StartEvaluationRun", RUN | {"status": "EVALUATION_STATUS_RUNNING"})
    evaluations.on(about("EvaluationRunService/GetEvaluationRun", id=8), RUN)
    results = about("EvaluationRunService/ListEvaluationResults", evaluation_run_id=8)
    evaluations.on(results, {"results": [FOUND, FAILED]})
    text = shell.run("eval", "run", "leave").stdout
    for words in (
        "Assistant: Clerk v4",
        "Answered: 1 of 2, 1 failed",
        "Documents found: 50.0 %",
        "Cost: 0.2500 USD",
        "Time an answer: 1.5 s",
        "rank 2, facts 50.0 %, cited 1/2",
        "until March",
        "No model.",
    ):
        assert words in text
    evaluations.on(about("EvaluationRunService/GetEvaluationRun", id=8), RUN | {"status": "EVALUATION_STATUS_FAILED"})
    shell.run("eval", "run", "leave", "--version", "3", code=1)
    assert (evaluations.changes()[-1].body or {})["assistantVersion"] == 3
    assert "Started evaluation 8" in shell.run("eval", "run", "leave", "--no-wait").stdout


def test_two_evaluations_are_compared_question_by_question(evaluations: ApiServer, shell: Shell) -> None:
    better = RUN | {"id": "9", "figures": FIGURES | {"documents": 1, "durationMs": 500}}
    changed = FAILED | {"status": "EVALUATION_RESULT_STATUS_COMPLETED", "factShare": 1}
    for run, results in ((RUN, [FOUND, FAILED]), (better, [FOUND, changed])):
        evaluations.on(about("EvaluationRunService/GetEvaluationRun", id=int(run["id"])), run)  # type: ignore[call-overload]
        listed = about("EvaluationRunService/ListEvaluationResults", evaluation_run_id=int(run["id"]))  # type: ignore[call-overload]
        evaluations.on(listed, {"results": results})
    text = shell.run("eval", "compare", "8", "9").stdout
    assert [line.split()[-1] for line in text.splitlines() if line.startswith(("Documents", "Facts", "Time"))] == [
        "+50.0",
        "+0.0",
        "-1",
    ]
    assert "How long is leave?" not in text
    (line,) = [line for line in text.splitlines() if line.startswith("Who approves it?")]
    assert "failed" in line
    assert "facts 100.0 %" in line
    evaluations.on(about("EvaluationRunService/GetEvaluationRun", id=9), better | {"datasetId": "4"})
    assert "choose two with the same dataset" in shell.run("eval", "compare", "8", "9", code=1).stderr
