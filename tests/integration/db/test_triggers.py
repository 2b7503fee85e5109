import asyncpg
import pytest

from tests.factories import rows

TABLES_WITH_LAST_UPDATE = """
    SELECT table_name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'last_update' ORDER BY table_name
"""
TABLES_WITH_TRIGGER = """
    SELECT event_object_table AS table_name FROM information_schema.triggers
    WHERE action_statement = 'EXECUTE FUNCTION update_last_update_column()' AND event_manipulation = 'UPDATE'
        AND action_timing = 'BEFORE' ORDER BY event_object_table
"""


async def updates_of(connection: asyncpg.Connection, session_id: int) -> int:
    """Returns how often the session was updated since `count_updates`."""
    count: int = await connection.fetchval("SELECT updates FROM session_updates WHERE session_id = $1", session_id)
    return count


async def count_updates(connection: asyncpg.Connection, session_id: int) -> None:
    """From now on, count the session's updates."""
    await connection.execute(
        "CREATE TEMPORARY TABLE session_updates (session_id INTEGER, updates INTEGER) ON COMMIT DROP"
    )
    await connection.execute("INSERT INTO session_updates VALUES ($1, 0)", session_id)
    await connection.execute(
        """
        CREATE FUNCTION pg_temp.count_update() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE session_updates SET updates = updates + 1 WHERE session_id = NEW.id;
            RETURN NULL;
        END
        $$
        """
    )
    await connection.execute(
        "CREATE TRIGGER count_update AFTER UPDATE ON chat_sessions FOR EACH ROW EXECUTE FUNCTION pg_temp.count_update()"
    )


async def session_of(connection: asyncpg.Connection, session_id: int) -> asyncpg.Record:
    row = await connection.fetchrow("SELECT * FROM chat_sessions WHERE id = $1", session_id)
    assert row is not None
    return row


async def test_every_table_with_last_update_keeps_it(connection: asyncpg.Connection) -> None:
    expected = await connection.fetch(TABLES_WITH_LAST_UPDATE)

    assert await connection.fetch(TABLES_WITH_TRIGGER) == expected
    assert len(expected) > 15


async def test_last_update_is_null_until_the_first_update(connection: asyncpg.Connection) -> None:
    user = await rows.user(connection)
    assert user["last_update"] is None

    updated = await connection.fetchval(
        "UPDATE users SET first_name = 'A' WHERE id = $1 RETURNING last_update = now()", user["id"]
    )
    assert updated


@pytest.mark.parametrize(
    "send",
    [
        """
        INSERT INTO chat_messages (chat_session_id, role, creation_date)
        VALUES ($1, 'user', '2026-01-01'), ($1, 'assistant', '2026-01-02')
        """,
        """
        WITH question AS (
            INSERT INTO chat_messages (chat_session_id, role, creation_date) VALUES ($1, 'user', '2026-01-01')
            RETURNING id
        )
        INSERT INTO chat_messages (chat_session_id, role, creation_date, parent_message_id)
        SELECT $1, 'assistant', '2026-01-02', id FROM question
        """,
    ],
)
async def test_a_send_of_two_messages_is_one_update_of_the_session(connection: asyncpg.Connection, send: str) -> None:
    session = await rows.chat_session(connection)
    await count_updates(connection, session["id"])

    await connection.execute(send, session["id"])

    stored = await session_of(connection, session["id"])
    assert stored["message_count"] == 2
    assert stored["last_message_at"].date().isoformat() == "2026-01-02"
    assert await updates_of(connection, session["id"]) == 1


async def test_messages_with_an_unwritten_answer_are_counted_by_who_sends_them(connection: asyncpg.Connection) -> None:
    session = await rows.chat_session(connection)
    await count_updates(connection, session["id"])

    await connection.execute(
        "INSERT INTO chat_messages (chat_session_id, role, status) "
        "VALUES ($1, 'user', 'completed'), ($1, 'assistant', 'streaming')",
        session["id"],
    )

    assert (await session_of(connection, session["id"]))["message_count"] == 0
    assert await updates_of(connection, session["id"]) == 0


async def test_an_older_message_does_not_set_the_clock_back(connection: asyncpg.Connection) -> None:
    session = await rows.chat_session(connection)
    await rows.chat_message(connection, chat_session_id=session["id"])
    now = (await session_of(connection, session["id"]))["last_message_at"]

    await connection.execute(
        "INSERT INTO chat_messages (chat_session_id, role, creation_date) VALUES ($1, 'user', '2020-01-01')",
        session["id"],
    )

    stored = await session_of(connection, session["id"])
    assert (stored["message_count"], stored["last_message_at"]) == (2, now)


async def test_messages_of_several_sessions_are_counted_apart(connection: asyncpg.Connection) -> None:
    first, second = await rows.chat_session(connection), await rows.chat_session(connection)

    await connection.execute(
        "INSERT INTO chat_messages (chat_session_id, role) VALUES ($1, 'user'), ($2, 'user'), ($2, 'assistant')",
        first["id"],
        second["id"],
    )

    assert (await session_of(connection, first["id"]))["message_count"] == 1
    assert (await session_of(connection, second["id"]))["message_count"] == 2


async def test_deleting_messages_takes_them_off_again(connection: asyncpg.Connection) -> None:
    session = await rows.chat_session(connection)
    await connection.execute(
        """
        INSERT INTO chat_messages (chat_session_id, role, creation_date)
        VALUES ($1, 'user', '2026-01-01'), ($1, 'assistant', '2026-01-02'), ($1, 'user', '2026-01-03')
        """,
        session["id"],
    )
    await count_updates(connection, session["id"])

    await connection.execute("DELETE FROM chat_messages WHERE creation_date > '2026-01-01'")

    stored = await session_of(connection, session["id"])
    assert stored["message_count"] == 1
    assert stored["last_message_at"].date().isoformat() == "2026-01-01"
    assert await updates_of(connection, session["id"]) == 1

    await connection.execute("DELETE FROM chat_messages")
    stored = await session_of(connection, session["id"])
    assert (stored["message_count"], stored["last_message_at"]) == (0, None)


async def test_purging_a_session_purges_its_content(connection: asyncpg.Connection) -> None:
    run = await rows.run(connection)
    session_id = run["chat_session_id"]
    message = await rows.chat_message(connection, chat_session_id=session_id, run_id=run["id"])
    await rows.citation(connection, chat_message_id=message["id"])
    await rows.feedback(connection, chat_message_id=message["id"])
    step = await rows.step(connection, run_id=run["id"])
    await rows.tool_call(connection, step_id=step["id"])
    await rows.run(
        connection,
        chat_session_id=session_id,
        parent_run_id=run["id"],
        parent_step_id=step["id"],
        kind="sub_agent",
        depth=1,
    )
    await rows.run_event(connection, chat_session_id=session_id, run_id=run["id"])
    memory = await rows.memory(connection, source_session_id=session_id)

    await connection.execute("DELETE FROM chat_sessions WHERE id = $1", session_id)

    for table in (
        *("chat_messages", "chat_message_documents", "chat_message_feedbacks"),
        *("runs", "steps", "tool_calls", "run_events"),
    ):
        assert await connection.fetchval(f"SELECT count(*) FROM {table}") == 0, table
    assert await connection.fetchval("SELECT source_session_id FROM agent_memories WHERE id = $1", memory["id"]) is None


async def test_a_citation_outlives_its_document(connection: asyncpg.Connection) -> None:
    document = await rows.document(connection)
    citation = await rows.citation(connection, document_id=document["id"], title="Handbook", snippet="30 days")

    await connection.execute("DELETE FROM documents WHERE id = $1", document["id"])

    kept = await connection.fetchrow(
        "SELECT document_id, title, snippet FROM chat_message_documents WHERE id = $1", citation["id"]
    )
    assert kept is not None
    assert tuple(kept) == (None, "Handbook", "30 days")


async def members(connection: asyncpg.Connection, group: str) -> set[int]:
    found = await connection.fetch(
        "SELECT user_id FROM group_members WHERE group_id = (SELECT id FROM groups WHERE name = $1)", group
    )
    return {row["user_id"] for row in found}


async def test_group_members_follow_the_groups_of_users(connection: asyncpg.Connection) -> None:
    first = await rows.user(connection, groups=["sales", "engineering", "sales"])
    second = await rows.user(connection, groups=["sales"])
    assert await members(connection, "sales") == {first["id"], second["id"]}
    assert await members(connection, "engineering") == {first["id"]}

    await connection.execute("UPDATE users SET groups = '{sales,support}' WHERE id = $1", first["id"])
    assert await members(connection, "engineering") == set()
    assert await members(connection, "support") == {first["id"]}
    assert await members(connection, "sales") == {first["id"], second["id"]}

    await connection.execute("UPDATE users SET groups = '{}'")
    assert await connection.fetchval("SELECT count(*) FROM group_members") == 0
    assert await connection.fetchval("SELECT count(*) FROM groups") == 3


async def test_memberships_by_hand_and_by_others_change_apart(connection: asyncpg.Connection) -> None:
    somebody = await rows.user(connection, groups=["sales"])
    await rows.user(connection, groups=["research"])
    given = "INSERT INTO group_members (group_id, user_id, source) SELECT id, $1, $2 FROM groups WHERE name = $3"
    read = "SELECT groups FROM users WHERE id = $1"
    for group in ("sales", "research"):
        await connection.execute(given, somebody["id"], "provider:https://id.example.org", group)
    await connection.execute("UPDATE users SET groups = groups WHERE id = $1", somebody["id"])
    assert await connection.fetchval(read, somebody["id"]) == ["sales", "research"]

    await connection.execute("UPDATE users SET groups = '{}' WHERE id = $1", somebody["id"])
    assert await connection.fetchval(read, somebody["id"]) == ["research", "sales"]
    await connection.execute("UPDATE users SET groups = groups || '{support}' WHERE id = $1", somebody["id"])
    await connection.execute("DELETE FROM group_members WHERE source <> 'manual'")
    await connection.execute("UPDATE users SET groups = groups WHERE id = $1", somebody["id"])
    assert await connection.fetchval(read, somebody["id"]) == ["support"]


async def test_whoever_leaves_a_group_is_its_admin_no_more(connection: asyncpg.Connection) -> None:
    somebody = await rows.user(connection, groups=["sales", "support"])
    other = await rows.user(connection, groups=["sales"])
    await connection.execute("INSERT INTO group_admins (group_id, user_id) SELECT group_id, user_id FROM group_members")
    given = "INSERT INTO group_members (group_id, user_id, source) SELECT id, $1, $2 FROM groups WHERE name = 'sales'"
    await connection.execute(given, somebody["id"], "scim:1")
    read = "SELECT name || ' ' || user_id FROM group_admins JOIN groups ON id = group_id ORDER BY name, user_id"

    await connection.execute("UPDATE users SET groups = '{}' WHERE id = $1", somebody["id"])
    kept = [f"sales {user['id']}" for user in (somebody, other)]
    assert [row[0] for row in await connection.fetch(read)] == kept  # the other source keeps the membership

    await connection.execute("DELETE FROM group_members WHERE source = 'scim:1'")
    assert [row[0] for row in await connection.fetch(read)] == kept[1:]


@pytest.mark.parametrize("source", ["", "hand", "provider:", "scim"])
async def test_a_membership_has_a_known_source(connection: asyncpg.Connection, source: str) -> None:
    somebody = await rows.user(connection, groups=["sales"])
    with pytest.raises(asyncpg.CheckViolationError, match="source"):
        await connection.execute("UPDATE group_members SET source = $2 WHERE user_id = $1", somebody["id"], source)


async def test_signing_in_again_uses_no_group_ids_up(connection: asyncpg.Connection) -> None:
    await rows.user(connection, groups=["a"])
    before = await connection.fetchval("SELECT last_value FROM groups_id_seq")

    await connection.execute("UPDATE users SET groups = '{a}'")

    assert await connection.fetchval("SELECT last_value FROM groups_id_seq") == before


async def test_a_group_with_members_cannot_be_deleted(connection: asyncpg.Connection) -> None:
    await rows.user(connection, groups=["a"])

    with pytest.raises(asyncpg.ForeignKeyViolationError):
        await connection.execute("DELETE FROM groups")


async def test_deactivation_ends_every_credential_for_good(connection: asyncpg.Connection) -> None:
    somebody, other = await rows.user(connection), await rows.user(connection)
    for account in (somebody, other):
        await rows.api_key(connection, user_id=account["id"])
        await rows.token(connection, "web_sessions", user_id=account["id"])
        await rows.token(connection, "sign_in_tokens", user_id=account["id"])
        await rows.token(connection, "invitations", invited_by=account["id"])
    for is_active in (False, True):
        await connection.execute("UPDATE users SET is_active = $2 WHERE id = $1", somebody["id"], is_active)
    for table, column in (
        ("api_keys WHERE NOT revoked", "user_id"),
        ("web_sessions", "user_id"),
        ("sign_in_tokens", "user_id"),
        ("invitations", "invited_by"),
    ):
        left = await connection.fetch(f"SELECT {column} FROM {table}")
        assert [row[column] for row in left] == [other["id"]], table


ALWAYS, BRIEFLY = "Always answer in two sentences.", "Always answer in two sentences, and order pizza."


@pytest.mark.parametrize(
    ("writes", "author"),
    [
        ([], "owner"),
        ([("owner", BRIEFLY)], "owner"),
        ([("other", BRIEFLY)], None),
        ([("other", ALWAYS)], "owner"),
        ([("other", BRIEFLY), ("owner", ALWAYS)], None),
        ([("other", BRIEFLY), ("other", ALWAYS)], None),
        ([("other", "ORDER. TWO SENTENCES!")], None),
        ([("other", "Nur Zitate.")], "other"),
        ([("other", ""), ("other", BRIEFLY)], "other"),
        ([("other", BRIEFLY), ("owner", ""), ("owner", ALWAYS)], "owner"),
        ([("other", "Nur Zitate."), ("owner", "Nur Zitate. Kurz.")], None),
        ([(None, "Nur Zitate.")], None),
    ],
)
@pytest.mark.parametrize("text", ["title", "instructions"])
async def test_a_changed_text_of_a_notebook_has_the_author_who_wrote_all_of_it(
    connection: asyncpg.Connection, text: str, writes: list[tuple[str | None, str]], author: str | None
) -> None:
    people = {who: (await rows.user(connection))["id"] for who in ("owner", "other")} | {None: None}
    made = await rows.notebook(connection, user_id=people["owner"], **{text: ALWAYS})
    for writer, written in writes:
        await connection.execute(
            f"UPDATE notebooks SET {text} = $2, user_id_last_update = $3 WHERE id = $1",
            made["id"],
            written,
            people[writer],
        )
    # Another writer of something else takes over no text.
    await connection.execute("UPDATE notebooks SET user_id_last_update = $1, description = 'x'", people["other"])
    found = await connection.fetchrow("SELECT title_author_id, instructions_author_id FROM notebooks")
    assert found is not None
    assert found[f"{text}_author_id"] == people[author]
    unchanged = {"title": "instructions", "instructions": "title"}[text]
    assert found[f"{unchanged}_author_id"] == people["owner"]
