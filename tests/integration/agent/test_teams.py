"""Teams: a leader and its members, on whichever worker."""

from typing import Any

import pytest

from echomind_lib.conversations.waiting import run_waiting_for_text
from echomind_lib.errors import AmbiguousInputError
from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.runs.inputs import provide_input
from tests.drivers.agent import Agent
from tests.drivers.model_server import ModelServer, Text, Tools, Turn
from tests.factories.turns import delegated, goal_of, member_of, team_plays


def tool_messages(body: dict[str, Any]) -> list[str]:
    return [message["content"] for message in body["messages"] if message["role"] == "tool"]


async def test_members_work_at_the_same_time_and_the_leader_answers(agent: Agent, model_server: ModelServer) -> None:
    await agent.lead(Researcher="Finds facts.", Writer="Writes texts.")
    model_server.respond(
        team_plays(
            [Tools([delegated("researcher", "Find it."), delegated("writer", "Write it.")]), Text("Both.")],
            lambda name, body: Text(f"{name} is done."),
        )
    )
    agent.start(concurrency=1)
    sent = await agent.ask("Root?")
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == "Both."
    root = await agent.row(sent.run_id)
    assert (root["kind"], root["status"]) == ("team", "completed")
    first, second = await agent.pool.fetch("SELECT * FROM runs WHERE parent_run_id = $1 ORDER BY id", sent.run_id)
    assert [(run["kind"], run["status"], run["depth"], run["goal"]) for run in (first, second)] == [
        ("member", "completed", 1, "Find it."),
        ("member", "completed", 1, "Write it."),
    ]
    assert first["assistant_id"] != root["assistant_id"]
    assert first["time_to_first_token_ms"] is not None
    step, _ = await agent.steps(sent.run_id)
    assert (step["action"], step["id"]) == ("delegate", first["parent_step_id"])
    assert [call["external_task_id"] for call in await agent.calls(sent.run_id)] == [
        str(first["id"]),
        str(second["id"]),
    ]
    leaders = [body for body in model_server.requests if not member_of(body)]
    assert [tool["function"]["name"] for tool in leaders[0]["tools"]] == ["delegate_task"]
    schema = leaders[0]["tools"][0]["function"]["parameters"]
    assert schema["properties"]["member"]["enum"] == ["researcher", "writer"]
    assert sorted(schema["required"]) == ["expected_output", "member", "task"]
    assert schema["additionalProperties"] is False
    assert "- researcher (Researcher): Finds facts." in leaders[0]["messages"][0]["content"]
    assert tool_messages(leaders[1]) == ["Researcher is done.", "Writer is done."]
    writer = next(body for body in model_server.requests if member_of(body) == "Writer")
    assert writer["messages"][-1]["content"] == "Write it.\n\nWhat to report: A sentence."
    named = {(event.run_id, event.member) for event in await agent.stored(sent.chat_session_id)}
    assert named == {(str(sent.run_id), ""), (str(first["id"]), "Researcher"), (str(second["id"]), "Writer")}
    assert {(event.run_id, event.member) for event in agent.events} == named
    texts = {(each.member, each.run_text.offset, each.run_text.text) for each in agent.run_texts}
    assert texts == {("Researcher", 0, "Researcher is done."), ("Writer", 0, "Writer is done.")}
    started = [e.sub_run_started for e in await agent.stored(sent.chat_session_id) if e.HasField("sub_run_started")]
    assert [(event.run_id, event.kind, event.assistant_name) for event in started] == [
        (str(first["id"]), run_pb2.RUN_KIND_MEMBER, "Researcher"),
        (str(second["id"]), run_pb2.RUN_KIND_MEMBER, "Writer"),
    ]


async def test_a_member_answers_in_its_leaders_place_and_no_character_comes_twice(
    agent: Agent, model_server: ModelServer
) -> None:
    await agent.lead("route", Researcher="Finds facts.", Writer="Writes texts.")
    model_server.respond(
        team_plays(
            [Tools([delegated("writer", "Write it.")], text="I ask the writer.")],
            lambda name, body: Text("Here is the whole text.", delay_ms=20),
        )
    )
    agent.start(concurrency=1)
    sent = await agent.ask("Root?")
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == "Here is the whole text."
    assert [bool(member_of(body)) for body in model_server.requests] == [False, True]
    texts = agent.texts(sent.assistant_message_id)
    assert list(texts.values()) == ["I ask the writer.", "Here is the whole text."]
    assert sorted(texts) == list(texts)


async def test_all_members_get_each_task_of_a_team_that_collaborates(agent: Agent, model_server: ModelServer) -> None:
    await agent.lead("collaborate", Researcher="Finds facts.", Writer="Writes texts.")
    task = {"task": "Judge it.", "expected_output": "Yes or no."}
    model_server.respond(
        team_plays(
            [Tools([("delegate_task", task)]), Text("They differ.")],
            lambda name, body: Text("Yes." if name == "Writer" else "No."),
        )
    )
    agent.start(concurrency=2)
    sent = await agent.ask("Root?")
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == "They differ."
    leaders = [body for body in model_server.requests if not member_of(body)]
    assert "member" not in leaders[0]["tools"][0]["function"]["parameters"]["properties"]
    assert tool_messages(leaders[1]) == ["1. researcher:\nNo.\n\n2. writer:\nYes."]


# -- what a leader asks for ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"member": " Researcher ", "task": "T.", "expected_output": "E."}, ""),
        ({"member": "RE-SEARCHER", "task": "T.", "expected_output": "E."}, ""),
        ({"member": "Boss", "task": "T.", "expected_output": "E."}, "Give one of: researcher, writer"),
        ({"member": "Researcher, Writer", "task": "T.", "expected_output": "E."}, "Give one of: researcher, writer"),
        ({"member": "writer", "task": "T."}, "expected_output: is missing"),
        ({"member": "writer", "task": "T.", "expected_output": "E.", "context": "C."}, "context: is not a known field"),
        ('{"member": "writer", "task":', "Invalid JSON"),
    ],
)
async def test_a_malformed_call_ends_in_a_delegation_or_in_one_clear_error(
    agent: Agent, model_server: ModelServer, arguments: Any, problem: str
) -> None:
    await agent.lead(Researcher="Finds facts.", Writer="Writes texts.")
    model_server.respond(
        team_plays([Tools([("delegate_task", arguments)]), Text("Done.")], lambda name, body: Text(f"By {name}."))
    )
    agent.start()
    sent = await agent.ask("Root?")
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."
    (call,) = await agent.calls(sent.run_id)
    assert call["status"] == ("failed" if problem else "completed")
    assert problem in (call["error_message"] or "")
    assert await agent.pool.fetchval("SELECT count(*) FROM runs WHERE kind = 'member'") == (0 if problem else 1)
    assert (await agent.row(sent.run_id))["steps_executed"] == 2


async def test_each_of_three_tasks_for_one_member_is_linked_to_its_own_call(
    agent: Agent, model_server: ModelServer
) -> None:
    await agent.lead(Researcher="Finds facts.")
    tasks = [delegated("researcher", f"Task {number}.") for number in range(3)]
    model_server.respond(
        team_plays([Tools(tasks), Text("Done.")], lambda name, body: Text(f"Did {goal_of(body).splitlines()[0]}"))
    )
    agent.start(concurrency=2)
    sent = await agent.ask("Root?")
    await agent.end(sent.run_id)
    found = await agent.pool.fetch(
        "SELECT runs.goal, parameters ->> 'task' AS task, result FROM runs JOIN steps ON steps.id = parent_step_id"
        " JOIN tool_calls ON step_id = steps.id AND external_task_id = runs.id::text WHERE parent_run_id = $1",
        sent.run_id,
    )
    assert sorted(map(tuple, found)) == [(f"Task {n}.", f"Task {n}.", f"Did Task {n}.") for n in range(3)]


async def test_a_task_that_is_given_again_has_its_first_result_and_then_is_refused(
    agent: Agent, model_server: ModelServer
) -> None:
    await agent.lead(Researcher="Finds facts.")
    same = [Tools([delegated("researcher", task)]) for task in ("Find it.", "find  IT.", "Find it.")]
    model_server.respond(team_plays([*same, Text("Done.")], lambda name, body: Text("Found.")))
    agent.start()
    sent = await agent.ask("Root?")
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."
    first, second, third = await agent.calls(sent.run_id)
    assert (first["status"], first["result"]) == ("completed", "Found.")
    assert second["status"] == "completed"
    assert second["result"].startswith("This member was given this task before.")
    assert second["result"].endswith("Found.")
    assert (third["status"], second["external_task_id"]) == ("failed", None)
    assert await agent.pool.fetchval("SELECT count(*) FROM runs WHERE kind = 'member'") == 1


async def test_a_leader_that_always_delegates_answers_within_its_budget(
    agent: Agent, model_server: ModelServer
) -> None:
    await agent.lead(Researcher="Finds facts.", config={"maxSteps": 400})
    numbers = iter(range(1000))

    def respond(body: dict[str, Any]) -> Turn:
        if member_of(body):
            return Text("Found.")
        if body.get("tool_choice") == "none" or not body.get("tools"):
            return Text("Enough.")
        return Tools([delegated("researcher", f"Task {next(numbers)}.") for _ in range(9)])

    model_server.respond(respond)
    agent.start()
    sent = await agent.ask("Root?")
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == "Enough."
    assert await agent.pool.fetchval("SELECT count(*) FROM runs WHERE kind = 'member'") == 16
    first = await agent.pool.fetchval(
        "SELECT count(external_task_id) FROM tool_calls JOIN steps ON steps.id = step_id"
        " WHERE run_id = $1 AND step_number = 1",
        sent.run_id,
    )
    assert first == 8
    total = await agent.pool.fetchval("SELECT sum(steps_executed) FROM runs")
    assert total <= 400


# -- members that fail, ask, or lead teams themselves ----------------------------------------------------------------
async def test_a_members_failure_is_reported_to_the_leader(agent: Agent, model_server: ModelServer) -> None:
    await agent.lead(Researcher="Finds facts.", Writer="Writes texts.")
    model_server.respond(
        team_plays(
            [Tools([delegated("researcher", "Find it."), delegated("writer", "Write it.")]), Text("I see.")],
            lambda name, body: Text("Written." if name == "Writer" else ""),
        )
    )
    agent.start()
    sent = await agent.ask("Root?")
    assert (await agent.end(sent.run_id)).finished.message.content == "I see."
    failed, written = tool_messages(model_server.requests[-1])
    assert failed.startswith("Error: ")
    assert "empty answer" in failed
    assert written == "Written."


async def test_the_leader_answers_when_the_member_that_was_to_answer_fails(
    agent: Agent, model_server: ModelServer
) -> None:
    await agent.lead("route", Writer="Writes texts.")
    model_server.respond(
        team_plays([Tools([delegated("writer", "Write it.")]), Text("Sorry.")], lambda name, body: Text(""))
    )
    agent.start()
    sent = await agent.ask("Root?")
    assert (await agent.end(sent.run_id)).finished.message.content == "Sorry."
    assert list(agent.texts(sent.assistant_message_id).values())[-1] == "Sorry."


async def test_members_ask_and_are_answered_in_any_order(agent: Agent, model_server: ModelServer) -> None:
    await agent.lead(Researcher="Finds facts.", Writer="Writes texts.", config={"askClarifications": True})

    def member(name: str, body: dict[str, Any]) -> Turn:
        answers = tool_messages(body)
        return Text(f"{name}: {answers[0]}") if answers else Tools([("ask_user", {"question": f"{name}?"})])

    model_server.respond(
        team_plays(
            [Tools([delegated("researcher", "Find it."), delegated("writer", "Write it.")]), Text("Done.")], member
        )
    )
    agent.start()
    sent = await agent.ask("Root?")
    await agent.until(lambda: sum(event.HasField("input_requested") for event in agent.events) == 2)
    first, second = await agent.pool.fetch("SELECT id FROM runs WHERE kind = 'member' ORDER BY id")
    assert (await agent.waits(first["id"])).asked_by == "Researcher"
    assert (await agent.waits(second["id"])).question == "Writer?"
    with pytest.raises(AmbiguousInputError, match="2 runs"):
        await run_waiting_for_text(agent.pool, sent.chat_session_id)
    for run, text in ((second, "Two."), (first, "One.")):
        assert await provide_input(agent.log, run["id"], agent.rows.user_id, text)
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."
    assert tool_messages(model_server.requests[-1]) == ["Researcher: One.", "Writer: Two."]


async def test_a_member_may_lead_a_team(agent: Agent, model_server: ModelServer) -> None:
    await agent.lead(Editor="Edits.")
    editor = await agent.pool.fetchval("SELECT id FROM assistants WHERE name = 'Editor'")
    writer = await agent.pool.fetchval(
        "INSERT INTO assistants (name, system_prompt, is_visible) VALUES ('Writer', 'You are Writer.', FALSE)"
        " RETURNING id"
    )
    await agent.pool.execute(
        "INSERT INTO assistant_members (assistant_id, member_id, position) VALUES ($1, $2, 1)", editor, writer
    )

    def member(name: str, body: dict[str, Any]) -> Turn:
        if name == "Writer":
            return Text("Text.")
        written = tool_messages(body)
        return Text(f"Edited {written[0]}") if written else Tools([delegated("writer", "Write it.")])

    model_server.respond(team_plays([Tools([delegated("editor", "Edit it.")]), Text("Done.")], member))
    agent.start(concurrency=1)
    sent = await agent.ask("Root?")
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."
    runs = await agent.pool.fetch("SELECT kind, depth, result_summary FROM runs ORDER BY depth")
    assert [tuple(run) for run in runs] == [("team", 0, None), ("member", 1, "Edited Text."), ("member", 2, "Text.")]


# -- what members know, and share ------------------------------------------------------------------------------------
async def test_members_share_nothing_and_get_no_results_of_tools(agent: Agent, model_server: ModelServer) -> None:
    await agent.lead(Researcher="Finds facts.", Writer="Writes texts.", config={"tools": ["look_up", "write_todos"]})
    plan = {"todos": [{"number": 1, "title": "Same"}]}

    def member(name: str, body: dict[str, Any]) -> Turn:
        return Text(f"{name}.") if tool_messages(body) else Tools([("write_todos", plan)])

    await agent.pool.execute(
        """UPDATE assistants SET config = '{"tools": ["write_todos"]}' WHERE name IN ('Researcher', 'Writer')"""
    )
    model_server.respond(
        team_plays(
            [
                Tools([("look_up", {"key": "secret-7391"})]),
                Tools([delegated("researcher", "Find it."), delegated("writer", "Write it.")]),
                Text("Done."),
            ],
            member,
        )
    )
    agent.start()
    sent = await agent.ask("Root?")
    await agent.end(sent.run_id)
    plans = await agent.pool.fetch("SELECT kind, title FROM todos JOIN runs ON runs.id = todos.run_id")
    assert [tuple(row) for row in plans] == [("member", "Same"), ("member", "Same")]
    for body in filter(member_of, model_server.requests):
        assert "value of" not in str(body["messages"])
        assert "- look_up(key: secret-7391): done" in body["messages"][0]["content"]
    leaders = [body["messages"] for body in model_server.requests if not member_of(body)]
    assert leaders[2][: len(leaders[1])] == leaders[1]


async def test_the_tree_never_uses_more_than_its_root_may(agent: Agent, model_server: ModelServer) -> None:
    await agent.lead(Researcher="Finds facts.", Writer="Writes texts.", config={"maxSteps": 9})
    await agent.pool.execute("""UPDATE assistants SET config = '{"tools": ["look_up"]}' WHERE NOT is_default""")

    def respond(body: dict[str, Any]) -> Turn:
        if body.get("tool_choice") == "none":
            return Text("Here.")
        if member_of(body):
            return Tools([("look_up", {"key": str(len(body["messages"]))})])
        task = f"Task {len(body['messages'])}."
        return Tools([delegated("researcher", task), delegated("writer", task)])

    model_server.respond(respond)
    agent.start()
    sent = await agent.ask("Root?")
    assert (await agent.end(sent.run_id)).finished.message.content == "Here."
    used = await agent.pool.fetch("SELECT kind, steps_executed, max_steps FROM runs ORDER BY id")
    assert sum(run["steps_executed"] for run in used) <= 9
    assert all(run["steps_executed"] <= run["max_steps"] for run in used)
