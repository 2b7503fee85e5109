"""Datasets and evaluations over both transports: shared, filled from rated answers, started, cancelled and deleted."""

from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import pytest

from echomind_api.evaluation import dataset_rows
from echomind_lib.errors import AlreadyExistsError, NotFoundError, PermissionDeniedError, ValidationFailedError
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.factories import rows as make

CASES: list[dict[str, Any]] = [
    {
        "question": "How long is leave?",
        "documents": ["leave.md"],
        "facts": ["30 days | thirty days"],
        "answer": "30 days.",
    },
    {"question": "Who approves it?"},
]


async def dataset(client: Client, via: Transport = "grpc", **values: Any) -> dict[str, Any]:
    given = {"name": "Leave", **values}
    return await client.call("EvaluationDatasetService/CreateEvaluationDataset", {"dataset": given}, via)


async def add(client: Client, dataset_id: str, cases: list[dict[str, Any]], via: Transport = "grpc") -> list[Any]:
    request = {"datasetId": dataset_id, "cases": cases}
    added: list[Any] = (await client.call("EvaluationDatasetService/AddEvaluationCases", request, via))["cases"]
    return added


async def test_a_dataset_is_read_by_those_whom_it_is_shared_with_and_changed_by_its_owner(
    new_user: NewUser, via: Transport
) -> None:
    owner, colleague = await new_user("user", ("north", "south")), await new_user("user", ("south",))
    made = await dataset(owner, via, description="About leave.")
    assert (made["userId"], made["isEditable"], made.get("isShared", False)) == (owner.user_id, True, False)
    with pytest.raises(AlreadyExistsError):
        await dataset(owner, via)
    await dataset(colleague, via)
    added = await add(owner, made["id"], CASES, via)
    assert [(case["question"], case.get("facts", [])) for case in added] == [
        (case["question"], case.get("facts", [])) for case in CASES
    ]
    with pytest.raises(NotFoundError):
        await colleague.call("EvaluationDatasetService/GetEvaluationDataset", {"id": made["id"]}, via)

    change = {"id": made["id"], "dataset": {"isShared": True, "groups": ["east"]}, "updateMask": "isShared,groups"}
    with pytest.raises(NotFoundError):
        await owner.call("EvaluationDatasetService/UpdateEvaluationDataset", change, via)
    change["dataset"]["groups"] = ["south"]
    await owner.call("EvaluationDatasetService/UpdateEvaluationDataset", change, via)
    seen = await colleague.call("EvaluationDatasetService/GetEvaluationDataset", {"id": made["id"]}, via)
    assert (seen["cases"], seen.get("isEditable", False), seen.get("groups", [])) == (2, False, [])
    listed = await colleague.call("EvaluationDatasetService/ListEvaluationDatasets", {}, via)
    found = [item["userId"] for item in listed["datasets"]]
    assert [each for each in found if each in (owner.user_id, colleague.user_id)] == [colleague.user_id, owner.user_id]
    with pytest.raises(PermissionDeniedError):
        await add(colleague, made["id"], CASES, via)
    case = {"id": added[0]["id"], "case": {"facts": []}, "updateMask": "facts"}
    with pytest.raises(PermissionDeniedError):
        await colleague.call("EvaluationDatasetService/UpdateEvaluationCase", case, via)
    changed = await owner.call("EvaluationDatasetService/UpdateEvaluationCase", case, via)
    assert (changed.get("facts", []), changed["documents"]) == ([], ["leave.md"])
    await owner.call("EvaluationDatasetService/DeleteEvaluationCase", {"id": added[0]["id"]}, via)
    left = await colleague.call("EvaluationDatasetService/ListEvaluationCases", {"datasetId": made["id"]}, via)
    assert [item["question"] for item in left["cases"]] == ["Who approves it?"]
    await owner.call("EvaluationDatasetService/DeleteEvaluationDataset", {"id": made["id"]}, via)
    with pytest.raises(NotFoundError):
        await colleague.call("EvaluationDatasetService/GetEvaluationDataset", {"id": made["id"]}, via)


async def test_a_question_that_is_deleted_before_its_change_is_not_there(
    new_user: NewUser, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = await new_user()
    made = await dataset(owner)
    (added,) = await add(owner, made["id"], CASES[:1])
    lock = dataset_rows.find_to_change

    async def overtaken(*arguments: Any) -> Any:
        await pool.execute("DELETE FROM evaluation_cases WHERE id = $1", int(added["id"]))
        return await lock(*arguments)

    monkeypatch.setattr(dataset_rows, "find_to_change", overtaken)
    with pytest.raises(NotFoundError):
        await owner.call("EvaluationDatasetService/DeleteEvaluationCase", {"id": added["id"]}, "grpc")


async def test_rated_answers_become_questions_once(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> None:
    owner = await new_user()
    connector = (await make.connector(pool, user_id=owner.user_id, type="file"))["id"]
    document = (await make.document(pool, connector_id=connector, title="Leave 2026"))["id"]
    assistant = await pool.fetchval("SELECT id FROM assistants WHERE is_default")
    session = (await make.chat_session(pool, user_id=owner.user_id, assistant_id=assistant))["id"]
    of, parent = {"chat_session_id": session}, None
    for number, is_positive in enumerate((True, False, None)):
        asked = await make.chat_message(pool, content=f"Question {number}?", parent_message_id=parent, **of)
        written = {"role": "assistant", "content": f"Answer {number} [1].", "parent_message_id": asked["id"]}
        parent = (await make.chat_message(pool, **of, **written))["id"]
        cited = {"document_id": document, "chunk_id": "c", "number": 1, "title": "Leave 2026"}
        await make.citation(pool, chat_message_id=parent, **cited)
        if is_positive is not None:
            await make.feedback(pool, chat_message_id=parent, user_id=owner.user_id, is_positive=is_positive)
    await pool.execute("UPDATE chat_sessions SET head_message_id = $2 WHERE id = $1", session, parent)

    made = await dataset(owner, via)
    request = {"datasetId": made["id"], "chatSessionId": session}
    added = (await owner.call("EvaluationDatasetService/AddRatedAnswers", request, via))["cases"]
    assert [(item["question"], item.get("documents", []), item.get("answer", "")) for item in added] == [
        ("Question 0?", ["Leave 2026"], "Answer 0."),
        ("Question 1?", [], ""),
    ]
    again = await owner.call("EvaluationDatasetService/AddRatedAnswers", request, via)
    assert not again.get("cases")
    await pool.execute("DELETE FROM chat_message_feedbacks WHERE user_id = $1", owner.user_id)
    with pytest.raises(ValidationFailedError, match="no answer that you have rated"):
        await owner.call("EvaluationDatasetService/AddRatedAnswers", request, via)


async def rated_conversation(
    pool: asyncpg.Pool, owner: Client, *connectors: dict[str, Any], is_positive: bool = True
) -> int:
    """Returns a conversation with one rated answer, which draws on a document of each of these connectors."""
    assistant = await pool.fetchval("SELECT id FROM assistants WHERE is_default")
    session = int((await make.chat_session(pool, user_id=owner.user_id, assistant_id=assistant))["id"])
    of = {"chat_session_id": session}
    asked = await make.chat_message(pool, content="How much?", **of)
    answer = await make.chat_message(pool, role="assistant", content="5 mg.", parent_message_id=asked["id"], **of)
    await make.feedback(pool, chat_message_id=answer["id"], user_id=owner.user_id, is_positive=is_positive)
    await pool.execute("UPDATE chat_sessions SET head_message_id = $2 WHERE id = $1", session, answer["id"])
    for number, values in enumerate(connectors):
        connector = await make.connector(pool, **{"user_id": owner.user_id, "type": "file"} | values)
        document = await make.document(pool, connector_id=connector["id"], title=f"Dose {number}")
        await make.session_source(pool, chat_session_id=session, document_id=document["id"])
    return session


TEAM: dict[str, Any] = {"scope": "group", "scope_id": "north"}


@pytest.mark.parametrize(
    ("groups", "connectors", "named"),
    [
        (["north"], [TEAM, {"scope": "org"}], None),
        (["north"], [TEAM, {"scope": "user"}], "Dose 1"),
        (["north", "south"], [TEAM], "Dose 0"),
        ([], [TEAM], "Dose 0"),
        ([], [{"scope": "org"}], None),
        (["north"], [{"scope": "org", "permission_mode": "source"}], "you may not read any more"),
    ],
)
async def test_a_shared_dataset_has_rated_answers_of_documents_that_all_of_its_groups_may_read(
    new_user: NewUser, pool: asyncpg.Pool, groups: list[str], connectors: list[dict[str, Any]], named: str | None
) -> None:
    owner = await new_user("user", ("north", "south"))
    session = await rated_conversation(pool, owner, *connectors)
    shared, private = await dataset(owner, isShared=True, groups=groups), await dataset(owner, name="Private")
    await owner.call("EvaluationDatasetService/AddRatedAnswers", {"datasetId": private["id"], "chatSessionId": session})
    add_rated = ("EvaluationDatasetService/AddRatedAnswers", {"datasetId": shared["id"], "chatSessionId": session})
    values = {"isShared": True, "groups": groups}
    share = (
        "EvaluationDatasetService/UpdateEvaluationDataset",
        {"id": private["id"], "dataset": values, "updateMask": "isShared,groups"},
    )
    for method, request in (add_rated, share):
        if named is None:
            await owner.call(method, request)
            continue
        with pytest.raises(PermissionDeniedError, match=named):
            await owner.call(method, request)
    kept = await owner.call("EvaluationDatasetService/GetEvaluationDataset", {"id": private["id"]})
    assert kept.get("isShared", False) is (named is None)
    if named is not None:
        unhelpful = await rated_conversation(pool, owner, *connectors, is_positive=False)
        alone = {"datasetId": shared["id"], "chatSessionId": unhelpful}
        (case,) = (await owner.call("EvaluationDatasetService/AddRatedAnswers", alone))["cases"]
        assert (case["question"], case.get("answer", "")) == ("How much?", "")


async def test_rated_answers_are_not_shared_while_sharing_is_switched_off(
    new_user: NewUser, pool: asyncpg.Pool, sharing: Callable[[str], Awaitable[None]]
) -> None:
    owner = await new_user("user", ("north",))
    session = await rated_conversation(pool, owner, TEAM)
    shared = await dataset(owner, isShared=True, groups=["north"])
    await sharing("nobody")
    request = {"datasetId": shared["id"], "chatSessionId": session}
    with pytest.raises(PermissionDeniedError, match="switched off"):
        await owner.call("EvaluationDatasetService/AddRatedAnswers", request)


async def test_an_evaluation_is_started_listed_cancelled_and_deleted_by_its_own_person(
    new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    owner, colleague = await new_user(), await new_user("superadmin")
    made = await dataset(owner, via, isShared=True)
    start = {"datasetId": made["id"]}
    with pytest.raises(ValidationFailedError, match="has no question"):
        await owner.call("EvaluationRunService/StartEvaluationRun", start, via)
    await add(owner, made["id"], CASES, via)
    built_in = await pool.fetchval("SELECT id FROM llms WHERE provider = 'extractive'")
    with pytest.raises(ValidationFailedError, match="only quotes"):
        await owner.call("EvaluationRunService/StartEvaluationRun", start | {"judgeLlmId": built_in}, via)
    started = await colleague.call("EvaluationRunService/StartEvaluationRun", start, via)
    assert (started["status"], started["questions"], started["datasetName"]) == (
        "EVALUATION_STATUS_RUNNING",
        2,
        "Leave",
    )
    of_run = {"id": started["id"]}
    with pytest.raises(NotFoundError):
        await owner.call("EvaluationRunService/GetEvaluationRun", of_run, via)
    assert not (await owner.call("EvaluationRunService/ListEvaluationRuns", start, via)).get("runs")
    results = {"evaluationRunId": started["id"]}
    listed = (await colleague.call("EvaluationRunService/ListEvaluationResults", results, via))["results"]
    assert [item["expected"]["question"] for item in listed] == [case["question"] for case in CASES]
    assert listed[0]["expected"]["facts"] == ["30 days | thirty days"]
    with pytest.raises(ValidationFailedError, match="cancel it first"):
        await colleague.call("EvaluationRunService/DeleteEvaluationRun", of_run, via)
    cancelled = await colleague.call("EvaluationRunService/CancelEvaluationRun", of_run, via)
    assert cancelled["status"] == "EVALUATION_STATUS_CANCELLED"
    again = await colleague.call("EvaluationRunService/CancelEvaluationRun", of_run, via)
    assert again == cancelled
    listed = (await colleague.call("EvaluationRunService/ListEvaluationResults", results, via))["results"]
    assert {item["status"] for item in listed} == {"EVALUATION_RESULT_STATUS_CANCELLED"}
    await colleague.call("EvaluationRunService/DeleteEvaluationRun", of_run, via)
    assert not (await colleague.call("EvaluationRunService/ListEvaluationRuns", {}, via)).get("runs")


async def test_superadmins_evaluate_older_versions_of_assistants_that_lead_no_team(
    new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    owner, superadmin = await new_user(), await new_user("superadmin")
    made = await dataset(owner, via, isShared=True)
    await add(owner, made["id"], CASES, via)
    assistant_id = (await make.assistant(pool, is_visible=True, version=3))["id"]
    member_id = (await make.assistant(pool, is_visible=True))["id"]
    for version, members in ((1, [{"assistant_id": member_id, "role": "r"}]), (2, None), (3, None)):
        config: dict[str, Any] = {"config": {}} | ({"members": members} if members else {})
        await make.insert(
            pool, "assistant_versions", {"assistant_id": assistant_id, "version": version, "config": config}
        )
    start = {"datasetId": made["id"], "assistantId": assistant_id}

    async def started(by: Client, version: int) -> int:
        run = await by.call("EvaluationRunService/StartEvaluationRun", start | {"assistantVersion": version}, via)
        await by.call("EvaluationRunService/CancelEvaluationRun", {"id": run["id"]}, via)
        return int(run["assistantVersion"])

    assert [await started(owner, version) for version in (0, 3)] == [3, 3]
    with pytest.raises(PermissionDeniedError):
        await started(owner, 2)
    assert await started(superadmin, 2) == 2
    with pytest.raises(NotFoundError, match="version of the assistant"):
        await started(superadmin, 9)
    with pytest.raises(ValidationFailedError, match="Restore version 1 to evaluate it"):
        await started(superadmin, 1)
    await make.insert(
        pool, "assistant_members", {"assistant_id": assistant_id, "member_id": member_id, "position": 1, "role": "r"}
    )
    with pytest.raises(ValidationFailedError, match="leads a team"):
        await started(superadmin, 2)


async def test_the_figures_are_those_of_its_results(new_user: NewUser, pool: asyncpg.Pool) -> None:
    owner = await new_user()
    evaluation = (await make.evaluation_run(pool, user_id=owner.user_id, status="completed"))["id"]
    measured: list[dict[str, Any]] = [
        {"rank": 2, "document_share": 1, "fact_share": 0.5, "citations": 3, "supported_citations": 2, "judge_score": 1},
        {"document_share": 0, "tokens": 30, "cost": 0.5, "duration_ms": 100, "judge_score": 0.5, "judge_cost": 0.25},
        {"citations": 1, "supported_citations": 1, "tokens": 12, "cost": 0.25, "duration_ms": 300},
    ]
    for values in measured:
        await make.evaluation_result(pool, evaluation_run_id=evaluation, status="completed", **values)
    await make.evaluation_result(pool, evaluation_run_id=evaluation, status="failed", fact_share=0)
    found = await owner.call("EvaluationRunService/GetEvaluationRun", {"id": evaluation})
    assert (found["questions"], found["answered"], found["failed"]) == (4, 3, 1)
    assert found["figures"] == {
        "documents": 0.5,
        "reciprocalRank": 0.25,
        "facts": 0.25,
        "citations": 0.75,
        "judge": 0.75,
        "cost": 0.75,
        "judgeCost": 0.25,
        "tokens": "42",
        "durationMs": 200,
    }
