"""The setup of a sub-agent: assistant, model, tools, and context of the conversation."""

from collections.abc import Sequence
from typing import Any

import pytest

from echomind_lib.runs import steps
from tests.drivers.agent import Agent
from tests.drivers.death import Death
from tests.drivers.model_server import Error, ModelServer, Text, Tools, Turn
from tests.factories import rows
from tests.factories.turns import delegated, goal_of, member_of, plays, sub_agent

LONG = "The stripe is blue and the printer is on the third floor. " * 120
BRIEFING = "They want a printer with a blue stripe."


async def new_assistant(agent: Agent, name: str, **values: Any) -> int:
    config = values.pop("config", {})
    columns = {"name": name, "system_prompt": f"You are {name}.", "config": config} | values
    places = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
    sql = f"INSERT INTO assistants ({', '.join(columns)}) VALUES ({places}) RETURNING id"
    return int(await agent.pool.fetchval(sql, *columns.values()))


async def new_model(agent: Agent, name: str, **values: Any) -> int:
    (default,) = await agent.pool.fetch("SELECT * FROM llms WHERE is_default")
    row = dict(default) | {"name": name, "model_id": name.lower(), "is_default": False} | values
    columns = [key for key in row if key not in ("id", "creation_date", "last_update")]
    places = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
    sql = f"INSERT INTO llms ({', '.join(columns)}) VALUES ({places}) RETURNING id"
    return int(await agent.pool.fetchval(sql, *(row[key] for key in columns)))


def tools_of(body: dict[str, Any]) -> list[str]:
    return sorted(tool["function"]["name"] for tool in body.get("tools") or [])


async def test_a_sub_agent_runs_as_another_assistant_with_its_own_model_and_tools(
    agent: Agent, model_server: ModelServer
) -> None:
    await agent.configure(tools=["spawn_sub_agent", "look_up", "news"])
    legal = await new_assistant(agent, "Legal", description="Reads contracts.", config={"tools": ["look_up", "news"]})
    fast = await new_model(agent, "Fast")
    given = [
        sub_agent("As another.", assistant="legal"),
        sub_agent("All three.", assistant="Legal", model="fast", tools=["news"]),
        sub_agent("Like its parent.", tools=["look_up"], model="Fast"),
    ]
    model_server.respond(plays([Tools([*given]), Text("Done.")], lambda goal, body: Text(f"Found {goal}")))
    agent.start()
    sent = await agent.ask("Root?")
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."
    runs = {row["goal"]: row for row in await agent.pool.fetch("SELECT * FROM runs WHERE kind = 'sub_agent'")}
    own = (await agent.row(sent.run_id))["assistant_id"]
    assert [runs[each[1]["goal"]]["assistant_id"] for each in given] == [legal, legal, own]
    assert [runs[each[1]["goal"]]["llm_id"] == fast for each in given] == [False, True, True]
    asked = {goal_of(body): body for body in model_server.requests}
    assert [tools_of(asked[each[1]["goal"]]) for each in given] == [["look_up", "news"], ["news"], ["look_up"]]
    assert "You are Legal." in asked["All three."]["messages"][0]["content"]
    assert "You are Legal." not in asked["Like its parent."]["messages"][0]["content"]
    assert asked["All three."]["model"] == "fast"
    (tool,) = (each for each in asked["Root?"]["tools"] if each["function"]["name"] == "spawn_sub_agent")
    assert "<assistants>\n- Legal (Reads contracts)\n</assistants>" in tool["function"]["description"]
    assert "Models: " in tool["function"]["description"]


async def test_what_the_person_may_not_use_cannot_be_given(agent: Agent, model_server: ModelServer) -> None:
    """Hidden, removed and draft assistants, inactive and removed models, tools that the assistant does not have."""
    await agent.configure(tools=["spawn_sub_agent", "look_up"])
    await new_assistant(agent, "Public", config={"tools": ["look_up"]})
    await new_assistant(agent, "Hidden", is_visible=False)
    await new_assistant(agent, "Draft", is_visible=False, is_draft=True)
    removed = await new_assistant(agent, "Removed")
    await agent.pool.execute("UPDATE assistants SET deleted_date = now() WHERE id = $1", removed)
    await new_model(agent, "Resting", is_active=False)
    gone = await new_model(agent, "Gone")
    await agent.pool.execute("UPDATE llms SET deleted_date = now() WHERE id = $1", gone)
    await agent.pool.execute("UPDATE users SET roles = '{user}'")
    wrong: Sequence[tuple[dict[str, Any], str]] = (
        ({"assistant": "Hidden"}, "There is no assistant 'Hidden'"),
        ({"assistant": "Draft"}, "There is no assistant 'Draft'"),
        ({"assistant": "Removed"}, "Give one of: Public"),
        ({"model": "Resting"}, "There is no model 'Resting'"),
        ({"model": "Gone"}, "There is no model 'Gone'"),
        ({"tools": ["news"]}, "Give one of: look_up, spawn_sub_agent"),
        ({"tools": ["news"], "assistant": "Public"}, "Give one of: look_up"),
        ({"tools": ["finish_goal"], "assistant": "Public"}, "There is no tool 'finish_goal'"),
    )
    calls = [sub_agent(f"Part {number}.", **given) for number, (given, _) in enumerate(wrong)]
    model_server.respond(
        plays([Tools([*calls, sub_agent("Right.", assistant="Public")]), Text("Done.")], lambda goal, body: Text("x"))
    )
    agent.start()
    sent = await agent.ask("Root?", maxSteps=40)
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."
    *failed, right = await agent.calls(sent.run_id)
    assert right["status"] == "completed"
    for call, (_, reason) in zip(failed, wrong, strict=True):
        assert call["status"] == "failed"
        assert reason in call["error_message"]
    assert await agent.pool.fetchval("SELECT count(*) FROM runs WHERE kind = 'sub_agent'") == 1


async def test_an_assistant_that_is_hidden_meanwhile_does_not_work(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(tools=["spawn_sub_agent"])
    await new_assistant(agent, "Legal")
    await agent.pool.execute("UPDATE users SET roles = '{user}'")

    async def respond(body: dict[str, Any]) -> Turn:
        if body["messages"][-1]["role"] == "tool":
            return Text("Done.")
        await agent.pool.execute(
            "CREATE OR REPLACE FUNCTION hide() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            " UPDATE assistants SET is_visible = FALSE WHERE name = 'Legal'; RETURN NEW; END $$;"
            "CREATE OR REPLACE TRIGGER hide AFTER INSERT ON runs FOR EACH ROW EXECUTE FUNCTION hide()"
        )
        return Tools([sub_agent("A.", assistant="Legal")])

    model_server.respond(respond)
    agent.start()
    sent = await agent.ask("Root?")
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."
    (call,) = await agent.calls(sent.run_id)
    assert (call["status"], "not available to you any more" in call["error_message"]) == ("failed", True)
    assert len(model_server.requests) == 2


# -- what it is told -------------------------------------------------------------------------------------------------
def is_briefing(body: dict[str, Any]) -> bool:
    return "Other agents will do the tasks below" in str(body["messages"][0]["content"])


def briefed(parent: list[Turn], briefing: Turn) -> Any:
    """Returns a model that writes short forms; the rest as `plays` has it."""
    play = plays(parent, lambda goal, body: Text("Found."))
    return lambda body: briefing if is_briefing(body) else play(body)


async def long_conversation(agent: Agent, model_server: ModelServer) -> int:
    model_server.respond(lambda body: Text(LONG))
    return (await agent.answer("Root?")).chat_session_id


async def test_the_model_writes_a_short_form_of_a_long_conversation_once(
    agent: Agent, model_server: ModelServer
) -> None:
    """It is counted with the step, and no result of a tool is in it."""
    await agent.configure(tools=["spawn_sub_agent", "look_up"])
    agent.start()
    session = await long_conversation(agent, model_server)
    model_server.requests.clear()
    parent: list[Turn] = [
        Tools([("look_up", {"key": "secret-7391"})]),
        Tools([sub_agent("A."), sub_agent("B.", background="It rains.")]),
        Text("Done."),
    ]
    model_server.respond(briefed(parent, Text(BRIEFING)))
    sent = await agent.ask("Root?", session)
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."
    (request,) = filter(is_briefing, model_server.requests)
    material = request["messages"][1]["content"]
    for part in ("The stripe is blue", "<goal>\nA.\n</goal>", "- look_up(key: secret-7391): done"):
        assert part in material
    assert "value of" not in material
    first, second = await agent.pool.fetch("SELECT * FROM runs WHERE parent_run_id = $1 ORDER BY id", sent.run_id)
    assert (first["inherited_context"], second["inherited_context"]) == (BRIEFING, f"{BRIEFING}\n\nIt rains.")
    plain, delegates, answers = await agent.steps(sent.run_id)
    assert delegates["output_data"] == {"inherited": BRIEFING}
    # Its prompt is shorter than the next one's; the request for the short form counts with it.
    assert plain["prompt_tokens"] < answers["prompt_tokens"] < delegates["prompt_tokens"]


async def test_the_stored_short_form_is_used_again_after_a_death(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    await agent.configure(tools=["spawn_sub_agent"])
    first = agent.start()
    session = await long_conversation(agent, model_server)
    await agent.stop(first)
    model_server.requests.clear()
    model_server.respond(briefed([Tools([sub_agent("A.")]), Text("Done.")], Text(BRIEFING)))
    death.at(steps, "record_step", after=True)
    death.start()
    sent = await agent.ask("Root?", session)
    await death.comes()
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."
    assert sum(map(is_briefing, model_server.requests)) == 1
    assert await agent.pool.fetchval("SELECT inherited_context FROM runs WHERE kind = 'sub_agent'") == BRIEFING


@pytest.mark.parametrize("briefing", [Error(400), Text("")])
async def test_rules_shorten_it_when_the_model_fails(agent: Agent, model_server: ModelServer, briefing: Turn) -> None:
    await agent.configure(tools=["spawn_sub_agent"])
    agent.start()
    session = await long_conversation(agent, model_server)
    model_server.respond(briefed([Tools([sub_agent("A.")]), Text("Done.")], briefing))
    sent = await agent.ask("Root?", session)
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."
    received = await agent.pool.fetchval("SELECT inherited_context FROM runs WHERE kind = 'sub_agent'")
    assert received.startswith("The conversation so far, newest last:")
    assert "[…]" in received


async def test_a_short_conversation_is_passed_on_in_full_without_a_request(
    agent: Agent, model_server: ModelServer
) -> None:
    await agent.configure(tools=["spawn_sub_agent"])
    model_server.respond(briefed([Tools([sub_agent("A.")]), Text("Done.")], Error(500)))
    agent.start()
    sent = await agent.ask("Root?")
    await agent.end(sent.run_id)
    assert len(model_server.requests) == 3
    received = await agent.pool.fetchval("SELECT inherited_context FROM runs WHERE kind = 'sub_agent'")
    assert received == "The conversation so far, newest last:\nPerson: Root?"


# -- teams -----------------------------------------------------------------------------------------------------------
async def new_team(agent: Agent, name: str, *members: int, **values: Any) -> int:
    leader = await new_assistant(agent, name, **values)
    for position, member in enumerate(members, 1):
        await rows.insert(
            agent.pool, "assistant_members", {"assistant_id": leader, "member_id": member, "position": position}
        )
    return leader


@pytest.mark.parametrize("mode", ["COORDINATE", "ROUTE"])
async def test_a_team_that_is_given_to_a_sub_agent_works_with_its_members(
    agent: Agent, model_server: ModelServer, mode: str
) -> None:
    await agent.configure(tools=["spawn_sub_agent"])
    writer = await new_assistant(agent, "Writer", is_visible=False)
    await new_team(agent, "Desk", writer, config={"teamMode": f"TEAM_MODE_{mode}"})

    def respond(body: dict[str, Any]) -> Turn:
        text, who = body["messages"][-1], member_of(body)
        worked = text["role"] == "tool"
        if who == "Writer":
            return Text("A text.")
        if who == "Desk":
            return Text(f"The desk: {text['content']}") if worked else Tools([delegated("writer", "Write.")])
        return Text("Done.") if worked else Tools([sub_agent("Have it written.", assistant="Desk")])

    model_server.respond(respond)
    agent.start(concurrency=1)
    sent = await agent.ask("Root?")
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."
    runs = await agent.pool.fetch("SELECT kind, depth, result_summary FROM runs ORDER BY depth")
    result = "A text." if mode == "ROUTE" else "The desk: A text."
    assert [tuple(run) for run in runs] == [("agent", 0, None), ("sub_agent", 1, result), ("member", 2, "A text.")]
    (desk,) = (body for body in model_server.requests if member_of(body) == "Desk" and len(body["messages"]) == 2)
    assert tools_of(desk) == ["delegate_task"]


@pytest.mark.parametrize("is_too_deep", [False, True])
async def test_a_team_does_not_work_below_itself_or_too_deep(
    agent: Agent, model_server: ModelServer, is_too_deep: bool
) -> None:
    """The member of a team asks for a sub-agent that is this team; or somebody nine levels down for any team."""
    writer = await new_assistant(agent, "Writer", config={"tools": ["spawn_sub_agent"]})
    desk = await new_team(agent, "Desk", writer)
    if is_too_deep:
        await agent.configure(tools=["spawn_sub_agent"], maxDepth=10)
    else:
        await agent.pool.execute("UPDATE assistants SET is_default = id = $1", desk)

    def respond(body: dict[str, Any]) -> Turn:
        if body["messages"][-1]["role"] == "tool":
            return Text(f"So: {body['messages'][-1]['content']}")
        if member_of(body) == "Desk":
            return Tools([delegated("writer", "Write.")])
        return Tools([sub_agent("Have it written.", assistant="Desk")])

    model_server.respond(respond)
    agent.start()
    sent = await agent.send("Root?", maxDepth=10)
    if is_too_deep:
        # Nine runs above it do not matter here.
        await agent.pool.execute("UPDATE runs SET depth = 9 WHERE id = $1", sent.run_id)
    await agent.wake(sent.run_id)
    answer = (await agent.end(sent.run_id)).finished.message.content
    assert ("deeper than the 10 levels" if is_too_deep else "You are working for Desk already") in answer
    assert await agent.pool.fetchval("SELECT count(*) FROM runs WHERE kind = 'sub_agent'") == 0
