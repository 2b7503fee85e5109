"""`echomind import conversations --for-owners`: whose the conversations are, and who has no account."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from echomind.cli.programs.open_webui import database_conversations
from echomind.cli.programs.owners import Owner, Owners
from echomind.cli.terminal import CommandError
from tests.drivers.api_server import ApiServer, refusal
from tests.drivers.shell import Shell
from tests.drivers.tables import for_each
from tests.drivers.traced_memory import memory_below

METHOD = "ImportService/ImportUserChatSession"
PEOPLE = "ID,Email,Role\nu1,ada@example.org,admin\nU2,bob@example.org,user\nu4,,user\n"
NAMED = "id,username,email\nu1,Ada,ada@example.org\nU2,bob,bob@example.org\nu5,u1,mallory@example.org\n"


def answering(call: Any) -> Any:
    """Knows everybody but Bob."""
    if call.body["email"].startswith("bob"):
        return refusal("NOT_FOUND", "No active account.", 404, resource="user")()
    return {"isNew": True, "userId": 7}


def test_each_conversation_goes_to_its_person(api: ApiServer, shell: Shell, tmp_path: Path) -> None:
    file, people = tmp_path / "all-chats.json", tmp_path / "people.csv"
    file.write_text(json.dumps([{"title": "A", "user_id": name} for name in ("u1", "u2", "u2", "u3", "u4", "")]))
    people.write_text(PEOPLE, encoding="utf-8-sig")
    api.on(METHOD, answering)
    done = shell.run("import", "conversations", str(file), "--for-owners", "--owners", str(people), code=1)
    assert done.stdout.splitlines() == [
        "Imported 1, 0 imported before, 0 failed.",
        "They are of 1 person. 5 have no account here.",
    ]
    message = " ".join(done.stderr.split())
    for line in (
        "not matched: 2 of u2 (bob@example.org): no active account has this address, verified",
        "not matched: 1 of u3, whose address is not known: name it in the file of --owners",
        "not matched: 1 of u4, whose address is not known",
        "not matched: 1 of nobody: the file names no person",
    ):
        assert line in message
    sent = [call.body or {} for call in api.calls]
    assert [each["email"] for each in sent] == ["ada@example.org", "bob@example.org"], "nobody is asked for twice"
    report = shell.json("import", "conversations", str(file), "--for-owners", "--owners", str(people), code=1)
    assert (report["people"], report["unmatched"][0]) == (
        1,
        {"owner": "u2", "email": "bob@example.org", "conversations": 2},
    )


def test_what_one_person_lacks_leaves_the_others_their_conversations(
    api: ApiServer, shell: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "chats.json"
    file.write_text(json.dumps([{"title": name, "email": f"{name}@example.org"} for name in ("A", "B", "C")]))

    def answer(call: Any) -> Any:
        if call.body["email"] == "A@example.org":
            return refusal("NOT_FOUND", "The person may use no assistant.", 404, resource="assistant")()
        return {"isNew": True, "userId": 7}

    api.on(METHOD, answer)
    done = shell.run("import", "conversations", str(file), "--for-owners", code=1)
    assert done.stdout.splitlines()[0] == "Imported 2, 0 imported before, 1 failed."
    assert "failed: A (chats.json): The person may use no assistant." in " ".join(done.stderr.split())


def test_a_refusal_that_ends_the_import_leaves_its_report(api: ApiServer, shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "chats.json"
    file.write_text(json.dumps([{"title": name, "email": f"{name}@example.org"} for name in ("A", "B", "C")]))

    def answer(call: Any) -> Any:
        if call.body["email"] == "B@example.org":
            return refusal("PERMISSION_DENIED", "Ask a superadmin.", 403)()
        return {"isNew": True, "userId": 7}

    api.on(METHOD, answer)
    done = shell.run("import", "conversations", str(file), "--for-owners", code=1)
    assert done.stdout.splitlines()[0] == "Imported 1, 0 imported before, 0 failed."
    assert "Ask a superadmin." in done.stderr
    assert len(api.calls) == 2, "nobody is asked after the refusal"
    assert "add it" in shell.run("import", "conversations", str(file), "--owners", str(file), code=1).stderr


def test_an_assistant_that_the_caller_lacks_ends_their_own_import(api: ApiServer, shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "chats.json"
    file.write_text(json.dumps([{"title": "A"}, {"title": "B"}]))
    api.on("ImportService/ImportChatSession", lambda _: refusal("NOT_FOUND", "There is no assistant.", 404)())
    assert "There is no assistant." in shell.run("import", "conversations", str(file), code=1).stderr
    assert len(api.calls) == 1


@for_each(
    "content, owner",
    [
        ({"user_id": "u1"}, Owner("u1", "ada@example.org")),
        ({"user": "U2", "conversationId": "c"}, Owner("U2", "bob@example.org")),
        ({"user_id": "u9", "email": "eve@example.org"}, Owner("u9", "eve@example.org")),
        ({"metadata": {"user_email": "eve@example.org"}}, Owner("eve@example.org", "eve@example.org")),
        ({"user_id": "u1", "email": "eve@example.org"}, Owner("u1", "eve@example.org")),
        ({"metadata": {"username": "bob", "workspace": "HR"}}, Owner("bob", "bob@example.org")),
        # Mallory has chosen Ada's id as her name, and Bob's name is the id of nobody.
        ({"user_id": "u1", "metadata": {"username": "u1"}}, Owner("u1", "ada@example.org")),
        ({"metadata": {"username": "u1"}}, Owner("u1", "mallory@example.org")),
        ({"user_id": "bob"}, Owner("bob", "")),
        ({"metadata": {"username": "unknown user"}}, Owner("unknown user", "")),
        ({"user_id": 7, "metadata": []}, Owner("", "")),
        ([], Owner("", "")),
    ],
)
def test_owners(tmp_path: Path, content: Any, owner: Owner) -> None:
    people = tmp_path / "people.csv"
    people.write_text(NAMED)
    assert Owners(people).of(json.dumps(content)) == owner


def test_a_file_of_people_needs_their_addresses(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    for content in (b"", b"id,name\nu1,Ada", b"email\nada@example.org"):
        people.write_bytes(content)
        with pytest.raises(CommandError, match="needs the columns email and id or username"):
            Owners(people)
    people.write_bytes(b"id,email\n\xff")
    with pytest.raises(CommandError, match="cannot be read"):
        Owners(people)


@for_each(
    "lines, repeated",
    [
        ("u1,ada,ada@example.org\nU1,eve,mallory@example.org", "U1"),
        ("u1,ada,ada@example.org\nu2,Ada,mallory@example.org", "Ada"),
        ("u1,ada,ada@example.org\nu2,ada,", "ada"),
    ],
)
def test_a_file_with_one_name_for_two_people_is_refused(tmp_path: Path, lines: str, repeated: str) -> None:
    people = tmp_path / "people.csv"
    people.write_text(f"id,username,email\n{lines}\n")
    with pytest.raises(CommandError, match=f"has {repeated} for two people"):
        Owners(people)


def test_a_line_may_be_there_twice(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("id,email\nu1,ada@example.org\nu1,Ada@example.org\n")
    assert Owners(people).of('{"user_id": "u1"}').email == "ada@example.org"


@pytest.fixture
def database(tmp_path: Path) -> Callable[..., Path]:
    """Makes a database by statements."""

    def make(*statements: str) -> Path:
        path = tmp_path / "webui.db"
        with closing(sqlite3.connect(path)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()
        return path

    return make


CHAT = "CREATE TABLE chat (id TEXT, user_id TEXT, title TEXT, chat JSON, created_at BIGINT, archived BOOLEAN)"
USER = 'CREATE TABLE "user" (id TEXT, email TEXT)'


def read(path: Path) -> list[dict[str, Any]]:
    found = database_conversations(path)
    assert found is not None
    return [json.loads(each) for each in found]


def test_the_database_of_open_webui_is_read_as_its_exports(database: Callable[..., Path]) -> None:
    path = database(
        CHAT,
        USER,
        "INSERT INTO user VALUES ('u1', 'ada@example.org')",
        """INSERT INTO chat VALUES ('c1', 'u1', 'Leave', '{"history": {"n": NaN}}', 1750000000, 1)""",
        "INSERT INTO chat VALUES ('c2', 'u2', x'ff41', 'no JSON', NULL, NULL)",
    )
    assert read(path) == [
        {
            "id": "c1",
            "user_id": "u1",
            "title": "Leave",
            "archived": True,
            "created_at": 1_750_000_000,
            "chat": {"history": {"n": "NaN"}},
            "email": "ada@example.org",
        },
        {"id": "c2", "user_id": "u2", "title": "�A", "archived": False, "created_at": "", "chat": None},
    ]


def test_another_database_is_explained(database: Callable[..., Path], tmp_path: Path) -> None:
    path = database("CREATE TABLE other (id)", "CREATE VIEW chat AS SELECT 1 AS id, 2 AS user_id, 3 AS chat")
    with pytest.raises(CommandError, match=r"is not Open WebUI.s database.*echomind import traces"):
        read(path)
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 5_000)
    with pytest.raises(CommandError, match="cannot be read as Open WebUI's database"):
        read(path)
    text = tmp_path / "chats.json"
    text.write_text("[]")
    assert database_conversations(text) is None


def test_a_large_database_is_never_in_memory_as_a_whole(database: Callable[..., Path]) -> None:
    chat = json.dumps({"history": {"messages": {"m": {"content": "x" * 1_000_000}}}})
    path = database(
        CHAT, USER, *(f"INSERT INTO chat VALUES ('c{number}', 'u', 'T', '{chat}', 1, 0)" for number in range(20))
    )
    with memory_below(16_000_000):
        found = database_conversations(path)
        assert found is not None
        assert sum(len(each) > 1_000_000 for each in found) == 20
