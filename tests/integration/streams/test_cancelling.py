"""`CancelRun` ends the streams of the model's server, also those of sub-agents; prints the time it takes."""

import statistics
import time

import pytest

from echomind_lib.pb.echomind.public.v1 import run_pb2
from tests.drivers.installation import Installation
from tests.drivers.model_server import Hang, Json, Tools, Turn

REPETITIONS = 3
TARGET_SECONDS = 0.2
"""On a machine that is not busy, so it is printed and not asserted; `wait_for_disconnects` has a bound of its own."""


@pytest.mark.parametrize("children", [0, 3])
async def test_a_cancel_ends_the_models_streams(installation: Installation, children: int) -> None:
    """The slowest of the runs counts; the text that was written stays."""

    def respond(body: Json) -> Turn:
        goals = [str(message["content"]) for message in body["messages"] if message["role"] == "user"]
        if children and goals[-1] == "Go":
            return Tools([("spawn_sub_agent", {"goal": f"Part {number}."}) for number in range(children)])
        return Hang("So far ")

    assistant = {"name": f"Cancels {children}", "isVisible": True, "config": {"tools": ["spawn_sub_agent"]}}
    made = await installation.owner.call("AssistantService/CreateAssistant", {"assistant": assistant})
    question = {"content": "Go", "assistantId": made["id"]}
    model, running = installation.model, max(1, children)
    before = model._respond
    model.respond(respond)
    try:
        seconds = []
        for _ in range(REPETITIONS):
            asked, left = len(model.requests), model.disconnects
            run = (await installation.owner.call("ChatMessageService/SendMessage", question))["run"]
            await model.wait_for_requests(asked + running + bool(children))
            began = time.perf_counter()
            await installation.owner.call("RunService/CancelRun", {"id": run["id"]})
            await model.wait_for_disconnects(left + running)
            seconds.append(time.perf_counter() - began)
            ended = await installation.ended(run["id"])
            assert ended["status"] == "RUN_STATUS_CANCELLED"
            tree = (await installation.owner.call("RunService/GetRunTree", {"id": run["id"]}))["runs"]
            assert len(tree) == 1 + children
            for child in tree[1:]:
                assert (await installation.ended(child["id"]))["status"] == run_pb2.RunStatus.Name(
                    run_pb2.RUN_STATUS_CANCELLED
                )
    finally:
        model.respond(before)
    median, worst = statistics.median(seconds) * 1000, max(seconds) * 1000
    who = f"{children} sub-agents" if children else "a run"
    print(f"\ncancel of {who}: {median:.0f} ms, at most {worst:.0f} ms (target {TARGET_SECONDS * 1000:.0f})")  # noqa: T201
