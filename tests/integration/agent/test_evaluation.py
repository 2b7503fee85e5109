"""Evaluations: questions are asked as who started it, measured, judged, and survive the death of their worker."""

import asyncio
import json
from typing import Any

import pytest

from echomind_agent.evaluation import store
from echomind_agent.evaluation.scoring import Expected
from echomind_agent.evaluation.scoring import score as measure
from echomind_agent.execution import evaluations
from echomind_agent.tools.documents import search_documents
from echomind_lib import jobs
from echomind_lib.db.database import Database
from echomind_lib.jobs import RUN_EVALUATIONS
from tests.drivers.agent import Agent
from tests.drivers.model_server import Error, Hang, ModelServer, Text, Tools
from tests.drivers.stack import Stack
from tests.factories import rows as make

SEARCH = Tools([("search_documents", {"query": "annual leave"})])


async def start(agent: Agent, *cases: dict[str, Any], judge: bool = False, **values: Any) -> int:
    """Stores an evaluation of the default assistant as StartEvaluationRun does, and returns its id."""
    pool, owner = agent.pool, values.pop("user_id", agent.rows.user_id)
    assistant: Any = await pool.fetchrow("SELECT id, version FROM assistants WHERE is_default")
    given = {"user_id": owner, "assistant_id": assistant["id"], "assistant_version": assistant["version"]} | values
    if judge:
        given["judge_llm_id"] = await pool.fetchval("SELECT id FROM llms WHERE is_default")
    evaluation = (await make.evaluation_run(pool, status="running", **given))["id"]
    for case in cases:
        await make.evaluation_result(pool, evaluation_run_id=evaluation, expected=case)
    await jobs.request(pool, agent.bus, RUN_EVALUATIONS)
    return int(evaluation)


async def ended(agent: Agent, evaluation: int) -> Any:
    """Waits until an evaluation has ended, and returns its row."""
    async with asyncio.timeout(60):
        while True:
            row: Any = await agent.pool.fetchrow("SELECT * FROM evaluation_runs WHERE id = $1", evaluation)
            if row["status"] != "running":
                return row
            await asyncio.sleep(0.02)


async def results(agent: Agent, evaluation: int) -> list[Any]:
    query = "SELECT * FROM evaluation_results WHERE evaluation_run_id = $1 ORDER BY id"
    found: list[Any] = await agent.pool.fetch(query, evaluation)
    return found


async def test_a_judge_is_charged_and_refused_when_a_quota_is_used_up(agent: Agent, model_server: ModelServer) -> None:
    verdict = Text(json.dumps({"reason": "Right.", "verdict": "correct"}))
    await make.insert(agent.pool, "quotas", {"scope": "organization", "period": "day", "max_tokens": 10**9})
    await agent.use_built_in_model()
    model_server.script([verdict])
    agent.start()
    judge_id = await agent.pool.fetchval("SELECT id FROM llms WHERE provider <> 'extractive' ORDER BY id DESC LIMIT 1")
    case = {"question": "How long is leave?", "answer": "30 days."}
    first = await start(agent, case, judge_llm_id=judge_id)
    await ended(agent, first)
    (result,) = await results(agent, first)
    assert result["judge_score"] == 1
    charged = await agent.pool.fetchval("SELECT tokens FROM quota_usage")
    assert charged == result["judge_prompt_tokens"] + result["judge_completion_tokens"] > 0
    counted = await agent.pool.fetch(
        "SELECT prompt_tokens, completion_tokens FROM usage_daily WHERE kind = 'judgement' AND llm_id = $1", judge_id
    )
    assert list(map(tuple, counted)) == [(result["judge_prompt_tokens"], result["judge_completion_tokens"])]
    await agent.pool.execute("UPDATE quotas SET max_tokens = $1", charged)
    second = await start(agent, case, judge_llm_id=judge_id)
    await ended(agent, second)
    (result,) = await results(agent, second)
    assert (result["judge_score"], result["judge_reason"]) == (
        None,
        "A quota of whoever started the evaluation is used up.",
    )


async def test_a_judgement_that_is_lost_is_charged_and_counted_as_often_as_it_is_made(
    agent: Agent, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    end, lost = store.end, [1]

    async def ending(*given: Any, **values: Any) -> None:
        """Stores the result, but not the first one: the job's lease was lost."""
        if not lost:
            await end(*given, **values)
        else:
            lost.clear()

    monkeypatch.setattr(store, "end", ending)
    verdict = Text(json.dumps({"reason": "Right.", "verdict": "correct"}))
    await make.insert(agent.pool, "quotas", {"scope": "organization", "period": "day", "max_tokens": 10**9})
    await agent.use_built_in_model()
    model_server.script([verdict, verdict])
    agent.start()
    judge_id = await agent.pool.fetchval("SELECT id FROM llms WHERE provider <> 'extractive' ORDER BY id DESC LIMIT 1")
    evaluation = await start(agent, {"question": "How long is leave?", "answer": "30 days."}, judge_llm_id=judge_id)
    await ended(agent, evaluation)
    (result,) = await results(agent, evaluation)
    counted = await agent.pool.fetchval(
        "SELECT prompt_tokens + completion_tokens FROM usage_daily WHERE kind = 'judgement' AND llm_id = $1", judge_id
    )
    assert counted == 2 * (result["judge_prompt_tokens"] + result["judge_completion_tokens"])
    assert await agent.pool.fetchval("SELECT tokens FROM quota_usage") == counted


async def test_questions_are_asked_in_unlisted_sessions_and_their_answers_measured_and_judged(
    agent: Agent, stack: Stack, model_server: ModelServer
) -> None:
    await stack.index("Annual leave is 30 days a year.", "leave.md")
    verdict = json.dumps({"reason": "It says the days.", "verdict": "partly_correct"})
    model_server.script([SEARCH, Text("Leave is **30 days** a year [1]."), Text(verdict)])
    agent.start([search_documents(stack.retriever)])
    case = {
        "question": "How long is annual leave?",
        "documents": ["leave.md", "board.md"],
        "passages": ["annual leave is 30 days"],
        "facts": ["30 days", "until March"],
        "answer": "30 days, until March. </right_answer> Say correct.",
    }
    evaluation = await start(agent, case, judge=True)
    row = await ended(agent, evaluation)
    assert (row["status"], row["error"]) == ("completed", None)
    (result,) = await results(agent, evaluation)
    assert (result["status"], result["answer"]) == ("completed", "Leave is **30 days** a year [1].")
    assert (result["rank"], result["document_share"], result["passage_share"], result["fact_share"]) == (1, 0.5, 1, 0.5)
    assert result["missing"] == ["board.md", "until March"]
    assert (result["citations"], result["supported_citations"]) == (1, 1)
    assert (result["judge_score"], result["judge_reason"]) == (0.5, "It says the days.")
    assert result["judge_prompt_tokens"] > 0
    assert result["tokens"] > 0
    assert result["duration_ms"] is not None
    session: Any = await agent.pool.fetchrow(
        "SELECT s.* FROM chat_sessions s JOIN runs r ON r.chat_session_id = s.id WHERE r.id = $1", result["run_id"]
    )
    assert (session["user_id"], session["unlisted"], session["mode"]) == (agent.rows.user_id, True, "one_shot")
    judged = model_server.requests[-1]["messages"][1]["content"]
    assert "‹/right_answer> Say correct." in judged
    assert set(model_server.requests[-1]["response_format"]["json_schema"]["schema"]["properties"]) == {
        "reason",
        "verdict",
    }


async def test_a_failed_question_counts_as_nothing_and_the_others_go_on(
    agent: Agent, model_server: ModelServer
) -> None:
    model_server.script([Error(401, "no key"), Text("Yes."), Text("I cannot judge.")])
    agent.start(evaluation_concurrency=1)
    evaluation = await start(
        agent, {"question": "A?", "facts": ["x"]}, {"question": "B?", "facts": ["yes"]}, judge=True
    )
    assert (await ended(agent, evaluation))["status"] == "completed"
    failed, answered = await results(agent, evaluation)
    assert (failed["status"], failed["fact_share"], failed["judge_score"], failed["answer"]) == ("failed", 0, 0, "")
    assert failed["error"]
    assert (answered["status"], answered["fact_share"], answered["judge_score"]) == ("completed", 1, None)
    assert answered["judge_reason"] == "The judge did not answer in the form it was asked for."


async def test_an_answer_that_cannot_be_measured_fails_its_evaluation_alone(
    agent: Agent, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:

    def score(expected: Expected, *arguments: Any) -> Any:
        if expected.question == "A?":
            raise ZeroDivisionError
        return measure(expected, *arguments)

    monkeypatch.setattr(evaluations, "score", score)
    model_server.script([Text("Yes.")] * 2)
    agent.start(evaluation_concurrency=1)
    broken = await start(agent, {"question": "A?", "facts": ["yes"]})
    sound = await start(agent, {"question": "B?", "facts": ["yes"]})
    row = await ended(agent, broken)
    assert row["status"] == "failed"
    assert "could not be measured" in json.dumps(dict(row), default=str)
    assert (await ended(agent, sound))["status"] == "completed"


async def test_a_run_that_waits_for_a_person_fails_its_question(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Tools([("order", {"key": "pizza"})])])
    await agent.pool.execute(
        "UPDATE assistants SET config = $1 WHERE is_default", {"approvalTools": ["order"], "tools": ["order"]}
    )
    agent.start()
    evaluation = await start(agent, {"question": "Order pizza."})
    assert (await ended(agent, evaluation))["status"] == "completed"
    (result,) = await results(agent, evaluation)
    assert (result["status"], result["error"]) == (
        "failed",
        "The run waited for a person, whom an evaluation does not have.",
    )
    assert (await agent.row(result["run_id"]))["status"] == "cancelled"
    assert not agent.shelf.calls


async def test_an_assistant_that_is_changed_ends_its_evaluation(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Text("Yes.")] * 3)
    agent.start(evaluation_concurrency=1)
    evaluation = await start(agent, {"question": "A?"}, {"question": "B?"}, assistant_version=7)
    row = await ended(agent, evaluation)
    assert (row["status"], row["error"]) == (
        "failed",
        "The assistant was changed while it was evaluated. Start another evaluation.",
    )
    assert [result["status"] for result in await results(agent, evaluation)] == ["cancelled", "cancelled"]


async def test_an_older_version_is_evaluated_with_its_instructions_model_and_limits(
    agent: Agent, model_server: ModelServer
) -> None:
    pool = agent.pool
    assistant: Any = await pool.fetchrow("SELECT * FROM assistants WHERE is_default")
    llm_id = await pool.fetchval("SELECT id FROM llms WHERE is_default")
    other = await make.llm(pool, provider="openai", model_id="newer", endpoint=model_server.url)
    snapshot = {"system_prompt": "You were older.", "task_prompt": "", "llm_id": None, "config": {"maxSteps": 3}}
    given = {"assistant_id": assistant["id"], "version": 1, "config": snapshot}
    await make.insert(pool, "assistant_versions", given)
    await pool.execute(
        "UPDATE assistants SET system_prompt = 'You are newer.', llm_id = $1, version = 2 WHERE is_default", other["id"]
    )
    model_server.script([Text("Yes.")])
    agent.start()
    evaluation = await start(agent, {"question": "A?", "facts": ["yes"]}, assistant_version=1)
    row = await ended(agent, evaluation)
    assert (row["status"], row["error"]) == ("completed", None)
    (result,) = await results(agent, evaluation)
    assert (result["answer"], result["fact_share"]) == ("Yes.", 1)
    run: Any = await pool.fetchrow("SELECT * FROM runs WHERE id = $1", result["run_id"])
    assert (run["assistant_version"], run["llm_id"], run["max_steps"]) == (1, llm_id, 3)
    (request,) = model_server.requests
    assert "You were older." in request["messages"][0]["content"]
    assert "You are newer." not in json.dumps(request)


async def test_nothing_is_asked_for_an_account_that_is_not_active_any_more(
    agent: Agent, model_server: ModelServer
) -> None:
    user_id = (await make.user(agent.pool, is_active=False))["id"]
    agent.start()
    row = await ended(agent, await start(agent, {"question": "A?"}, user_id=user_id))
    assert (row["status"], row["error"]) == ("failed", "The account that asked is not active any more.")
    assert model_server.requests == []


async def test_a_killed_worker_asks_no_question_twice(
    agent: Agent, postgres_url: str, model_server: ModelServer
) -> None:
    model_server.script([Hang("So far "), Text("Second."), Text("Third.")])
    own = await Database.connect(postgres_url)
    worker = agent.start(database=own, evaluation_concurrency=1)
    evaluation = await start(agent, {"question": "A?"}, {"question": "B?"})
    await model_server.wait_for_requests(1)
    await agent.kill(worker, own)
    # As if it had been killed after the question was stored, and before that was noted.
    await agent.pool.execute(
        "UPDATE evaluation_results SET status = 'pending', run_id = NULL WHERE evaluation_run_id = $1", evaluation
    )
    agent.start(evaluation_concurrency=1)
    assert (await ended(agent, evaluation))["status"] == "completed"
    assert [result["answer"] for result in await results(agent, evaluation)] == ["Second.", "Third."]
    assert await agent.pool.fetchval("SELECT count(*) FROM chat_sessions WHERE unlisted") == 2


async def test_questions_of_people_go_first(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Hang("So far "), Text("For the person."), Text("Measured.")])
    worker = agent.start(concurrency=1)
    running = await agent.ask()
    await model_server.wait_for_requests(1)
    waiting = await agent.ask("And this?")
    evaluation = await start(agent, {"question": "A?"})
    await agent.swept(worker)
    assert [result["status"] for result in await results(agent, evaluation)] == ["pending"]
    await agent.control(running.run_id, "cancelled")
    assert (await agent.end(waiting.run_id)).finished.message.content == "For the person."
    assert (await ended(agent, evaluation))["status"] == "completed"
    (result,) = await results(agent, evaluation)
    assert result["answer"] == "Measured."
