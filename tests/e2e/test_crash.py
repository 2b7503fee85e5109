"""Killing the agent in the middle of an answer: another takes over, and the client's stream ends as stored."""

import aiohttp

from tests.drivers.model_server import ModelServer, Text
from tests.drivers.up import Up, answer_of, sse

ANSWER = " ".join(f"word{number}" for number in range(200))


async def test_answer_survives_the_death_of_its_agent(
    up: Up, http: aiohttp.ClientSession, model_server: ModelServer
) -> None:
    model_server.respond(lambda request: Text(ANSWER, delay_ms=20))
    llm = {
        "name": "Scripted",
        "provider": "LLM_PROVIDER_OPENAI",
        "modelId": "scripted",
        "endpoint": model_server.url,
        "apiKey": "none",
    }
    async with http.post("/api/v1/llms", json=llm) as response:
        assert response.status == 200, await response.text()
        llm_id = (await response.json())["id"]
    async with http.post(
        "/api/v1/assistants", json={"name": "Scripted", "llmId": llm_id, "isVisible": True}
    ) as response:
        assert response.status == 200, await response.text()
        assistant_id = (await response.json())["id"]
    events = []
    killed = False
    question = {"content": "Tell me something long.", "assistantId": assistant_id}
    async with http.post("/api/v1/chat-sessions/-/messages:stream", json=question) as response:
        async for event in sse(response):
            events.append(event)
            if "delta" in event and not killed and len(answer_of(events)) > 100:
                killed = True
                up.kill("echomind-agent", {port for _, port in model_server.connections})
    assert killed
    finished = events[-1]["finished"]
    assert finished["status"] == "RUN_STATUS_COMPLETED"
    assert finished["message"]["content"] == ANSWER
    # The last words may arrive only with the final event.
    assert ANSWER.startswith(answer_of(events[:-1]))
    assert len(answer_of(events[:-1])) > 100
    assert {event["delta"]["attempt"] for event in events if "delta" in event} == {1, 2}
    claims = [event["status"] for event in events if event.get("status", {}).get("attempt")]
    assert [claim.get("isRecovery", False) for claim in claims] == [False, True]
    session = events[-1]["chatSessionId"]
    async with http.get(f"/api/v1/chat-sessions/{session}/messages") as response:
        messages = (await response.json())["messages"]
    assert [message["content"] for message in messages] == [question["content"], ANSWER]
