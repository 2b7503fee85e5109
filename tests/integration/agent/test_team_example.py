"""A notebook's conversation with a team, as it is stored and as one call reads it."""

from typing import Any

from echomind_api.conversations.run_details import read_details
from echomind_api.conversations.run_rows import read_run
from echomind_lib.access import Principal
from tests.drivers.agent import Agent
from tests.drivers.model_server import ModelServer, Text, Tools, Turn
from tests.factories import rows
from tests.factories.turns import delegated, goal_of, member_of


async def test_three_messages_in_a_notebook_make_six_runs(agent: Agent, model_server: ModelServer) -> None:
    await agent.lead(Researcher="Finds facts.", Writer="Writes texts.")
    await agent.pool.execute("UPDATE assistants SET is_visible = TRUE")
    notebook = await agent.pool.fetchval(
        "INSERT INTO notebooks (user_id, title) VALUES ($1, 'Books') RETURNING id", agent.rows.user_id
    )
    await agent.pool.execute(
        "INSERT INTO notebook_members (notebook_id, user_id, role) VALUES ($1, $2, 'owner')",
        notebook,
        agent.rows.user_id,
    )
    leader = await agent.pool.fetchval("UPDATE assistants SET name = 'NotebookLM' WHERE is_default RETURNING id")
    session = await rows.chat_session(
        agent.pool, user_id=agent.rows.user_id, assistant_id=leader, notebook_id=notebook, title="Books"
    )

    def respond(body: dict[str, Any]) -> Turn:
        results = sum(message["role"] == "tool" for message in body["messages"])
        if name := member_of(body):
            return Text("Three books." if name == "Researcher" else "# Three books")
        if goal_of(body) == "hello":
            return Text("Hello! Welcome!")
        if goal_of(body).startswith("recommend"):
            return Text("These three.") if results else Tools([delegated("researcher", "Find books.")])
        tasks = [[delegated("researcher", "Sum them up.")], [delegated("writer", "Make it a list.")]]
        return Tools(tasks[results]) if results < 2 else Text("Here they are.")

    model_server.respond(respond)
    agent.start()
    sent = []
    for text in ("hello", "recommend books for a 9yo girl", "summarize each book"):
        sent.append(await agent.ask(text, session["id"]))
        await agent.end(sent[-1].run_id)
    stored = await agent.pool.fetch(
        "SELECT kind, status FROM runs WHERE chat_session_id = $1 ORDER BY id", session["id"]
    )
    kinds = ["team", "team", "member", "team", "member", "member"]
    assert [tuple(run) for run in stored] == [(kind, "completed") for kind in kinds]

    row = await read_run(agent.pool, sent[-1].run_id)
    assert row is not None
    reader = Principal(agent.rows.user_id, frozenset({"user"}), frozenset())
    read = (await read_details(agent.pool, reader, row, detailed=False)).model_dump(mode="json")
    run = read["run"]
    assert (run["id"], run["chatSessionId"]) == (str(sent[-1].run_id), session["id"])
    assert (run["kind"], run["assistantName"], run["status"]) == ("RUN_KIND_TEAM", "NotebookLM", "RUN_STATUS_COMPLETED")
    assert (run["input"], read["content"]) == ("summarize each book", "Here they are.")
    assert (read["model"], read["modelProvider"]) == ("scripted", "LLM_PROVIDER_OPENAI")
    assert run["timeToFirstTokenMs"] > 0
    assert int(run["promptTokens"]) > 0
    assert [message["role"] for message in read["messages"]][-6:] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "assistant",
    ]
    assert read["messages"][-1]["content"] == "Here they are."
    assert {event["runId"] for event in read["events"]} == {run["id"]}
    members = read["memberResponses"]
    assert [(one["run"]["assistantName"], one["content"]) for one in members] == [
        ("Researcher", "Three books."),
        ("Writer", "# Three books"),
    ]
    for one in members:
        assert one["run"]["kind"] == "RUN_KIND_MEMBER"
        assert one["run"]["parentRunId"] == run["id"]
        assert one["run"]["timeToFirstTokenMs"] > 0
        assert {event["runId"] for event in one["events"]} == {one["run"]["id"]}
        assert one["messages"][0]["role"] == "system"
