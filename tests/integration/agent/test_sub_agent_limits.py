"""Sub-agents share the limits of the run above them, and their use counts there."""

from echomind_lib.pb.echomind.public.v1 import run_pb2
from tests.drivers.agent import Agent
from tests.drivers.model_server import ModelServer, Text, Tools
from tests.factories.turns import plays, sub_agent, uses


async def test_a_sub_agents_budget_is_cut_from_its_parents(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(tools=["spawn_sub_agent"], maxRunTokens=10_000, maxSteps=10, timeoutSeconds=60)
    model_server.respond(
        plays(
            [Tools([sub_agent("A.", max_steps=2), sub_agent("B.", max_steps=99)]), Text("Done.")],
            lambda goal, body: Text("x"),
        )
    )
    agent.start()
    sent = await agent.ask("Root?")
    await agent.end(sent.run_id)
    first, second = await agent.pool.fetch("SELECT * FROM runs WHERE parent_run_id = $1 ORDER BY id", sent.run_id)
    assert (first["max_steps"], second["max_steps"]) == (2, 3)
    assert first["max_run_tokens"] == second["max_run_tokens"] < 10_000 // 3
    assert first["timeout_seconds"] <= 60 // 3


async def test_steps_and_seconds_are_shared_with_sub_agents(agent: Agent, model_server: ModelServer) -> None:
    """Whoever starts several shares what is left, and what they have used is used for the parent, too."""
    await agent.configure(tools=["look_up", "spawn_sub_agent"], maxSteps=10, timeoutSeconds=300)
    model_server.respond(
        plays(
            [Tools([sub_agent("A."), sub_agent("B.")]), Tools([sub_agent("C.")]), Text("Done.")],
            lambda goal, body: uses("look_up", goal, body, "x"),
        )
    )
    agent.start()
    sent = await agent.ask("Root?")
    assert (await agent.end(sent.run_id)).finished.status == run_pb2.RUN_STATUS_COMPLETED
    runs = await agent.pool.fetch("SELECT * FROM runs WHERE parent_run_id = $1 ORDER BY id", sent.run_id)
    # 9 of 10 are left for three; then 10 less 2 of its own and 4 of theirs for two.
    assert [run["max_steps"] for run in runs] == [3, 3, 2]
    assert [run["steps_executed"] for run in runs] == [2, 2, 2]
    assert [run["timeout_seconds"] <= 300 // 3 for run in runs[:2]] == [True, True]
    assert runs[2]["timeout_seconds"] <= 300 // 2


async def test_sub_agents_for_whom_no_steps_are_left_are_not_started(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(tools=["spawn_sub_agent"], maxSteps=4)
    model_server.respond(
        plays(
            [Tools([sub_agent(f"Part {number}.") for number in range(3)]), Tools([sub_agent("All.")]), Text("Done.")],
            lambda goal, body: Text("x"),
        )
    )
    agent.start()
    sent = await agent.ask("Root?")
    assert (await agent.end(sent.run_id)).finished.status == run_pb2.RUN_STATUS_COMPLETED
    *refused, started = await agent.calls(sent.run_id)
    assert {call["status"] for call in refused} == {"failed"}
    reason = "The steps that are left to the run (3) are enough for 2 sub-agents or members at most."
    assert {call["error_message"] for call in refused} == {f"{reason} Start fewer, or do it yourself."}
    assert started["status"] == "completed"
    steps = await agent.pool.fetchval("SELECT sum(steps_executed) FROM runs")
    assert steps <= 4


async def test_a_parent_answers_when_its_sub_agents_have_taken_all_steps(
    agent: Agent, model_server: ModelServer
) -> None:
    await agent.configure(tools=["spawn_sub_agent"], maxSteps=4)
    model_server.respond(
        plays([Tools([sub_agent("A."), sub_agent("B.")]), Text("Done.")], lambda goal, body: Text("x"))
    )
    agent.start()
    sent = await agent.ask("Root?")
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."


async def test_use_of_sub_agents_counts_for_the_parent(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(tools=["spawn_sub_agent"], maxRunTokens=3_000)
    model_server.respond(
        plays(
            [Tools([sub_agent("A.")]), Text("Done.")],
            lambda goal, body: Text("word " * 3_000),
        )
    )
    agent.start()
    sent = await agent.ask("Root?")
    final = await agent.end(sent.run_id)
    assert final.finished.error.reason == "MAX_TOKENS"


async def test_use_of_sub_agents_counts_when_the_parent_resumes(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(tools=["order", "spawn_sub_agent"], maxRunTokens=50_000, approvalTools=["order"])
    agent.shelf.go.set()
    model_server.respond(
        plays(
            [Tools([sub_agent("A.")]), Tools([("order", {"key": "pizza"})]), Text("Done.")],
            lambda goal, body: Text("x"),
        )
    )
    agent.start()
    sent = await agent.ask("Root?")
    await agent.waits(sent.run_id)
    await agent.pool.execute("UPDATE runs SET prompt_tokens = 60000 WHERE parent_run_id = $1", sent.run_id)
    await agent.decide(sent.run_id, True)
    assert (await agent.end(sent.run_id)).finished.error.reason == "MAX_TOKENS"
