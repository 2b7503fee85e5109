"""Teams: a leader and its members, on whichever worker."""

from typing import Any

from echomind_lib.pb.echomind.public.v1 import run_pb2
from tests.drivers.agent import Agent
from tests.drivers.model_server import ModelServer, Text, Tools
from tests.factories.turns import delegated, member_of, team_plays


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
