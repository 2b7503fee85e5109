"""The upload form, and its edges."""

import asyncio
from contextlib import suppress
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind_api.main import Gateway
from echomind_api.sources.intake import Intake, NewFile
from echomind_lib.access import Principal
from echomind_lib.db.models import Connector
from echomind_lib.errors import (
    AlreadyExistsError,
    DependencyUnavailableError,
    EchoMindError,
    GroupRequiredError,
    NotFoundError,
    PermissionDeniedError,
    ValidationFailedError,
)
from tests.drivers.client import Client, error_of
from tests.drivers.gateway import NewUser
from tests.drivers.uploads import upload


async def connector_of(somebody: Client, document: dict[str, Any]) -> dict[str, Any]:
    return await somebody.call("ConnectorService/GetConnector", {"id": document["connectorId"]})


async def test_several_files_with_names_of_their_own(new_user: NewUser) -> None:
    somebody = await new_user()
    fields = [("sourceId", "a/ä.txt"), ("sourceId", "a/b.txt"), ("title", "First"), ("title", "")]
    first, second = await upload(somebody, ("x.txt", b"1"), ("y.txt", b"2"), fields=fields)
    assert (first["sourceId"], first["title"]) == ("a/ä.txt", "First")
    assert (second["sourceId"], second["title"]) == ("a/b.txt", "b.txt")


@pytest.mark.parametrize("role", ["admin", "superadmin"])
async def test_a_connector_by_name_is_made_once(new_user: NewUser, role: str) -> None:
    somebody, member = await new_user(role, groups=("crew",)), await new_user(groups=("crew",))
    fields = {"connector": f"Minutes of {role}", "scope": "group", "group": "crew"}
    (first,) = await upload(somebody, ("a.txt", b"a"), fields=fields)
    connector = await connector_of(somebody, first)
    assert (connector["name"], connector["scope"], connector["scopeId"]) == (
        f"Minutes of {role}",
        "SCOPE_GROUP",
        "crew",
    )
    (second,) = await upload(somebody, ("b.txt", b"b"), fields={"connector": f"Minutes of {role}"})
    assert second["connectorId"] == first["connectorId"]
    (third,) = await upload(somebody, ("c.txt", b"c"), fields={"connector": str(first["connectorId"])})
    assert third["connectorId"] == first["connectorId"]
    assert (await member.call("DocumentService/GetDocument", {"id": first["id"]}))["sourceId"] == "a.txt"
    with pytest.raises(PermissionDeniedError):
        await upload(member, ("d.txt", b"d"), fields={"connector": f"Minutes of {role}"})
    with pytest.raises(AlreadyExistsError):
        await upload(somebody, ("e.txt", b"e"), fields={"connector": f"Minutes of {role}", "scope": "user"})


async def test_the_usual_connector_of_a_scope(new_user: NewUser) -> None:
    somebody = await new_user("superadmin", groups=("crew",))
    names: list[str] = []
    group = {"scope": "group", "group": "crew"}
    for fields in ({}, {"scope": "user"}, {"scope": "org"}, {"scope": "SCOPE_ORG"}, group):
        (sent,) = await upload(somebody, (f"{len(names)}.txt", b"x"), fields=fields)
        names.append((await connector_of(somebody, sent))["name"])
    assert names == ["My files", "My files", "Files for everyone", "Files for everyone", "Files of crew"]


@pytest.mark.parametrize(
    ("fields", "error", "field"),
    [
        ({"scope": "org", "connector": "Nobody's yet"}, PermissionDeniedError, "required"),
        ({"scope": "group"}, GroupRequiredError, "groups"),
        ({"scope": "group", "group": "board"}, GroupRequiredError, "groups"),
        ({"scope": "everyone"}, ValidationFailedError, "scope"),
        ({"connector_id": "x"}, ValidationFailedError, "connector_id"),
        ({"connector_id": "2147483647"}, NotFoundError, "id"),
        ({"connector": "x" * 256}, ValidationFailedError, "connector"),
        ({"color": "blue"}, ValidationFailedError, "color"),
        ([("title", "a"), ("title", "b")], ValidationFailedError, "title"),
        ([("scope", "user"), ("scope", "org")], ValidationFailedError, "scope"),
        ({"source_id": "x\x00y"}, ValidationFailedError, "source_id"),
    ],
)
async def test_fields_that_cannot_be(new_user: NewUser, fields: Any, error: type[EchoMindError], field: str) -> None:
    somebody = await new_user()
    with pytest.raises(error) as caught:
        await upload(somebody, ("a.txt", b"a"), fields=fields)
    assert field in caught.value.metadata


async def post(somebody: Client, body: bytes, content_type: str) -> EchoMindError:
    headers = {"Authorization": f"Bearer {somebody.key}", "Content-Type": content_type}
    url = f"{somebody.http_url}/api/v1/documents:upload"
    async with somebody.session.post(url, data=body, headers=headers) as response:
        assert response.status >= 400
        return error_of(await response.json())


PART = b'--B\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello\r\n'


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"{}", "application/json"),
        (b"", "multipart/form-data; boundary=B"),
        (b"", "multipart/form-data"),
        (PART, "multipart/form-data; boundary=B"),
        (PART[:40], "multipart/form-data; boundary=B"),
        (b"--B--\r\n", "multipart/form-data; boundary=B"),
        (b"garbage", "multipart/form-data; boundary=B"),
        (PART.replace(b'name="file"; ', b"") + b"--B--\r\n", "multipart/form-data; boundary=B"),
        (PART.replace(b'name="file"', b'name="other"') + b"--B--\r\n", "multipart/form-data; boundary=B"),
        (PART.replace(b'; filename="a.txt"', b"") + b"--B--\r\n", "multipart/form-data; boundary=B"),
        (PART.replace(b"hello", b"") + b"--B--\r\n", "multipart/form-data; boundary=B"),
        (PART * 101 + b"--B--\r\n", "multipart/form-data; boundary=B"),
        (PART[:-9] + b"x" * 20_000, "multipart/form-data; boundary=" + "B" * 300),
    ],
)
async def test_bodies_that_are_no_upload(new_user: NewUser, body: bytes, content_type: str) -> None:
    error = await post(await new_user(), body, content_type)
    assert error.code == "INVALID_ARGUMENT"


async def test_a_client_that_leaves_in_the_middle_is_no_fault(
    new_user: NewUser, capsys: pytest.CaptureFixture[str]
) -> None:
    somebody = await new_user()
    host, _, port = somebody.http_url.removeprefix("http://").partition(":")
    _, writer = await asyncio.open_connection(host, int(port))
    head = (
        "POST /api/v1/documents:upload HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n"
        f"Authorization: Bearer {somebody.key}\r\nContent-Type: multipart/form-data; boundary=B\r\n\r\n"
    )
    writer.write(head.encode() + PART)
    await writer.drain()
    writer.close()
    await writer.wait_closed()
    await somebody.call("DocumentService/ListDocuments", via="rest")
    assert "unexpected error" not in capsys.readouterr().out
    assert not (await somebody.call("ConnectorService/ListConnectors", {"name": "My files"})).get("connectors")


async def test_a_text_of_a_gigabyte_is_refused_after_its_first_megabytes(new_user: NewUser) -> None:
    somebody = await new_user()
    host, _, port = somebody.http_url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    head = (
        f"POST /api/v1/documents:upload HTTP/1.1\r\nHost: {host}\r\nContent-Length: {2**30}\r\n"
        f"Authorization: Bearer {somebody.key}\r\nContent-Type: multipart/form-data; boundary=B\r\n\r\n"
    )
    writer.write(head.encode() + PART.partition(b"\r\n\r\n")[0] + b"\r\n\r\n")
    answer, sent, piece = asyncio.ensure_future(reader.read(4096)), 0, b"A sentence. " * 10_000
    with suppress(ConnectionError):
        while not answer.done() and sent < 2**30:
            writer.write(piece)
            await writer.drain()
            sent += len(piece)
    assert b"FILE_REJECTED" in await answer
    assert sent < 32 * 2**20, "it is read no further than the limit of 1 MB and what lies in buffers"
    writer.close()
    assert await upload(somebody, ("next.txt", b"The next file."))


async def test_an_upload_needs_a_sign_in_before_it_is_read(anonymous: Client) -> None:
    assert (await post(anonymous, PART, "multipart/form-data; boundary=B")).reason == "UNAUTHENTICATED"


async def test_nothing_comes_into_a_connector_that_was_removed_meanwhile(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool
) -> None:
    somebody = await new_user()
    (sent,) = await upload(somebody, ("a.txt", b"a"))
    connector = Connector(id=sent["connectorId"], type="file", config={})
    parts = gateway.parts.dependencies
    intake = Intake(parts.database.pool, parts.objects, parts.bus)
    principal = Principal(somebody.user_id)
    file = NewFile("late.txt", "f" * 64, 1, lambda key: parts.objects.put(key, b"x"))
    await somebody.call("ConnectorService/DeleteConnector", {"id": connector.id})
    with pytest.raises(NotFoundError):
        await intake.store(principal, connector, file)
    await pool.execute("DELETE FROM documents WHERE connector_id = $1", connector.id)
    await pool.execute("DELETE FROM connectors WHERE id = $1", connector.id)
    with pytest.raises(NotFoundError):
        await intake.store(principal, connector, file)


async def test_files_of_one_request_are_new_changed_unchanged_and_removed_each_by_itself(new_user: NewUser) -> None:
    somebody = await new_user()
    before = await upload(somebody, ("same.txt", b"1"), ("changed.txt", b"1"), ("removed.txt", b"1"))
    same, changed, removed = (document["id"] for document in before)
    await somebody.call("DocumentService/DeleteDocument", {"id": removed})
    names = ("new.txt", "changed.txt", "removed.txt", "same.txt", "new.txt")
    after = await upload(somebody, *((name, b"1" if name == "same.txt" else b"2") for name in names))
    assert [document["sourceId"] for document in after] == list(names)
    assert [after[1]["id"], after[3]["id"]] == [changed, same]
    assert after[2]["id"] != removed
    assert after[0]["id"] == after[4]["id"]
    listed = await somebody.call("DocumentService/ListDocuments", {"connectorId": before[0]["connectorId"]})
    assert {document["id"] for document in listed["documents"]} == {document["id"] for document in after}


@pytest_asyncio.fixture
async def files_connector(new_user: NewUser) -> tuple[Principal, Connector]:
    somebody = await new_user()
    (sent,) = await upload(somebody, ("first.txt", b"a"))
    return Principal(somebody.user_id), Connector(id=sent["connectorId"], type="file", config={})


async def test_a_file_whose_bytes_cannot_be_stored_leaves_the_others(
    files_connector: tuple[Principal, Connector], gateway: Gateway, pool: asyncpg.Pool
) -> None:
    parts = gateway.parts.dependencies

    async def store(key: str) -> None:
        await parts.objects.put(key, b"x")

    async def fail(_: str) -> None:
        raise DependencyUnavailableError("The object store does not answer.", dependency="s3")

    files = [NewFile(f"{n}.txt", "f" * 64, 1, fail if n == 1 else store) for n in range(3)]
    intake = Intake(parts.database.pool, parts.objects, parts.bus)
    with pytest.raises(DependencyUnavailableError):
        await intake.store_all(*files_connector, files)
    stored = "SELECT source_id FROM documents WHERE connector_id = $1 AND status = 'pending' ORDER BY id"
    names = [row["source_id"] for row in await pool.fetch(stored, files_connector[1].id)]
    assert names == ["first.txt", "0.txt", "2.txt"]


async def test_bytes_that_went_as_an_older_version_are_stored_again(
    files_connector: tuple[Principal, Connector], gateway: Gateway, pool: asyncpg.Pool
) -> None:
    """Another upload of the name was processed before the row of this one was written."""
    parts = gateway.parts.dependencies
    intake = Intake(parts.database.pool, parts.objects, parts.bus)
    puts: list[str] = []

    async def store(key: str) -> None:
        await parts.objects.put(key, b"x")
        puts.append(key)
        if len(puts) == 1:
            await parts.objects.delete(key)

    document = await intake.store(*files_connector, NewFile("first.txt", "f" * 64, 1, store))
    assert await parts.objects.get(f"documents/{document.id}/{'f' * 64}/original") == b"x"
    assert len(puts) == 2


async def test_requests_with_the_same_names_in_another_order_store_each_name_once(
    files_connector: tuple[Principal, Connector], gateway: Gateway, pool: asyncpg.Pool
) -> None:
    parts = gateway.parts.dependencies
    intake = Intake(parts.database.pool, parts.objects, parts.bus)

    def files(signature: str) -> list[NewFile]:
        return [NewFile(f"{n}.txt", signature * 64, 1, lambda key: parts.objects.put(key, b"x")) for n in range(20)]

    first, second = await asyncio.gather(
        intake.store_all(*files_connector, files("a")), intake.store_all(*files_connector, files("b")[::-1])
    )
    assert [row.id for row in first] == [row.id for row in second[::-1]]
    rows = await pool.fetch("SELECT source_id FROM documents WHERE connector_id = $1", files_connector[1].id)
    assert sorted(row["source_id"] for row in rows) == sorted([row.source_id for row in first] + ["first.txt"])
