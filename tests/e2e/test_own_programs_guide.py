"""The guide's page for one's own programs: its code, run as it is in one process against the product."""

import aiohttp

from tests.drivers.model_server import Json, ModelServer, Text, Tools, Turn
from tests.drivers.snippets import run_python, to_run
from tests.drivers.up import Up
from tests.factories.turns import goal_of


def _answer(body: Json) -> Turn:
    if goal_of(body) == "Plan the move." and body["messages"][-1]["role"] != "tool":
        return Tools([("ask_user", {"question": "To which floor?"})])
    return Text(f"About: {goal_of(body)}")


async def test_the_calls_of_older_programs(up: Up, http: aiohttp.ClientSession, model_server: ModelServer) -> None:
    model_server.respond(_answer)
    llm = {"name": "Own programs", "provider": "LLM_PROVIDER_OPENAI", "modelId": "scripted", "apiKey": "none"}
    async with http.post("/api/v1/llms", json=llm | {"endpoint": model_server.url}) as response:
        llm_id = (await response.json())["id"]
    async with http.post("/api/v1/assistants", json={"name": "Own programs", "llmId": llm_id}) as response:
        assistant_id = (await response.json())["id"]
    code = "\n".join(snippet.text for snippet in to_run("own-programs.md", "python"))
    code = f"KEY, ASSISTANT = {up.api_key!r}, {assistant_id!r}\n" + code.replace("http://127.0.0.1:8080", up.url)
    assert (await run_python(code)).splitlines() == [
        "About: What should I focus on today?",
        "To which floor?",
        "About: Plan the move.",
    ]
