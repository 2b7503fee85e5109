"""Imported conversations: like others for their owner, and never again the same ones."""

import json
import secrets
from typing import Any

import asyncpg
import pytest

from echomind_lib.errors import DependencyUnavailableError, EchoMindError, NotFoundError
from tests.drivers.gateway import NewUser
from tests.drivers.person import Person
from tests.factories import rows

METHOD = "ImportService/ImportChatSession"
BEGAN = 1_750_000_000


def exported(name: str, *texts: str) -> str:
    """Returns a conversation of Open WebUI with these questions and answers in turn, and another first answer."""
    messages: dict[str, Any] = {}
    for number, text in enumerate(texts):
        role = "assistant" if number % 2 else "user"
        parent = f"m{number - 1}" if number else None
        entry = {"id": f"m{number}", "parentId": parent, "role": role, "content": text, "timestamp": BEGAN + number}
        messages[f"m{number}"] = entry
    messages["other"] = messages["m1"] | {"id": "other", "content": "Another answer."}
    chat = {"history": {"messages": messages, "currentId": f"m{len(texts) - 1}"}, "models": ["llama"]}
    return json.dumps({"id": name, "title": "Leave", "chat": chat, "created_at": BEGAN})


async def test_a_conversation_is_imported_once(person: Person) -> None:
    content = exported("a", "How many days?", "Thirty.", "And in Spain?", "Twenty-two.")
    first = await person.call(METHOD, content=content)
    session = first["chatSession"]
    assert (first["isNew"], first["source"], session["title"]) == (True, "open-webui", "Leave")
    assert session["externalId"] == "import:open-webui:a"
    assert session["metadata"] == {"importedFrom": "open-webui", "model": "llama"}
    assert (session["messageCount"], session["lastMessageAt"]) == (5, "2025-06-15T15:06:43Z")
    again = await person.call(METHOD, content=exported("a", "Something else?", "Yes."))
    assert (again.get("isNew", False), again["chatSession"]["id"]) == (False, session["id"])
    shown = await person.call("ChatMessageService/ListMessages", chatSessionId=session["id"])
    assert [(each["role"], each["content"], each["authorKind"]) for each in shown["messages"]] == [
        ("MESSAGE_ROLE_USER", "How many days?", "AUTHOR_KIND_UNKNOWN"),
        ("MESSAGE_ROLE_ASSISTANT", "Thirty.", "AUTHOR_KIND_ASSISTANT"),
        ("MESSAGE_ROLE_USER", "And in Spain?", "AUTHOR_KIND_UNKNOWN"),
        ("MESSAGE_ROLE_ASSISTANT", "Twenty-two.", "AUTHOR_KIND_ASSISTANT"),
    ]
    assert len(shown["messages"][1]["siblingIds"]) == 2


async def test_a_removed_import_is_imported_again(person: Person) -> None:
    content = exported("b", "How many days?", "Thirty.")
    first = (await person.call(METHOD, content=content))["chatSession"]["id"]
    await person.call("ChatSessionService/DeleteChatSession", id=first)
    second = await person.call(METHOD, content=content)
    assert second["isNew"]
    assert second["chatSession"]["id"] != first


async def test_an_imported_conversation_goes_on_and_is_untrusted(person: Person) -> None:
    session = (await person.call(METHOD, content=exported("c", "How many days?", "Thirty.")))["chatSession"]["id"]
    sent = await person.call("ChatMessageService/SendMessage", chatSessionId=session, content="And now?")
    untrusted = await person.pool.fetchval("SELECT untrusted FROM runs WHERE id = $1", sent["run"]["id"])
    assert untrusted, "nobody knows who made the file"


async def test_two_people_have_two_conversations_of_one_file(person: Person) -> None:
    content = exported("d", "How many days?", "Thirty.")
    own = (await person.call(METHOD, content=content))["chatSession"]
    assert own["userId"] == await person.pool.fetchval("SELECT user_id FROM chat_sessions WHERE id = $1", own["id"])
    stored = "SELECT count(*) FROM chat_sessions WHERE external_id = 'import:open-webui:d'"
    assert await person.pool.fetchval(stored) == 1


async def test_what_is_no_conversation_is_refused_with_the_reason(person: Person) -> None:
    with pytest.raises(EchoMindError, match="not a conversation of ChatGPT, Open WebUI or LibreChat"):
        await person.call(METHOD, content='{"title": "T"}')
    with pytest.raises(EchoMindError, match="has no text"):
        await person.call(METHOD, content='{"conversationId": "x", "messages": []}')


def traced(name: str) -> str:
    """Returns a session of traces as the command line writes it: a failed one after one that is answered."""
    step = {
        "type": "planner-node",
        "prompt": "Plan it",
        "output": "Read",
        "model": "gpt",
        "row": {"x": "a\x00", "n": 1},
    }
    failed = {"id": "t2", "status": "failed", "error": "No model", "steps": [], "created_at": "2025-10-08T10:01:00Z"}
    done = {"id": "t1", "status": "completed", "steps": [step, step | {"error": "Late", "type": "action-node"}]}
    messages = [
        {"id": "1", "role": "user", "content": "What first?", "created_at": 1_750_000_000, "trace": done},
        {"id": "2", "parent_id": "1", "role": "assistant", "content": "Mail."},
        {"id": "3", "parent_id": "2", "role": "user", "content": "And now?", "trace": failed},
        {"id": "4", "parent_id": "3", "role": "assistant", "content": "\u2026"},
    ]
    return json.dumps({"source": "traces", "id": name, "metadata": {"user_id": "ada"}, "messages": messages})


async def test_ratings_become_those_of_the_importing_person_unless_they_are_another_persons(person: Person) -> None:
    messages: list[dict[str, Any]] = []
    name = (await person.call("UserService/GetCurrentUser"))["userName"]
    given = [(True, "", ""), (False, "Wrong.", name.upper()), (True, "", "ada@example.org"), (None, "So-so", "")]
    for number, (is_positive, text, by) in enumerate(given):
        rating = {"is_positive": is_positive, "text": text, "by": by}
        question, answer = f"q{number}", f"a{number}"
        above = messages[-1]["id"] if messages else ""
        messages.append({"id": question, "parent_id": above, "role": "user", "content": "Q"})
        messages.append({"id": answer, "parent_id": question, "role": "assistant", "content": "A", "rating": rating})
    content = json.dumps({"source": "onyx", "id": "rated", "messages": messages})
    done = await person.call(METHOD, content=content)
    assert (done["ratings"], done["omittedRatings"]) == (2, 2)
    shown = await person.call("ChatMessageService/ListMessages", chatSessionId=done["chatSession"]["id"])
    feedback = [message.get("feedback") for message in shown["messages"][1::2]]
    assert [each and (each.get("isPositive", False), each.get("feedbackText", "")) for each in feedback] == [
        (True, ""),
        (False, "Wrong."),
        None,
        None,
    ]
    again = await person.call(METHOD, content=content)
    assert "ratings" not in again
    assert "omittedRatings" not in again


async def test_traces_become_runs_with_their_steps_that_count_for_nobody(person: Person) -> None:
    session = (await person.call(METHOD, content=traced("s1")))["chatSession"]
    assert (session["metadata"]["importedFrom"], session["title"]) == ("traces", "What first?")
    assert json.loads(session["metadata"]["session"]) == {"user_id": "ada"}
    shown = (await person.call("ChatMessageService/ListMessages", chatSessionId=session["id"]))["messages"]
    assert [each["content"] for each in shown] == ["What first?", "Mail.", "And now?", "\u2026"]
    first, second = shown[1]["runId"], shown[3]["runId"]
    runs = (await person.call("RunService/ListRuns", chatSessionId=session["id"]))["runs"]
    assert {run["id"]: run["status"] for run in runs} == {first: "RUN_STATUS_COMPLETED", second: "RUN_STATUS_FAILED"}
    steps = (await person.call("RunService/ListSteps", id=first))["steps"]
    assert [(step["stepType"], step["status"], step["output"]) for step in steps] == [
        ("STEP_TYPE_PLANNER", "STEP_STATUS_COMPLETED", "Read"),
        ("STEP_TYPE_ACTION", "STEP_STATUS_FAILED", "Read"),
    ]
    kept = await person.pool.fetchval(
        "SELECT output_data -> 'imported' ->> 'x' FROM steps WHERE run_id = $1 AND step_number = 1", first
    )
    assert kept == "a"
    usage = await person.call("UsageService/GetUsage", fromTime="2025-06-01T00:00:00Z", toTime="2025-07-01T00:00:00Z")
    assert int(usage["total"].get("questions", 0)) == 0
    assert (await person.call(METHOD, content=traced("s1"))).get("isNew", False) is False
    sent = await person.call("ChatMessageService/SendMessage", chatSessionId=session["id"], content="And then?")
    assert await person.pool.fetchval("SELECT untrusted FROM runs WHERE id = $1", sent["run"]["id"])
    await person.pool.execute("DELETE FROM chat_sessions WHERE id = $1", session["id"])
    questions = "SELECT sum(questions) FROM usage_daily WHERE user_id = $1"
    assert await person.pool.fetchval(questions, session["userId"]) == 1, "that of the run here alone"


FOR_USER = "ImportService/ImportUserChatSession"


async def owner_of(pool: asyncpg.Pool, **values: Any) -> str:
    """Returns the verified address of a new account."""
    email = f"{secrets.token_hex(4)}@example.org"
    await rows.user(pool, user_name=email, email=email, **{"is_email_verified": True, **values})
    return email


async def test_a_superadmin_imports_for_the_person_with_a_verified_address(
    new_user: NewUser, pool: asyncpg.Pool
) -> None:
    superadmin = await new_user("superadmin")
    email = await owner_of(pool)
    content = exported("moved", "How many days?", "Thirty.")
    first = await superadmin.call(FOR_USER, {"content": content, "email": email.upper()})
    again = await superadmin.call(FOR_USER, {"content": content, "email": email})
    assert (first["isNew"], again.get("isNew", False), "chatSession" in first) == (True, False, False)
    assert first["source"] == again["source"] == "open-webui"
    sessions = await pool.fetch("SELECT id, user_id FROM chat_sessions WHERE user_id = $1", first["userId"])
    assert [row["user_id"] for row in sessions] == [again["userId"]]
    assert await pool.fetchval("SELECT email FROM users WHERE id = $1", first["userId"]) == email
    entries = await pool.fetch(
        "SELECT target, detail FROM audit_log WHERE actor_id = $1 AND action = $2", superadmin.user_id, FOR_USER
    )
    assert [(row["target"], row["detail"]) for row in entries] == [
        (f"chat-sessions/{sessions[0]['id']}", {"user_id": first["userId"], "source": "open-webui"})
    ], "one entry for what has changed something"


async def test_an_import_for_somebody_is_never_without_its_audit_entry(
    new_user: NewUser, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was stored without an entry would be known at the repetition, which records nothing."""
    superadmin = await new_user("superadmin")
    request = {"content": exported("recorded", "How many days?", "Thirty."), "email": await owner_of(pool)}

    async def lost(*_: Any) -> None:
        raise DependencyUnavailableError("The connection is lost.")

    with monkeypatch.context() as patch:
        patch.setattr("echomind_api.programs.imports.audit_by", lost)
        with pytest.raises(DependencyUnavailableError, match="connection is lost"):
            await superadmin.call(FOR_USER, request)
    done = await superadmin.call(FOR_USER, request)
    assert done["isNew"], "nothing was stored before"
    recorded = "SELECT detail ->> 'user_id' FROM audit_log WHERE actor_id = $1 AND action = $2 AND credential <> ''"
    entries = await pool.fetch(recorded, superadmin.user_id, FOR_USER)
    assert [row[0] for row in entries] == [str(done["userId"])]


async def test_what_somebody_has_removed_comes_back_for_themselves_alone(new_user: NewUser, pool: asyncpg.Pool) -> None:
    superadmin, person = await new_user("superadmin"), await new_user()
    email = f"{secrets.token_hex(4)}@example.org"
    await pool.execute("UPDATE users SET email = $2 WHERE id = $1", person.user_id, email)
    await pool.execute("UPDATE users SET is_email_verified = TRUE WHERE id = $1", person.user_id)
    content = exported("removed", "How many days?", "Thirty.")
    request = {"content": content, "email": email}
    assert (await superadmin.call(FOR_USER, request))["isNew"]
    (session,) = (await person.call("ChatSessionService/ListChatSessions"))["chatSessions"]
    await person.call("ChatSessionService/DeleteChatSession", {"id": session["id"]})
    again = [(await superadmin.call(FOR_USER, request)).get("isNew", False) for _ in range(2)]
    assert again == [False, False], "however often it is repeated"
    assert (await person.call("ChatSessionService/ListChatSessions")).get("chatSessions", []) == []
    assert (await person.call(METHOD, {"content": content}))["isNew"]


async def test_whom_nobody_has_verified_gets_nothing(new_user: NewUser, pool: asyncpg.Pool) -> None:
    """Or who enters somebody else's address in their profile would get their conversations."""
    superadmin = await new_user("superadmin")
    content = exported("unmatched", "How many days?", "Thirty.")
    for values in ({"is_email_verified": False}, {"is_active": False}):
        email = await owner_of(pool, **values)
        with pytest.raises(NotFoundError, match=f"No active account has the verified e-mail address {email}") as caught:
            await superadmin.call(FOR_USER, {"content": content, "email": email})
        assert caught.value.metadata["resource"] == "user"
    stored = "SELECT count(*) FROM chat_sessions WHERE external_id = 'import:open-webui:unmatched'"
    assert await pool.fetchval(stored) == 0


async def test_a_rating_of_the_person_is_theirs(new_user: NewUser, pool: asyncpg.Pool) -> None:
    superadmin = await new_user("superadmin")
    email = await owner_of(pool)
    rating = {"is_positive": True, "text": "", "by": email}
    question = {"id": "q", "role": "user", "content": "Q"}
    answer = {"id": "a", "parent_id": "q", "role": "assistant", "content": "A", "rating": rating}
    content = json.dumps({"source": "onyx", "id": "rated for", "messages": [question, answer]})
    done = await superadmin.call(FOR_USER, {"content": content, "email": email})
    assert (done["ratings"], done.get("omittedRatings", 0)) == (1, 0)
