"""Who changed something last is shown to those who manage it, and to nobody else."""

from typing import Any
from uuid import uuid4

import pytest

from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser

CONNECTOR = {"type": "CONNECTOR_TYPE_FILE", "scope": "SCOPE_ORG"}
LLM = {"provider": "LLM_PROVIDER_OPENAI", "modelId": "gpt-4o-mini"}


@pytest.mark.parametrize(
    ("noun", "service", "fields", "for_readers"),
    [
        ("connector", "Connector", CONNECTOR, False),
        ("llm", "Llm", LLM, False),
        ("assistant", "Assistant", {"isVisible": True}, False),
        ("group", "Group", None, True),
    ],
)
async def test_the_last_change_names_its_person(
    owner: Client,
    new_user: NewUser,
    via: Transport,
    noun: str,
    service: str,
    fields: dict[str, Any] | None,
    for_readers: bool,
) -> None:
    other, reader = await new_user("superadmin"), await new_user("admin" if for_readers else "user")
    given = {"name": uuid4().hex, **(fields or {})}
    made = await owner.call(f"{service}Service/Create{service}", {noun: given}, via)
    assert not made.get("updatedBy")
    field = "description" if noun in {"group", "assistant"} else "name"
    value = uuid4().hex
    # A client sends back what it has read: what the server sets is ignored.
    change = {"id": made["id"], noun: {field: value, "updatedBy": owner.user_id}, "updateMask": f"{field},updatedBy"}
    changed = await other.call(f"{service}Service/Update{service}", change, via)
    name = (await owner.call("UserService/GetUser", {"id": other.user_id}))["userName"]
    assert (changed["updatedBy"], changed["updatedByName"]) == (other.user_id, name)
    read = [await client.call(f"{service}Service/Get{service}", {"id": made["id"]}, via) for client in (owner, reader)]
    listed = await reader.call(f"{service}Service/List{service}s", {"pageSize": 1000}, via)
    (in_list,) = [each for each in listed[f"{noun}s"] if each["id"] == made["id"]]
    expected = [name, name if for_readers else ""]
    assert [each.get("updatedByName", "") for each in read] == expected
    assert in_list.get("updatedByName", "") == expected[1]
    await owner.call(f"{service}Service/Delete{service}", {"id": made["id"]})


async def test_editors_of_a_notebook_see_who_changed_it(owner: Client, new_user: NewUser, via: Transport) -> None:
    editor, viewer = await new_user(), await new_user()
    notebook = {"id": (await owner.call("NotebookService/CreateNotebook", {"notebook": {"title": "Tax"}}, via))["id"]}
    for person, role in ((editor, "EDITOR"), (viewer, "VIEWER")):
        name = (await owner.call("UserService/GetUser", {"id": person.user_id}))["userName"]
        member = {"userName": name, "role": f"NOTEBOOK_ROLE_{role}"}
        await owner.call("NotebookService/SetNotebookMember", notebook | member)
    change = notebook | {"notebook": {"title": "Taxes"}, "updateMask": "title"}
    await editor.call("NotebookService/UpdateNotebook", change, via)
    seen = [await client.call("NotebookService/GetNotebook", notebook, via) for client in (owner, editor, viewer)]
    assert [each.get("updatedBy", 0) for each in seen] == [editor.user_id, editor.user_id, 0]


async def test_a_notebook_says_whose_words_it_holds(owner: Client, new_user: NewUser, via: Transport) -> None:
    editor, viewer = await new_user(), await new_user()
    given = {"title": "Tax", "instructions": "Name the clause."}
    notebook = {"id": (await owner.call("NotebookService/CreateNotebook", {"notebook": given}, via))["id"]}
    for person, role in ((editor, "EDITOR"), (viewer, "VIEWER")):
        name = (await owner.call("UserService/GetUser", {"id": person.user_id}))["userName"]
        member = {"userName": name, "role": f"NOTEBOOK_ROLE_{role}"}
        await owner.call("NotebookService/SetNotebookMember", notebook | member)

    async def seen() -> list[tuple[int, bool]]:
        read = [await client.call("NotebookService/GetNotebook", notebook, via) for client in (owner, editor, viewer)]
        for each in read:
            assert bool(each.get("instructionsAuthorName")) is bool(each.get("instructionsAuthorId"))
        found = [(each.get("instructionsAuthorId", 0), each.get("isWrittenByCaller", False)) for each in read]
        listed = await owner.call("NotebookService/ListNotebooks", {"pageSize": 1000}, via)
        (in_list,) = [each for each in listed["notebooks"] if each["id"] == notebook["id"]]
        assert in_list == read[0]
        return found

    async def write(by: Client, **values: str) -> None:
        change = notebook | {"notebook": values, "updateMask": ",".join(values)}
        await by.call("NotebookService/UpdateNotebook", change, via)

    assert await seen() == [(owner.user_id, True), (owner.user_id, False), (0, False)]
    await write(editor, instructions="Name the clause and the page.")
    assert await seen() == [(0, False)] * 3
    await write(editor, title="Law", instructions="")
    await write(editor, instructions="Say it in two sentences.")
    assert await seen() == [(editor.user_id, False), (editor.user_id, True), (0, False)]
    await owner.call("NotebookService/RemoveNotebookMember", notebook | {"userId": editor.user_id})
    await write(owner, description="About taxes", title="Income tax")
    found = await owner.call("NotebookService/GetNotebook", notebook, via)
    assert (found["instructionsAuthorId"], found.get("isWrittenByCaller", False)) == (editor.user_id, False)
    await write(owner, instructions="")
    found = await owner.call("NotebookService/GetNotebook", notebook, via)
    assert (found.get("instructionsAuthorId", 0), found["isWrittenByCaller"]) == (0, True)


async def test_accounts_and_settings_name_who_changed_them(owner: Client, new_user: NewUser, via: Transport) -> None:
    person = await new_user()
    change = {"id": person.user_id, "user": {"firstName": "Kim"}, "updateMask": "firstName"}
    await owner.call("UserService/UpdateUser", change, via)
    assert (await owner.call("UserService/GetUser", {"id": person.user_id}, via))["updatedBy"] == owner.user_id
    assert not (await person.call("UserService/GetUser", {"id": person.user_id}, via)).get("updatedBy")
    settings = {"settings": {"memoryEnabled": True}, "updateMask": "memoryEnabled"}
    await owner.call("SystemService/UpdateInstallationSettings", settings, via)
    read = "SystemService/GetInstallationSettings"
    assert (await owner.call(read, {}, via))["updatedBy"] == owner.user_id
    assert not (await person.call(read, {}, via)).get("updatedBy")


async def test_a_note_names_who_changed_it_to_those_who_may(owner: Client, new_user: NewUser, via: Transport) -> None:
    viewer, reader = await new_user(), await new_user()
    notebook = {"id": (await owner.call("NotebookService/CreateNotebook", {"notebook": {"title": "Tax"}}, via))["id"]}
    for person in (viewer, reader):
        name = (await owner.call("UserService/GetUser", {"id": person.user_id}))["userName"]
        member = {"userName": name, "role": "NOTEBOOK_ROLE_VIEWER"}
        await owner.call("NotebookService/SetNotebookMember", notebook | member)
    note = {"notebookId": notebook["id"], "note": {"title": "Rates", "content": "19 %"}}
    made = await viewer.call("NotebookNoteService/CreateNotebookNote", note, via)
    assert not made.get("updatedBy")
    change = {"id": made["id"], "note": {"content": "7 %"}, "updateMask": "content"}
    await owner.call("NotebookNoteService/UpdateNotebookNote", change, via)
    named = {"id": made["id"]}
    seen = [await each.call("NotebookNoteService/GetNotebookNote", named, via) for each in (owner, viewer, reader)]
    assert [each.get("updatedBy", 0) for each in seen] == [owner.user_id, owner.user_id, 0]
    (listed,) = (await viewer.call("NotebookNoteService/ListNotebookNotes", {"notebookId": notebook["id"]}, via))[
        "notes"
    ]
    assert (listed["updatedBy"], listed["userId"]) == (owner.user_id, viewer.user_id)


async def test_a_document_names_who_changed_it_to_those_who_manage_it(
    owner: Client, new_user: NewUser, via: Transport
) -> None:
    reader = await new_user()
    connector = {"name": uuid4().hex} | CONNECTOR
    made = await owner.call("ConnectorService/CreateConnector", {"connector": connector})
    file = {"connectorId": made["id"], "sourceId": "tax.md", "content": "VGF4ZXM=", "contentType": "text/markdown"}
    document = await owner.call("DocumentService/UploadDocument", file, "grpc")
    change = {"id": document["id"], "document": {"title": "Taxes"}, "updateMask": "title"}
    changed = await owner.call("DocumentService/UpdateDocument", change, via)
    assert changed["updatedBy"] == owner.user_id
    seen = [await each.call("DocumentService/GetDocument", {"id": document["id"]}, via) for each in (owner, reader)]
    assert [each.get("updatedByName", "") for each in seen] == [changed["updatedByName"], ""]
    listed = [
        await each.call("DocumentService/ListDocuments", {"connectorId": made["id"]}, via) for each in (owner, reader)
    ]
    assert [each["documents"][0].get("updatedBy", 0) for each in listed] == [owner.user_id, 0]
