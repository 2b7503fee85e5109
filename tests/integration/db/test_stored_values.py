"""Migrations that type, fill or rename stored values, tested with rows of older schemas."""

from tests.drivers.stored_rows import Stored

RUN = "01980000-0000-7000-8000-000000000001"


async def test_preferences_are_typed(stored: Stored) -> None:
    await stored.migrate("upgrade", "0015")
    for number, preferences in enumerate(({"default_assistant_id": 3, "theme": "dark"}, {"theme": "dark"}, {})):
        name = f"preferring{number}"
        await stored.insert("users", user_name=name, email=f"{name}@example.org", preferences=preferences)

    await stored.migrate("upgrade", "0016")

    query = "SELECT preferences FROM users WHERE user_name LIKE 'preferring%' ORDER BY id"
    assert await stored.json(query) == [{"defaultAssistantId": 3}, {}, {}]

    await stored.migrate("downgrade", "0015")

    assert await stored.json(query) == [{"default_assistant_id": 3}, {}, {}]


async def test_assistants_of_before_become_their_version_1(stored: Stored) -> None:
    await stored.migrate("upgrade", "0026")
    user = await stored.insert("users", user_name="u", email="u@example.com")
    assistant = await stored.insert(
        "assistants", name="A", system_prompt="Be exact.", config={"maxSteps": 5}, created_by=user
    )
    await stored.insert("assistants", name="A", is_visible=False, is_draft=True, created_by=user)
    dates = "SELECT coalesce(last_update, creation_date) FROM assistants ORDER BY id"
    before = await stored.values(dates)

    await stored.migrate("upgrade", "0027")

    assert await stored.values("SELECT version FROM assistants ORDER BY id") == [1, 0]
    assert await stored.values(dates) == before
    assert await stored.values("SELECT creation_date FROM assistant_versions") == before[:1]
    assert await stored.values("SELECT (assistant_id, version, created_by) FROM assistant_versions") == [
        (assistant, 1, user)
    ]
    (snapshot,) = await stored.json("SELECT config FROM assistant_versions")
    assert snapshot == {
        "name": "A",
        "description": "",
        "llm_id": None,
        "system_prompt": "Be exact.",
        "task_prompt": "",
        "starter_messages": [],
        "is_default": False,
        "is_visible": True,
        "display_priority": 0,
        "config": {"maxSteps": 5},
    }


async def test_what_is_known_already_is_looked_for(stored: Stored) -> None:
    await stored.migrate("upgrade", "0043")
    remembered, learned, _ = [
        await stored.insert("users", user_name=name, email=f"{name}@example.com") for name in ("a", "b", "c")
    ]
    await stored.insert("agent_memories", user_id=remembered, memory_type="semantic", content="x")
    evidence = {"prior_alpha": 8.0, "prior_beta": 2.0, "alpha": 8.0, "beta": 2.0}
    known = {"title": "T", "content": "x", **evidence}
    await stored.insert("knowledge_entities", level="individual", user_id=learned, **known)

    await stored.migrate("upgrade", "0044")

    shared = "SELECT coalesce(bool_or(has_shared_knowledge), false) FROM installation_settings"
    assert await stored.values("SELECT has_facts FROM users WHERE user_name IN ('a', 'b', 'c') ORDER BY id") == [
        True,
        True,
        False,
    ]
    assert await stored.values(shared) == [False]

    await stored.migrate("downgrade", "0043")
    await stored.insert("knowledge_entities", level="organization", **known)
    await stored.migrate("upgrade", "0044")

    assert await stored.values(shared) == [True]


async def test_answers_of_before_say_what_they_stand_on(stored: Stored) -> None:
    await stored.migrate("upgrade", "0050")
    user = await stored.insert("users", user_name="u", email="u0050example.com")
    assistant = await stored.insert("assistants", name="A")
    session = await stored.insert("chat_sessions", user_id=user, assistant_id=assistant)
    called: list[list[str] | None] = [None, [], ["search_documents"], ["wiki__read"], ["search_memory", "calculator"]]
    for names in called:
        calls = None if names is None else [{"toolName": name, "parameters": {}} for name in names]
        values = {"chat_session_id": session, "role": "assistant", "content": "So.", "tool_calls": calls}
        await stored.insert("chat_messages", status="completed", **values)
    await stored.insert("chat_messages", chat_session_id=session, role="assistant", content=" ", status="failed")

    await stored.migrate("upgrade", "0051")

    assert await stored.values("SELECT basis FROM chat_messages ORDER BY id") == [
        "model_only",
        "model_only",
        "no_source_found",
        "other",
        "other",
        None,
    ]


async def test_reminders_are_stored_under_their_name_and_back(stored: Stored) -> None:
    await stored.migrate("upgrade", "0083")
    user = await stored.insert("users", user_name="u", email="u@example.com")
    assistant = await stored.insert("assistants", name="A")
    session = await stored.insert("chat_sessions", user_id=user, assistant_id=assistant)
    await stored.insert("runs", id=RUN, user_id=user, chat_session_id=session, kind="agent", status="waiting_for_input")
    for number, output in enumerate([{"said": "Go on."}, {"inherited": "Before."}, None], 1):
        await stored.insert(
            "steps", run_id=RUN, step_number=number, step_type="action", status="completed", output_data=output
        )
    stored_output = "SELECT output_data FROM steps ORDER BY step_number"

    await stored.migrate("upgrade", "0084")
    assert await stored.values(stored_output) == ['{"reminder": "Go on."}', '{"inherited": "Before."}', None]

    await stored.migrate("downgrade", "0083")
    assert await stored.values(stored_output) == ['{"said": "Go on."}', '{"inherited": "Before."}', None]
