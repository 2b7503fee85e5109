"""Questions that are asked with documents and with a chosen model, over both transports. No worker answers here."""

from uuid import uuid4

import pytest

from echomind_lib.errors import DocumentNotReadyError, NotFoundError, ValidationFailedError
from tests.drivers.person import Person, wait_for_a_person
from tests.factories import rows


async def document(person: Person, *, is_indexed: bool = True) -> int:
    """Returns a document of the person's own."""
    me = await person.call("UserService/GetCurrentUser")
    connector = await rows.connector(person.pool, name=uuid4().hex, type="file", scope="user", user_id=int(me["id"]))
    made = await rows.document(
        person.pool,
        connector_id=connector["id"],
        source_id=uuid4().hex,
        title="Contract",
        content_type="text/plain",
        status="completed" if is_indexed else "processing",
        chunking_session=uuid4() if is_indexed else None,
    )
    return int(made["id"])


async def test_the_documents_of_a_question_are_listed_in_their_order(person: Person) -> None:
    first, second = [await document(person) for _ in range(2)]
    sent = await person.ask("Which?", documentIds=[second, first])
    attachments = [
        {"documentId": str(each), "title": "Contract", "contentType": "text/plain"} for each in (second, first)
    ]
    assert sent["userMessage"]["attachments"] == attachments
    edited = await person.ended(
        await person.call("ChatMessageService/EditMessage", id=sent["userMessage"]["id"], content="And now?")
    )
    question, answer = await person.shown()
    assert (question["id"], question["attachments"]) == (edited["userMessage"]["id"], attachments)
    assert not answer.get("attachments")
    fork = await person.call("ChatSessionService/ForkChatSession", id=person.session)
    assert (await person.shown(fork["id"]))[0]["attachments"] == attachments
    await person.pool.execute("UPDATE documents SET deleted_date = now() WHERE id = $1", second)
    removed, kept = (await person.shown())[0]["attachments"]
    assert (removed["documentId"], removed.get("title", ""), kept) == (str(second), "", attachments[1])


async def test_a_document_that_is_not_indexed_is_not_asked_with(person: Person) -> None:
    with pytest.raises(DocumentNotReadyError):
        await person.ask("Which?", documentIds=[await document(person, is_indexed=False)])


async def test_the_answer_to_a_run_has_no_documents(person: Person) -> None:
    sent = await wait_for_a_person(person, "PENDING_INPUT_KIND_CLARIFICATION")
    with pytest.raises(ValidationFailedError):
        await person.ask("The blue one.", documentIds=[await document(person)])
    await person.ended(sent)


async def test_answers_of_people_are_stored_with_the_run(person: Person) -> None:
    sent = await wait_for_a_person(person, "PENDING_INPUT_KIND_CLARIFICATION")
    await person.ask("The blue one.")
    run = await person.call("RunService/GetRun", id=sent["run"]["id"])
    (decision,) = run["decisions"]
    assert decision.pop("decisionDate")
    assert decision.pop("decidedBy")
    assert not decision.pop("approved", False)
    assert decision == {
        "kind": "PENDING_INPUT_KIND_CLARIFICATION",
        "stepNumber": 1,
        "toolCallId": "c",
        "toolName": "ask_user",
        "parameters": {},
        "text": "The blue one.",
    }


async def test_a_chosen_model_is_requested_of_the_run(person: Person) -> None:
    model = await rows.llm(person.pool, name=uuid4().hex, model_id="m", endpoint="http://127.0.0.1:1/v1")
    asked = [
        await person.ask("What?", options={"llmId": model["id"]}),
        await person.ask("And?"),
    ]
    found = [
        await person.pool.fetchval("SELECT requested_llm_id FROM runs WHERE id = $1", sent["run"]["id"])
        for sent in asked
    ]
    assert found == [model["id"], None]
    await person.pool.execute("UPDATE llms SET is_active = FALSE WHERE id = $1", model["id"])
    with pytest.raises(NotFoundError):
        await person.ask("What?", options={"llmId": model["id"]})


async def test_a_preferred_model_that_was_removed_does_not_stop_questions(person: Person) -> None:
    model = await rows.llm(person.pool, name=uuid4().hex, model_id="m", endpoint="http://127.0.0.1:1/v1")
    await person.ask("What?")
    await person.call(
        "ChatSessionService/UpdateChatSession",
        id=person.session,
        chatSession={"preferences": {"llmId": model["id"]}},
        updateMask="preferences",
    )
    kept = await person.ask("And?")
    await person.pool.execute("UPDATE llms SET deleted_date = now() WHERE id = $1", model["id"])
    lost = await person.ask("And then?")
    found = [
        await person.pool.fetchval("SELECT requested_llm_id FROM runs WHERE id = $1", sent["run"]["id"])
        for sent in (kept, lost)
    ]
    assert found == [model["id"], None]
