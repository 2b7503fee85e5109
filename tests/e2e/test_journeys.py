"""Journeys through the front doors: documents in, cited answers out, by command line, REST, SSE and gRPC."""

import asyncio
import json
from pathlib import Path
from typing import Any

import aiohttp
import grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from echomind_lib.pb.echomind.public.v1 import (
    chat_message_service_pb2,
    chat_message_service_pb2_grpc,
    run_pb2,
    session_event_pb2,
)
from tests.drivers.model_server import ModelServer, Text, Tools, Turn
from tests.drivers.up import Up, answer_of, sse

HANDBOOK = """# Employee handbook

## Leave

Every employee gets 28 days of paid leave a year. Leave that is not taken by 31 March of the next year is lost.

## Travel

Train journeys are booked in second class. Journeys of more than six hours may be booked in first class.
"""


def test_guide_answers_a_first_question(up: Up) -> None:
    answered = up.json("ask", "How do I add my own documents?")
    assert answered["status"] == "completed"
    assert answered["citations"], answered
    assert all(citation["supported"] for citation in answered["citations"])
    assert "[1]" in answered["answer"]


def test_folder_is_ingested_synced_and_asked(up: Up, tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "handbook.md").write_text(HANDBOOK)
    (folder / "canteen.txt").write_text("The canteen opens at 11:30 and closes at 14:00. On Fridays it serves fish.\n")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nthis is not a PDF")
    first = up.json("ingest", str(folder), "--wait", check=False)
    assert (first["completed"], first["failed"]) == (2, 1), first
    (broken,) = [document for document in first["documents"] if document["status"] == "failed"]
    assert broken["statusMessage"]
    (folder / "broken.pdf").unlink()
    answered = up.json("ask", "How many days of paid leave does every employee get?")
    assert "28 days" in answered["answer"]
    (citation,) = [c for c in answered["citations"] if "28 days" in c["snippet"]]
    assert citation["supported"]
    assert citation["title"] == "Employee handbook"
    (folder / "canteen.txt").unlink()
    (folder / "handbook.md").write_text(HANDBOOK.replace("28 days", "30 days"))
    second = up.json("ingest", str(folder), "--wait")
    assert (second["completed"], second["failed"]) == (1, 0), second
    found = up.json("search", "days of paid leave")["hits"]
    assert "30 days" in found[0]["text"]
    # What other tests have stored is found, too.
    assert not any("28 days" in hit["text"] for hit in found if hit["documentId"] == found[0]["documentId"])
    assert not any("canteen" in hit["text"] for hit in up.json("search", "When does the canteen open?")["hits"])
    third = up.json("ingest", str(folder), "--wait")
    assert (third["completed"], third["skipped"]) == (0, 1), third


def test_unanswerable_question_is_declined(up: Up) -> None:
    answered = up.json("ask", "Which enzyme splits lactose in the small intestine?")
    assert answered["status"] == "completed"
    assert answered["citations"] == []
    assert "do not contain" in answered["answer"]


async def test_upload_and_stream_as_the_readme_does(http: aiohttp.ClientSession) -> None:
    form = aiohttp.FormData()
    form.add_field("file", b"The visitor car park is behind building seven.", filename="parking.txt")
    async with http.post("/api/v1/documents:upload", data=form) as response:
        assert response.status == 200, await response.text()
        (document,) = (await response.json())["documents"]
    while document["status"] in ("DOCUMENT_STATUS_PENDING", "DOCUMENT_STATUS_PROCESSING"):
        await asyncio.sleep(0.1)  # without a pause, polling exceeds the gateway's rate limit
        async with http.get(f"/api/v1/documents/{document['id']}") as response:
            assert response.status == 200, await response.text()
            document = await response.json()
    assert document["status"] == "DOCUMENT_STATUS_COMPLETED", document
    question = {"content": "Where is the visitor car park?"}
    async with http.post("/api/v1/chat-sessions/-/messages:stream", json=question) as response:
        events = [event async for event in sse(response)]
    final = events[-1]
    assert final["kind"] == "SESSION_EVENT_KIND_FINAL"
    message = final["finished"]["message"]
    assert "behind building seven" in message["content"]
    assert message["content"].startswith(answer_of(events[:-1]))
    # Other tests add documents of the same person's, which the answer may quote as well.
    citation = next(each for each in message["citations"] if each["documentId"] == document["id"])
    text_of = f"/api/v1/documents/{document['id']}/text?start={citation.get('spanStart', 0)}&end={citation['spanEnd']}"
    async with http.get(text_of) as response:
        assert "building seven" in (await response.json())["text"]
    session = final["chatSessionId"]
    async with http.get(f"/api/v1/chat-sessions/{session}/messages") as response:
        stored = (await response.json())["messages"]
    assert stored[-1] == message
    async with http.get(f"/api/v1/runs/{message['runId']}/steps") as response:
        steps = (await response.json())["steps"]
    assert [step["action"] for step in steps] == ["STEP_ACTION_CALL_TOOL", "STEP_ACTION_ANSWER"]
    assert steps[0]["toolCalls"][0]["toolName"] == "search_documents"


async def test_grpc_with_reflection(up: Up) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{up.grpc_port}") as plain:
        services = await asyncio.to_thread(lambda: ProtoReflectionDescriptorDatabase(plain).get_services())
    assert "echomind.public.v1.ChatMessageService" in services
    async with grpc.aio.insecure_channel(f"127.0.0.1:{up.grpc_port}") as channel:
        stub = chat_message_service_pb2_grpc.ChatMessageServiceStub(channel)
        request = chat_message_service_pb2.SendMessageRequest(content="How do I connect a model?")
        try:
            await stub.SendMessage(request)
        except grpc.aio.AioRpcError as error:
            refused = error.code()
        assert refused is grpc.StatusCode.UNAUTHENTICATED
        metadata = (("authorization", f"Bearer {up.api_key}"),)
        events = [event async for event in stub.StreamMessage(request, metadata=metadata)]
    assert events[-1].kind == session_event_pb2.SESSION_EVENT_KIND_FINAL
    assert events[-1].finished.message.content
    assert events[-1].finished.status == run_pb2.RUN_STATUS_COMPLETED


async def test_openapi_and_health(http: aiohttp.ClientSession) -> None:
    async with http.get("/readyz") as response:
        assert response.status == 200, await response.text()
    async with http.get("/api/v1/openapi.json") as response:
        spec = await response.json()
    stream = spec["paths"]["/api/v1/chat-sessions/{chat_session_id}/messages:stream"]["post"]
    assert "text/event-stream" in stream["responses"]["200"]["content"]
    async with http.get("/metrics") as response:
        assert response.status == 200


async def test_scopes_hold_on_every_door(up: Up, http: aiohttp.ClientSession, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The safe in the basement opens with the combination 71-12-64.")
    up.json("ingest", str(secret), "--wait")
    user = {"userName": "robin", "email": "robin@example.com", "isActive": True}
    async with http.post("/api/v1/users", json=user) as response:
        assert response.status == 200, await response.text()
        robin = await response.json()
    async with http.post("/api/v1/auth/links", json={"userId": robin["id"]}) as response:
        path = (await response.json())["path"]
    jar = aiohttp.CookieJar(unsafe=True)
    question = "What is the combination of the safe in the basement?"
    async with aiohttp.ClientSession(up.url, cookie_jar=jar) as stranger:
        async with stranger.get(path) as response:
            assert "Sign in as robin" in await response.text()
        form = {"token": path.partition("=")[2]}
        async with stranger.post("/auth/link", data=form, headers={"Origin": up.url}) as response:
            assert response.status == 200, await response.text()
        headers = {"X-EchoMind-CSRF": "1"}
        async with stranger.post("/api/v1/search", json={"query": question}, headers=headers) as response:
            assert response.status == 200, await response.text()
            assert "71-12-64" not in await response.text()
        asked = stranger.post("/api/v1/chat-sessions/-/messages:stream", json={"content": question}, headers=headers)
        async with asked as response:
            assert "71-12-64" not in json.dumps([event async for event in sse(response)])
        async with stranger.get("/api/v1/documents") as response:
            assert "secret.txt" not in await response.text()
    assert "71-12-64" in up.json("ask", question)["answer"]


async def test_connected_model_searches_and_is_cited(up: Up, model_server: ModelServer, tmp_path: Path) -> None:
    note = tmp_path / "printers.txt"
    note.write_text("The printer on the third floor takes cards with a blue stripe only.")

    def answer(request: dict[str, Any]) -> Turn:
        if request["messages"][-1]["role"] == "tool":
            return Text("It takes cards with a blue stripe only [1]. It was bought in 1987 [1].")
        return Tools([("search_documents", {"query": "printer third floor cards"})])

    model_server.respond(answer)

    def journey() -> dict[str, Any]:
        up.json("ingest", str(note), "--wait")
        endpoint = ["--endpoint", model_server.url, "--provider-key", "secret"]
        up.run("llms", "add", "Connected", "--provider", "openai", "--model", "scripted", *endpoint, "--default")
        try:
            return up.json("ask", "Which cards does the printer on the third floor take?")
        finally:
            up.run("llms", "remove", "Connected", "--yes")

    answered = await asyncio.to_thread(journey)
    assert answered["answer"] == "It takes cards with a blue stripe only [1]. It was bought in 1987 [1]."
    assert [citation["supported"] for citation in answered["citations"]] == [True, False]
    assert "secret" not in json.dumps(model_server.requests)
    shown = (await asyncio.to_thread(up.run, "runs", "show", answered["runId"])).stdout
    assert "search_documents" in shown
