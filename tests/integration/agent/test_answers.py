"""Runs from question to answer."""

from typing import Any

import pytest

from echomind_agent.execution.verification import Verifier
from echomind_agent.tools.documents import read_document, search_documents
from echomind_agent.toolset.registry import ToolContext, tool
from echomind_lib.config import VerifySettings
from echomind_lib.llms import open_model_session
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2, run_pb2, step_pb2
from tests.drivers.agent import Agent
from tests.drivers.model_server import ModelServer, Text, Tools
from tests.drivers.stack import Stack
from tests.drivers.vector_requests import sent_requests
from tests.factories.rows import llm

HANDBOOK = """# Annual leave

Full-time employees are entitled to 30 days of paid annual leave per calendar year. Up to five unused days may be
carried over into the next year; they expire on 31 March.

# Sick leave

Report sick leave to your manager before 9:00. A doctor's note is needed from the third day.
"""


async def test_plain_answer(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Text("Paris is the capital, I think [1].")])
    agent.start()
    sent = await agent.ask("What is the capital of France?")
    final = await agent.end(sent.run_id)
    assert final.finished.status == run_pb2.RUN_STATUS_COMPLETED
    message = final.finished.message
    assert message.content == "Paris is the capital, I think."
    assert message.basis == chat_message_pb2.ANSWER_BASIS_MODEL_ONLY
    assert (message.id, message.parent_message_id) == (sent.assistant_message_id, sent.user_message_id)
    assert message.content.startswith(agent.texts(message.id)[1])
    row = await agent.row(sent.run_id)
    stored = await agent.pool.fetchval("SELECT basis FROM chat_messages WHERE id = $1", sent.assistant_message_id)
    assert stored == "model_only"
    assert (row["status"], row["steps_executed"], row["tools_called"]) == ("completed", 1, 0)
    assert row["prompt_tokens"] > 0
    (step,) = await agent.steps(sent.run_id)
    assert (step["action"], step["status"], step["llm_model"]) == ("answer", "completed", "scripted")
    assert [event.text for event in await agent.stored(sent.chat_session_id)] == ["Queued", "Working", "Answered"]
    system, question = model_server.requests[0]["messages"]
    assert "call search_documents first" in system["content"]
    assert question == {"role": "user", "content": "What is the capital of France?"}


async def test_a_model_compares_the_cited_sentences_too(agent: Agent, stack: Stack, model_server: ModelServer) -> None:
    await stack.index(HANDBOOK, "handbook.md")
    answer = "You get 30 days of paid annual leave [1]. Five of them are free beer [1]."
    search = Tools([("search_documents", {"query": "days of annual leave"})])
    model_server.script([search, Text(answer), Text('{"supported": [false]}')])
    async with open_model_session() as http:
        agent.verifier = Verifier(VerifySettings(provider="model", seconds=30), http)
        agent.start([search_documents(stack.retriever)])
        sent = await agent.ask("How many days of leave do I get?")
        final = await agent.end(sent.run_id)
    found = [(each.supported, each.verified) for each in final.finished.message.citations]
    assert found == [(False, True), (False, False)]
    rows = await agent.pool.fetch(
        "SELECT supported, verified FROM chat_message_documents WHERE chat_message_id = $1 ORDER BY id",
        sent.assistant_message_id,
    )
    assert [(row["supported"], row["verified"]) for row in rows] == found
    assert "30 days of paid annual leave" in model_server.requests[2]["messages"][-1]["content"]


async def test_searched_and_cited_answer(agent: Agent, stack: Stack, model_server: ModelServer) -> None:
    document_id = await stack.index(HANDBOOK, "handbook.md")
    answer = "You get 30 days of paid annual leave [1]. Five of them are free beer [1]. See also [9]."
    model_server.script([Tools([("search_documents", {"query": "days of annual leave"})]), Text(answer)])
    agent.start([search_documents(stack.retriever), read_document(stack.retriever)])
    sent = await agent.ask("How many days of leave do I get?")
    final = await agent.end(sent.run_id)
    assert final.finished.message.basis == chat_message_pb2.ANSWER_BASIS_SOURCES
    assert final.finished.message.content == answer.removesuffix(" [9].") + "."
    first, second = final.finished.message.citations
    assert (first.number, first.document_id, first.supported) == (1, document_id, True)
    assert (second.number, second.supported) == (1, False)
    assert answer[first.sentence_start : first.sentence_end] == "You get 30 days of paid annual leave [1]."
    assert HANDBOOK[first.span_start : first.span_end] == first.snippet
    assert "30 days" in first.snippet
    found = [event for event in await agent.stored(sent.chat_session_id) if event.HasField("sources")]
    assert found[0].sources.sources[0].document_id == document_id
    tool_message = model_server.requests[1]["messages"][-1]
    assert tool_message["role"] == "tool"
    assert '<source number="1" title="Annual leave"' in tool_message["content"]
    (message,) = await agent.pool.fetch("SELECT * FROM chat_messages WHERE id = $1", sent.assistant_message_id)
    assert message["basis"] == "sources"
    assert message["rephrased_query"] == "days of annual leave"
    assert message["retrieval_context"][0]["documentId"] == document_id
    assert await drawn_on(agent, sent.chat_session_id) == {document_id}


async def test_what_stands_behind_the_cut_of_a_passage_can_be_cited(
    agent: Agent, stack: Stack, model_server: ModelServer
) -> None:
    harbours = " ".join(f"Harbour {number} has a crane that lifts {number} tonnes." for number in range(100, 118))
    ferries = " ".join(f"Ferry {number} leaves from the pier in the north." for number in range(200, 218))
    text = f"# Harbours\n\n{harbours}\n\nThe lighthouse was built of granite.\n\n{ferries}\n"
    document_id = await stack.index(text, "harbours.md")
    answer = "The lighthouse was built of granite [1]. Ferry 217 leaves from the pier in the north [1]."
    model_server.script([Tools([("search_documents", {"query": "crane of harbour 104", "limit": 1})]), Text(answer)])
    agent.start([search_documents(stack.retriever)])
    sent = await agent.ask("What does the crane of harbour 104 lift?")
    final = await agent.end(sent.run_id)
    first, second = final.finished.message.citations
    assert (first.document_id, first.supported) == (document_id, True)
    assert text[first.span_start : first.span_end] == first.snippet == "The lighthouse was built of granite."
    assert second.supported == ("Ferry 217" in model_server.requests[1]["messages"][-1]["content"])


async def test_the_searches_of_one_step_are_one_request(
    agent: Agent, stack: Stack, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stack.index(HANDBOOK, "handbook.md")
    searches = [("search_documents", {"query": query}) for query in ("days of annual leave", "report sick leave")]
    model_server.script([Tools(searches), Text("You get 30 days of paid annual leave [1].")])
    agent.start([search_documents(stack.retriever)])
    await stack.retriever.search(stack.reader(), "leave")  # the first one reads which index is active
    sent = sent_requests(stack.vectors, monkeypatch)
    asked = await agent.ask("How many days of leave do I get, and to whom do I report sick?")
    final = await agent.end(asked.run_id)
    assert final.finished.message.basis == chat_message_pb2.ANSWER_BASIS_SOURCES
    assert [message["role"] for message in model_server.requests[1]["messages"][-2:]] == ["tool", "tool"]
    assert [each for each in sent if each.startswith("Query")] == ["QueryBatchPoints"]


@pytest.mark.parametrize("is_indexed", [False, True])
async def test_an_answer_that_cites_nothing_after_a_search_has_no_source(
    agent: Agent, stack: Stack, model_server: ModelServer, is_indexed: bool
) -> None:
    if is_indexed:
        await stack.index(HANDBOOK, "handbook.md")
    answer = "Nothing says how many days [7]."
    model_server.script([Tools([("search_documents", {"query": "days of annual leave"})]), Text(answer)])
    agent.start([search_documents(stack.retriever)])
    sent = await agent.ask("How many days of leave do I get?")
    message = (await agent.end(sent.run_id)).finished.message
    assert message.content == "Nothing says how many days."
    assert (message.basis, len(message.citations)) == (chat_message_pb2.ANSWER_BASIS_NO_SOURCE_FOUND, 0)


async def test_an_answer_says_whether_it_was_written_from_something_besides_documents(
    agent: Agent, model_server: ModelServer
) -> None:
    @tool(progress=lambda _: "Reading", untrusted=True)
    async def read_elsewhere(context: ToolContext) -> str:
        """Reads what is elsewhere."""
        return "It is blue."

    model_server.script([Text("Blue [1]."), Tools([("read_elsewhere", {})]), Text("Blue [1].")])
    agent.start([read_elsewhere])
    messages = [(await agent.end((await agent.ask("Which colour?")).run_id)).finished.message for _ in range(2)]
    assert [message.content for message in messages] == ["Blue."] * 2
    assert [message.basis for message in messages] == [
        chat_message_pb2.ANSWER_BASIS_MODEL_ONLY,
        chat_message_pb2.ANSWER_BASIS_OTHER,
    ]


async def test_sources_of_a_session_include_documents_that_were_found_but_not_cited(
    agent: Agent, stack: Stack, model_server: ModelServer
) -> None:
    found = {await stack.index(HANDBOOK, "handbook.md"), await stack.index("# Annual leave\n\nAsk.", "ask.md")}
    search = Tools([("search_documents", {"query": "days of annual leave"})])
    model_server.script([Text("Hello."), search, Text("So."), search, Text("So again.")])
    agent.start([search_documents(stack.retriever)])
    sent = await agent.ask("Hi?")
    await agent.end(sent.run_id)
    assert await drawn_on(agent, sent.chat_session_id) == set()
    for question in ("How many days?", "Again?"):
        asked = await agent.ask(question, sent.chat_session_id)
        assert not (await agent.end(asked.run_id)).finished.message.citations
        assert await drawn_on(agent, sent.chat_session_id) == found


async def drawn_on(agent: Agent, session_id: int) -> set[int]:
    """Returns the documents that a session has drawn on."""
    stored = await agent.pool.fetch(
        "SELECT document_id FROM chat_session_sources WHERE chat_session_id = $1", session_id
    )
    return {row["document_id"] for row in stored}


async def test_attached_documents_are_searched_first(agent: Agent, stack: Stack, model_server: ModelServer) -> None:
    await stack.index(HANDBOOK, "handbook.md")
    attached = await stack.index("The parties agree on a term of ten years.", "contract.md")
    model_server.script([Tools([("search_documents", {"query": "annual leave", "limit": 4})]), Text("So [1].")])
    agent.start([search_documents(stack.retriever)])
    sent = await agent.send("Does this say anything of annual leave?")
    await agent.pool.execute(
        "UPDATE chat_messages SET document_ids = $2 WHERE id = $1", sent.user_message_id, [attached]
    )
    await agent.wake(sent.run_id)
    await agent.end(sent.run_id)
    (found,) = [event for event in await agent.stored(sent.chat_session_id) if event.HasField("sources")]
    titles = [source.title for source in found.sources.sources]
    assert found.sources.sources[0].document_id == attached
    assert len(titles) > 1
    assert "Files are attached to the question" in model_server.requests[0]["messages"][0]["content"]


async def test_the_requested_model_answers(agent: Agent, model_server: ModelServer) -> None:
    await llm(agent.pool, name="Unused", model_id="unused", endpoint="http://127.0.0.1:1/v1")
    requested = await llm(agent.pool, name="Requested", model_id="requested", endpoint=model_server.url)
    model_server.script([Text("Me.")])
    agent.start()
    sent = await agent.ask("Who?", llmId=requested["id"])
    await agent.end(sent.run_id)
    assert (await agent.row(sent.run_id))["llm_id"] == requested["id"]
    assert model_server.requests[0]["model"] == "requested"


async def test_citations_are_numbered_in_the_order_in_which_they_appear(
    agent: Agent, stack: Stack, model_server: ModelServer
) -> None:
    await stack.index(HANDBOOK, "handbook.md")
    await stack.index("# Annual leave abroad\n\nAbroad, annual leave is 25 days.", "abroad.md")
    answer = "Abroad it is 25 days [2], here 30 days [1, 2]. Nobody knows [9]. In code `x[2]`."
    model_server.script([Tools([("search_documents", {"query": "days of annual leave"})]), Text(answer)])
    agent.start([search_documents(stack.retriever)])
    sent = await agent.ask("How many days of leave?")
    final = await agent.end(sent.run_id)
    message = final.finished.message
    shown = "Abroad it is 25 days [1], here 30 days [2, 1]. Nobody knows. In code `x[2]`."
    assert message.content == shown
    (found,) = [event.sources for event in await agent.stored(sent.chat_session_id) if event.HasField("sources")]
    second, first = (source.document_id for source in sorted(found.sources, key=lambda source: source.number)[:2])
    assert [(citation.number, citation.document_id) for citation in message.citations] == [
        (1, first),
        (2, second),
    ]
    # The streamed text equals the stored text, and the model's original text is kept.
    assert shown.startswith(agent.texts(message.id)[1])
    cited = [list(delta.cited_sources) for _, delta in agent.deltas if delta.message_id == message.id]
    assert all(sources == [2, 1][: len(sources)] for sources in cited)
    assert (await agent.steps(sent.run_id))[-1]["llm_output"]["text"] == answer


async def test_built_in_model_quotes(agent: Agent, stack: Stack) -> None:
    await stack.index(HANDBOOK, "handbook.md")
    await agent.use_built_in_model()
    agent.start([search_documents(stack.retriever)])
    final = await agent.answer("How many days of paid annual leave do employees get?")
    message = final.finished.message
    assert "30 days of paid annual leave per calendar year. [1]" in message.content
    assert all(citation.supported for citation in message.citations)
    declined = await agent.answer("Which planet has the most moons?", message.chat_session_id)
    assert declined.finished.message.content == "Your documents do not contain an answer that I could quote."
    assert not declined.finished.message.citations
    thanks = await agent.answer("Thank you!", message.chat_session_id)
    assert thanks.finished.message.content.startswith("You are welcome.")
    assert not await agent.calls(thanks.run_id)  # type: ignore[arg-type]


async def test_built_in_model_answers_at_its_only_step(agent: Agent, stack: Stack) -> None:
    await agent.use_built_in_model()
    await agent.configure(maxSteps=1)
    agent.start([search_documents(stack.retriever)])
    final = await agent.answer("How many days of paid annual leave do employees get?")
    assert final.finished.status == run_pb2.RUN_STATUS_COMPLETED
    assert "do not contain" in final.finished.message.content


async def test_template_retrieves_first(agent: Agent, stack: Stack, model_server: ModelServer) -> None:
    await stack.index(HANDBOOK, "handbook.md")
    await agent.configure("Use this:\n{context}\n\nQuestion: {query} {other}", maxSteps=1)
    model_server.script([Text("30 days [1].")])
    agent.start([search_documents(stack.retriever)])
    sent = await agent.ask("How many days of annual leave?")
    final = await agent.end(sent.run_id)
    prompt = model_server.requests[0]["messages"][-1]["content"]
    assert prompt.startswith('Use this:\n<source number="1" title="Annual leave"')
    assert prompt.endswith("Question: How many days of annual leave? {other}")
    assert final.finished.message.citations[0].supported
    assert [(s["action"], s["status"]) for s in await agent.steps(sent.run_id)] == [
        ("retrieve", "completed"),
        ("answer", "completed"),
    ]


async def test_parallel_calls_of_one_step(agent: Agent, model_server: ModelServer) -> None:
    calls: list[tuple[str, Any]] = [("look_up", {"key": "a"}), ("look_up", {"key": "b"}), ("look_up", {"key": "flaky"})]
    model_server.script([Tools(calls, interleave=True), Text("Done.")])
    agent.start()
    sent = await agent.ask()
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."
    step, _ = await agent.steps(sent.run_id)
    assert (step["action"], step["is_parallel"], step["parallel_status"]) == ("call_tools_parallel", True, "completed")
    rows = await agent.calls(sent.run_id)
    assert [(row["result"], row["status"], row["retry_count"]) for row in rows] == [
        ("value of a", "completed", 0),
        ("value of b", "completed", 0),
        ("value of flaky", "completed", 1),
    ]
    results = [message["content"] for message in model_server.requests[1]["messages"] if message["role"] == "tool"]
    assert results == ["value of a", "value of b", "value of flaky"]


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (("no_such_tool", {"key": "a"}), "There is no tool no_such_tool."),
        (("look_up", {"keys": "a"}), "key: is missing; keys: is not a known field"),
        (("look_up", {"key": "nothing"}), "Nothing is there."),
    ],
)
async def test_a_failed_call_is_reported_to_the_model(
    agent: Agent, model_server: ModelServer, call: tuple[str, Any], problem: str
) -> None:
    model_server.script([Tools([call]), Text("I could not.")])
    agent.start()
    sent = await agent.ask()
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == "I could not."
    (row,) = await agent.calls(sent.run_id)
    assert row["status"] == "failed"
    assert problem in row["error_message"]
    assert problem in model_server.requests[1]["messages"][-1]["content"]
    failed = [e for e in await agent.stored(sent.chat_session_id) if e.tool_call.status == step_pb2.STEP_STATUS_FAILED]
    assert problem in failed[0].tool_call.error_message
