"""Who may do what with files and vector stores, by the official client."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import openai
import pytest
from openai import OpenAI

from tests.drivers.client import Client
from tests.drivers.gateway import NewUser, Process
from tests.drivers.openai_client import upload, using
from tests.factories import rows
from tests.factories.permissions.rows import FORBIDDEN, HIDDEN, MANAGED, OK, OWNERSHIPS, ROLES, SHARED
from tests.factories.world import World, name

Ask = Callable[[OpenAI, str, str], Any]
OUTCOMES = {openai.NotFoundError: HIDDEN, openai.PermissionDeniedError: FORBIDDEN}


def outcome(ask: Callable[[], Any]) -> str:
    """Returns whether a call was refused because of who calls."""
    try:
        ask()
    except (openai.NotFoundError, openai.PermissionDeniedError) as error:
        resource = str(error.body)
        return OK if "object" in resource else OUTCOMES[type(error)]
    except openai.APIStatusError:
        return OK
    return OK


def outcomes(asked: Mapping[str, Ask], client: OpenAI, store: str, file: str) -> dict[str, str]:
    return {what: outcome(partial(ask, client, store, file)) for what, ask in asked.items()}


READS: dict[str, Ask] = {
    "file": lambda c, s, f: c.files.retrieve(f),
    "store": lambda c, s, f: c.vector_stores.retrieve(s),
    "files of a store": lambda c, s, f: c.vector_stores.files.list(s),
    "file of a store": lambda c, s, f: c.vector_stores.files.retrieve(f, vector_store_id=s),
    "text": lambda c, s, f: c.vector_stores.files.content(f, vector_store_id=s),
    "search": lambda c, s, f: c.vector_stores.search(s, query="x"),
}
CHANGES: dict[str, Ask] = {
    "rename": lambda c, s, f: c.vector_stores.update(s, name=name()),
    "add": lambda c, s, f: c.vector_stores.files.create(s, file_id=f),
    "delete the file": lambda c, s, f: c.files.delete(f),
}
TAKES: dict[str, Ask] = {"create with": lambda c, s, f: c.vector_stores.create(name=name(), file_ids=[f])}


@pytest.mark.parametrize("ownership", OWNERSHIPS)
async def test_who_may(world: World, ownership: str, process: Process) -> None:
    """As the methods of our own API that the routes stand for, but nobody makes files of others or of groups theirs."""
    for role, may_read, may_change in zip(ROLES, SHARED[ownership], MANAGED[ownership], strict=True):
        somebody = world.people[role]
        connector = await world.connector(ownership, somebody)
        document = await rows.document(world.pool, connector_id=connector, source_id=name(), signature="s")
        file = f"file-{document['id']}"
        asked = partial(outcomes, READS | TAKES | CHANGES, store=f"vs_{connector}", file=file)
        takes = FORBIDDEN if may_change == OK and ownership != "own" else may_change
        expected = dict.fromkeys(READS, may_read) | {"create with": takes} | dict.fromkeys(CHANGES, may_change)
        assert await using(somebody, asked) == expected, role


async def test_only_owners_take_back_files_and_delete_stores(world: World) -> None:
    boss = world.people["superadmin"]
    connector = await world.connector("foreign", boss)
    document = await rows.document(world.pool, connector_id=connector, source_id=name(), signature="s")

    def work(client: OpenAI) -> None:
        for refused in (
            lambda: client.vector_stores.delete(f"vs_{connector}"),
            lambda: client.vector_stores.files.delete(f"file-{document['id']}", vector_store_id=f"vs_{connector}"),
        ):
            with pytest.raises(openai.PermissionDeniedError, match="owner"):
                refused()

    await using(boss, work)


async def test_shared_files_stay_with_those_who_read_them(world: World) -> None:
    """Also for the owner of the connector, with whom colleagues have shared their files."""
    admin = world.people["admin"]
    given = {"type": "file", "user_id": admin.user_id, "scope": "group", "scope_id": "matrix", "status": "active"}
    shared, another = [(await rows.connector(world.pool, name=name(), **given))["id"] for _ in range(2)]
    document = (await rows.document(world.pool, connector_id=shared, source_id=name(), signature="s"))["id"]

    def work(client: OpenAI) -> None:
        stores, store, file = client.vector_stores, f"vs_{shared}", f"file-{document}"
        own = stores.create(name=name()).id
        for refused in (
            lambda: stores.delete(store),
            lambda: stores.files.delete(file, vector_store_id=store),
            lambda: stores.files.create(own, file_id=file),
            lambda: stores.create(name=name(), file_ids=[file]),
        ):
            with pytest.raises(openai.PermissionDeniedError, match="is shared"):
                refused()
        assert [each.id for each in stores.files.list(store)] == [file]
        assert stores.files.create(f"vs_{another}", file_id=file).vector_store_id == f"vs_{another}"
        private = upload(client, f"{name()}.txt", b"x")
        assert stores.files.create(store, file_id=private).vector_store_id == store

    await using(admin, work)


async def test_superadmins_take_no_private_files_of_others(world: World) -> None:
    boss, somebody = world.people["superadmin"], world.people["user"]
    connector = await world.connector("own", somebody)
    document = await rows.document(world.pool, connector_id=connector, source_id=name(), signature="s")
    file = f"file-{document['id']}"

    def work(client: OpenAI) -> None:
        own = client.vector_stores.create(name=name()).id
        for refused in (
            lambda: client.vector_stores.files.create(own, file_id=file),
            lambda: client.vector_stores.create(name=name(), file_ids=[file]),
        ):
            with pytest.raises(openai.PermissionDeniedError, match="private file of somebody else"):
                refused()

    await using(boss, work)
    found = await somebody.call("DocumentService/GetDocument", {"id": document["id"]})
    assert int(found["connectorId"]) == connector


async def test_routes_need_a_key_its_scopes_and_are_within_its_limits(world: World, anonymous: Client) -> None:
    somebody = world.people["user"]
    own = await world.connector("own", somebody)
    other = await rows.connector(
        world.pool, name=name(), user_id=somebody.user_id, type="file", scope="user", status="active"
    )
    document = await rows.document(world.pool, connector_id=other["id"], source_id=name(), signature="s")
    store, file = f"vs_{other['id']}", f"file-{document['id']}"
    with OpenAI(base_url=f"{anonymous.http_url}/v1", api_key="em_wrong", max_retries=0) as nobody:
        for ask in (READS | TAKES | CHANGES).values():
            with pytest.raises(openai.AuthenticationError):
                await asyncio.to_thread(ask, nobody, store, file)

    def changes(client: OpenAI) -> None:
        assert set(outcomes(TAKES | CHANGES, client, store, file).values()) == {FORBIDDEN}
        assert outcome(lambda: upload(client, "a.txt", b"x")) == FORBIDDEN

    await using(await world.with_scope(somebody, "read"), changes)
    made = await somebody.call("ApiKeyService/CreateApiKey", {"name": name(), "connectorIds": [own]})

    def limited(client: OpenAI) -> None:
        assert [each.id for each in client.vector_stores.list()] == [f"vs_{own}"]
        assert set(outcomes(READS, client, store, file).values()) == {HIDDEN}
        assert outcome(lambda: client.vector_stores.files.create(f"vs_{own}", file_id=file)) == FORBIDDEN

    await using(somebody.as_(made["secret"], somebody.user_id), limited)


async def test_removed_ones_are_not_there(new_user: NewUser) -> None:
    def work(client: OpenAI) -> None:
        store, file = client.vector_stores.create().id, upload(client, "a.txt", b"x")
        client.vector_stores.files.create(store, file_id=file)
        client.files.delete(file)
        assert outcome(lambda: client.files.content(file)) == HIDDEN
        assert client.vector_stores.retrieve(store).file_counts.total == 0
        client.vector_stores.delete(store)
        assert set(outcomes(READS | TAKES | CHANGES, client, store, file).values()) == {HIDDEN}

    await using(await new_user(), work)
