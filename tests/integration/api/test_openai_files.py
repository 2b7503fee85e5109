"""Files and vector stores for programs, by the official client: documents and connectors."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import asyncpg
import openai
import pytest
from openai import OpenAI

from echomind_api.main import Gateway
from echomind_lib.conversations.questions import NextQuestion, submit
from echomind_lib.events.log import EventLog
from echomind_lib.runs.caller import Caller
from tests.drivers.gateway import NewUser, Process
from tests.drivers.locks import waits_for
from tests.drivers.openai_client import upload, using
from tests.drivers.person import Person, wait_for_a_person
from tests.factories import rows
from tests.factories.world import name


async def test_a_file_is_a_document_of_the_callers_own_uploads(new_user: NewUser) -> None:
    somebody = await new_user()

    def work(client: OpenAI) -> str:
        made = client.files.create(file=("notes.txt", b"The sky is blue."), purpose="user_data")
        assert (made.filename, made.bytes, made.status, made.purpose) == ("notes.txt", 16, "uploaded", "assistants")
        assert client.files.retrieve(made.id) == made
        assert client.files.content(made.id).read() == b"The sky is blue."
        assert upload(client, "notes.txt", b"The sky is blue.") == made.id
        others = [upload(client, f"{number}.txt", b"x%d" % number) for number in range(3)]
        assert [each.id for each in client.files.list(limit=2)] == [*others[::-1], made.id]
        assert [each.id for each in client.files.list(limit=3, order="asc")] == [made.id, *others]
        assert list(client.files.list(purpose="batch")) == []
        assert client.files.delete(others[0]).deleted
        with pytest.raises(openai.NotFoundError):
            client.files.retrieve(others[0])
        return made.id

    made = await using(somebody, work)
    document = await somebody.call("DocumentService/GetDocument", {"id": made.removeprefix("file-")})
    connector = await somebody.call("ConnectorService/GetConnector", {"id": document["connectorId"]})
    assert connector["name"] == "My files"


async def test_a_vector_store_takes_finds_and_gives_back_files(
    new_user: NewUser, process: Process, pool: asyncpg.Pool
) -> None:
    somebody = await new_user()

    def begin(client: OpenAI) -> tuple[str, list[str]]:
        ids = [
            upload(client, "leave.txt", b"Employees get 28 days of paid leave each year."),
            upload(client, "canteen.txt", b"The canteen serves lunch from noon to two."),
            upload(client, "broken.pdf", b"%PDF-1.7 nothing"),
        ]
        store = client.vector_stores.create(name="Handbook", file_ids=ids[:1])
        assert (store.status, store.file_counts.in_progress, store.file_counts.total) == ("in_progress", 1, 1)
        added = client.vector_stores.files.create(store.id, file_id=ids[2])
        assert (added.status, added.vector_store_id) == ("in_progress", store.id)
        return store.id, ids

    store_id, ids = await using(somebody, begin)
    for each in ids:
        await process(each.removeprefix("file-"))

    def end(client: OpenAI) -> None:
        stores = client.vector_stores
        store = stores.retrieve(store_id)
        counts = store.file_counts
        assert (store.name, store.status, counts.completed, counts.failed) == ("Handbook", "completed", 1, 1)
        assert store.usage_bytes == 46 + 16
        states = {each.id: each.status for each in stores.files.list(store_id)}
        assert states == {ids[0]: "completed", ids[2]: "failed"}
        assert [each.id for each in stores.files.list(store_id, filter="failed")] == [ids[2]]
        failed = stores.files.retrieve(ids[2], vector_store_id=store_id).last_error
        assert failed is not None
        assert failed.message
        (text,) = stores.files.content(ids[0], vector_store_id=store_id)
        assert text.text == "Employees get 28 days of paid leave each year."
        found = stores.search(store_id, query=["days of paid leave", "lunch"]).data
        assert [(each.file_id, each.filename) for each in found] == [(ids[0], "leave.txt")]
        assert found[0].content[0].text == text.text
        assert not stores.search(store_id, query="lunch", ranking_options={"score_threshold": 1.0}).data
        assert stores.update(store_id, name="Rules").name == "Rules"
        # A processed file is moved with its passages; one that is removed is where uploads go.
        stores.files.create(store_id, file_id=ids[1])
        assert ids[1] in {each.file_id for each in stores.search(store_id, query="lunch in the canteen").data}
        assert stores.files.delete(ids[1], vector_store_id=store_id).deleted
        assert ids[1] not in {each.file_id for each in stores.search(store_id, query="lunch in the canteen").data}
        with pytest.raises(openai.NotFoundError):
            stores.files.retrieve(ids[1], vector_store_id=store_id)
        upload(client, "leave.txt", b"Another file of this name.")
        with pytest.raises(openai.ConflictError, match="names"):
            stores.delete(store_id)
        client.files.delete(ids[0])
        assert stores.delete(store_id).deleted
        assert {each.id for each in client.files.list()} >= {ids[1], ids[2]}
        (usual,) = (each for each in stores.list() if each.name == "My files")
        with pytest.raises(openai.BadRequestError, match="stays"):
            stores.delete(usual.id)
        with pytest.raises(openai.BadRequestError, match="no other"):
            stores.files.delete(ids[1], vector_store_id=usual.id)

    await using(somebody, end)


async def test_a_file_that_comes_while_its_vector_store_is_deleted_stays(new_user: NewUser, pool: asyncpg.Pool) -> None:
    somebody = await new_user()
    store_id = (await using(somebody, lambda client: client.vector_stores.create(name="Handbook"))).id
    connector_id = int(store_id.removeprefix("vs_"))
    async with pool.acquire() as connection:
        upload_of_it = connection.transaction()
        await upload_of_it.start()
        document = await rows.document(connection, connector_id=connector_id)
        deletion = asyncio.create_task(using(somebody, lambda client: client.vector_stores.delete(store_id)))
        await waits_for(pool, connection.get_server_pid(), deletion)
        await upload_of_it.commit()
    with pytest.raises(openai.ConflictError, match="came meanwhile"):
        await deletion
    found = await somebody.call("DocumentService/GetDocument", {"id": document["id"]})
    assert found["connectorId"] == connector_id


async def test_no_file_is_moved_to_a_vector_store_that_is_deleted_meanwhile(
    new_user: NewUser, pool: asyncpg.Pool
) -> None:
    somebody = await new_user()

    def begin(client: OpenAI) -> tuple[str, str]:
        return client.vector_stores.create(name="Handbook").id, upload(client, "leave.txt", b"28 days.")

    store_id, file_id = await using(somebody, begin)
    async with pool.acquire() as connection:
        deletion = connection.transaction()
        await deletion.start()
        removed = "UPDATE connectors SET deleted_date = now() WHERE id = $1"
        await connection.execute("SELECT FROM connectors WHERE id = $1 FOR UPDATE", int(store_id.removeprefix("vs_")))
        await connection.execute(removed, int(store_id.removeprefix("vs_")))
        addition = asyncio.create_task(
            using(somebody, lambda client: client.vector_stores.files.create(store_id, file_id=file_id))
        )
        await waits_for(pool, connection.get_server_pid(), addition)
        await deletion.commit()
    with pytest.raises(openai.NotFoundError):
        await addition
    document = await somebody.call("DocumentService/GetDocument", {"id": file_id.removeprefix("file-")})
    connector = await somebody.call("ConnectorService/GetConnector", {"id": document["connectorId"]})
    assert connector["name"] == "My files"


async def test_stores_are_listed_in_pages(new_user: NewUser) -> None:
    def work(client: OpenAI) -> None:
        made = [client.vector_stores.create(name=f"Store {number}").id for number in range(3)]
        assert client.vector_stores.create().name.startswith("vector-store-")
        listed = [each.id for each in client.vector_stores.list(limit=2)]
        assert listed[1:4] == made[::-1]
        assert list(client.vector_stores.list(limit=2, order="asc"))[-2].id == made[-1]
        assert list(client.vector_stores.list(after="vs_999999999999", order="asc")) == []
        with pytest.raises(openai.ConflictError):
            client.vector_stores.create(name="Store 1")

    await using(await new_user(), work)


@pytest.mark.parametrize(
    ("param", "ask"),
    [
        ("purpose", lambda c, s, f: c.files.create(file=("a.txt", b"x"), purpose="batch")),
        ("expires_after[anchor]", lambda c, s, f: c.files.create(
            file=("a.txt", b"x"), purpose="assistants", expires_after={"anchor": "created_at", "seconds": 3600})),
        ("limit", lambda c, s, f: c.files.list(limit=0)),
        ("after", lambda c, s, f: c.files.list(after="x")),
        ("before", lambda c, s, f: c.vector_stores.list(before="vs_1")),
        ("metadata", lambda c, s, f: c.vector_stores.create(name="x", metadata={"a": "b"})),
        ("expires_after", lambda c, s, f: c.vector_stores.create(
            name="x", expires_after={"anchor": "last_active_at", "days": 1})),
        ("file_ids.0", lambda c, s, f: c.vector_stores.create(name="x", file_ids=["x"])),
        ("attributes", lambda c, s, f: c.vector_stores.files.create(s, file_id=f, attributes={"a": "b"})),
        ("attributes", lambda c, s, f: c.vector_stores.files.update(f, vector_store_id=s, attributes={"a": "b"})),
        ("filters", lambda c, s, f: c.vector_stores.search(
            s, query="x", filters={"type": "eq", "key": "a", "value": "b"})),
        ("query", lambda c, s, f: c.vector_stores.search(s, query=[])),
        ("max_num_results", lambda c, s, f: c.vector_stores.search(s, query="x", max_num_results=51)),
        (None, lambda c, s, f: c.vector_stores.file_batches.create(s, file_ids=[f])),
        (None, lambda c, s, f: c.files.retrieve("file-x")),
        (None, lambda c, s, f: c.vector_stores.retrieve("12")),
    ],
)  # fmt: skip
async def test_what_has_no_counterpart_is_refused_by_name(
    new_user: NewUser, param: str | None, ask: Callable[[OpenAI, str, str], Any]
) -> None:
    def work(client: OpenAI) -> None:
        file = upload(client, "a.txt", b"x")
        with pytest.raises((openai.BadRequestError, openai.NotFoundError)) as caught:
            ask(client, client.vector_stores.create().id, file)
        assert caught.value.param == param
        assert caught.value.body["message"]  # type: ignore[index]

    await using(await new_user(), work)


async def test_files_of_sources_and_within_files_stay(new_user: NewUser, pool: asyncpg.Pool) -> None:
    somebody = await new_user()
    given = {"type": "file", "user_id": somebody.user_id, "scope": "user", "status": "active"}
    synced = (await rows.connector(pool, name=name(), config={"folder": "/nowhere"}, **given))["id"]
    document = (await rows.document(pool, connector_id=synced, source_id=name(), signature="s"))["id"]

    def work(client: OpenAI) -> None:
        store = client.vector_stores.create().id
        file = upload(client, "a.txt", b"x")
        assert client.vector_stores.retrieve(f"vs_{synced}").file_counts.total == 1
        for refused in (
            lambda: client.vector_stores.files.create(store, file_id=f"file-{document}"),
            lambda: client.vector_stores.files.create(f"vs_{synced}", file_id=file),
            lambda: client.vector_stores.delete(f"vs_{synced}"),
        ):
            with pytest.raises(openai.BadRequestError, match="source"):
                refused()

    await using(somebody, work)


async def test_an_answer_to_a_run_chooses_no_other_vector_stores(
    new_user: NewUser, pool: asyncpg.Pool, gateway: Gateway
) -> None:
    """A program that repeats those of the question has its answer taken."""
    person = Person(await new_user(), pool, "rest")
    run = (await wait_for_a_person(person, "PENDING_INPUT_KIND_CLARIFICATION"))["run"]["id"]
    await pool.execute("UPDATE runs SET caller = $2 WHERE id = $1", run, {"connectors": [1, 2]})

    def other(client: OpenAI) -> None:
        store = client.vector_stores.create().id
        with pytest.raises(openai.BadRequestError, match="goes on with the sources of its question"):
            client.responses.create(
                model="echomind",
                input="The blue one.",
                previous_response_id=f"resp_{run.replace('-', '')}",
                tools=[{"type": "file_search", "vector_store_ids": [store]}],
            )

    await using(person.client, other)
    assert (await person.call("RunService/GetRun", id=run))["status"] == "RUN_STATUS_WAITING_FOR_INPUT"
    parts = gateway.parts.dependencies
    same = NextQuestion(
        user_id=person.client.user_id,
        session_id=int(person.session),
        content="The blue one.",
        caller=Caller(connectors=(2, 1)),
    )
    assert str((await submit(EventLog(parts.database.pool, parts.bus), same)).run_id) == run


async def test_a_response_includes_what_its_searches_found_and_its_person_may_read(
    new_user: NewUser, pool: asyncpg.Pool
) -> None:
    somebody, other = await new_user(), await new_user()
    own, foreign = [(await rows.connector(pool, user_id=each.user_id))["id"] for each in (somebody, other)]
    document = (await rows.document(pool, connector_id=own, source_id="notes/sky.txt", title="Sky"))["id"]
    hidden = (await rows.document(pool, connector_id=foreign, title="Secret"))["id"]
    removed = (await rows.document(pool, connector_id=own, deleted_date=datetime.now(UTC)))["id"]
    session = (await rows.chat_session(pool, user_id=somebody.user_id))["id"]
    run = (await rows.run(pool, chat_session_id=session, status="completed", steps_executed=2))["id"]
    await rows.chat_message(pool, chat_session_id=session, run_id=run, role="assistant", content="Blue [1].")
    step = (await rows.step(pool, run_id=run))["id"]
    sources = [
        {"number": number, "documentId": str(each), "score": 0.5, "title": "Sky"}
        for number, each in enumerate((document, hidden, removed), 1)
    ]
    text = "".join(f'<source number="{number}" title="Sky">\nText {number}.\n</source>\n' for number in (1, 2, 3))
    search = {"step_id": step, "tool_name": "search_documents", "parameters": {"query": "colour of the sky"}}
    found = await rows.tool_call(pool, **search, status="completed", result=text, sources=sources)
    await rows.tool_call(pool, **search, status="failed")

    def read(client: OpenAI) -> None:
        response_id = f"resp_{run.hex}"
        (message,) = client.responses.retrieve(response_id).output
        item, again = client.responses.retrieve(response_id, include=["file_search_call.results"]).output
        assert (message, item.type) == (again, "file_search_call")
        assert item.model_dump() == {
            "id": f"fs_{run.hex}_{found['tool_call_id']}",
            "type": "file_search_call",
            "status": "completed",
            "queries": ["colour of the sky"],
            "results": [
                {
                    "file_id": f"file-{document}",
                    "filename": "sky.txt",
                    "score": 0.5,
                    "attributes": {},
                    "text": "Text 1.",
                }
            ],
        }

    await using(somebody, read)
