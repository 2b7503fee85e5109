"""Data for some runs only is read only for them: an ordinary claim is one statement without these tables."""

import pytest

from echomind_lib.db.database import Database
from echomind_lib.db.statements import Query
from echomind_lib.events.log import EventLog
from echomind_lib.runs import lease
from echomind_lib.runs.claim import CLAIM
from echomind_lib.runs.record import RunRecord
from tests.factories import rows as factories
from tests.factories.questions import ask
from tests.factories.rows import Rows, new_worker

_OTHERS = ("agent_memories", "knowledge_entities", "notebooks", "assistant_members", "assistant_versions")


async def _claimed(database: Database, rows: Rows, event_log: EventLog) -> RunRecord:
    """Returns the run of a new question."""
    await database.pool.execute("UPDATE runs SET status = 'completed', slot = NULL")
    sent = await ask(event_log, rows.user_id, None, "What?")
    claimed = await lease.claim(event_log, sent.run_id, await new_worker(database.pool))
    assert claimed is not None
    return claimed.run


async def test_an_ordinary_claim_is_one_statement(
    database: Database, rows: Rows, event_log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = await ask(event_log, rows.user_id, None, "What?")
    worker = await new_worker(database.pool)
    asked = []
    fetch_one = Query.fetch_one

    async def noted(self: Query[object], *args: object, **values: object) -> object:
        asked.append(self)
        return await fetch_one(self, *args, **values)  # type: ignore[arg-type]

    monkeypatch.setattr(Query, "fetch_one", noted)
    claimed = await lease.claim(event_log, sent.run_id, worker)
    assert claimed is not None
    assert asked == [CLAIM]
    assert not [table for table in _OTHERS if table in CLAIM.sql]
    run = claimed.run
    assert (run.has_knowledge, run.memory.has_any, run.session.notebook) == (False, False, None)
    assert (run.memory.is_on, run.assistant.members) == (True, ())


async def test_what_is_known_is_looked_for_from_the_first_on(
    database: Database, rows: Rows, event_log: EventLog
) -> None:
    async def known() -> tuple[bool, bool]:
        run = await _claimed(database, rows, event_log)
        return run.memory.has_any, run.has_knowledge

    pool = database.pool
    other = (await factories.user(pool))["id"]
    await factories.memory(pool, user_id=other)
    await factories.knowledge(pool, level="individual", user_id=other)
    assert await known() == (False, False)
    memory = await factories.memory(pool, user_id=rows.user_id)
    assert await known() == (True, False)
    mine = await factories.knowledge(pool, level="individual", user_id=rows.user_id)
    assert await known() == (True, True)
    # What is removed is not found any more, although it is looked for.
    await pool.execute("DELETE FROM agent_memories WHERE id = $1", memory["id"])
    await pool.execute("DELETE FROM knowledge_entities WHERE id = $1", mine["id"])
    assert await known() == (False, False)
    # An entity of one person that becomes everybody's.
    await pool.execute("UPDATE knowledge_entities SET level = 'organization', user_id = NULL WHERE user_id = $1", other)
    assert await known() == (False, True)


async def test_what_everybody_knows_is_looked_for_by_who_has_nothing(
    database: Database, rows: Rows, event_log: EventLog
) -> None:
    await factories.knowledge(database.pool, level="organization")
    run = await _claimed(database, rows, event_log)
    assert (run.memory.has_any, run.has_knowledge) == (False, True)


async def test_a_member_works_in_the_version_that_its_team_names(
    database: Database, rows: Rows, event_log: EventLog
) -> None:
    pool = database.pool
    leader = await pool.fetchval("SELECT id FROM assistants WHERE is_default")
    named, latest, without = [await factories.assistant(pool, config={"maxSteps": 9}) for _ in range(3)]
    for assistant in (named, latest):
        await pool.execute("UPDATE assistants SET version = 2 WHERE id = $1", assistant["id"])
        for version in (1, 2):
            snapshot = {"llm_id": None, "config": {"maxSteps": assistant["id"] * 10 + version}}
            await factories.assistant_version(pool, assistant_id=assistant["id"], version=version, config=snapshot)
    for position, (assistant, pinned) in enumerate(((named, 1), (latest, None), (without, None)), 1):
        member = {"assistant_id": leader, "member_id": assistant["id"], "position": position, "version": pinned}
        await factories.assistant_member(pool, **member)
    run = await _claimed(database, rows, event_log)
    assert [(member["version"], member["config"]["maxSteps"]) for member in run.assistant.stored_members] == [
        (1, named["id"] * 10 + 1),
        (2, 9),
        (None, 9),
    ]


async def test_memory_is_off_for_everybody_and_for_one(database: Database, rows: Rows, event_log: EventLog) -> None:
    pool = database.pool
    assert (await _claimed(database, rows, event_log)).memory.is_on
    await factories.installation_settings(pool, memory_enabled=False)
    assert not (await _claimed(database, rows, event_log)).memory.is_on
    await pool.execute("UPDATE installation_settings SET memory_enabled = true")
    await pool.execute("UPDATE users SET preferences = '{\"memoryOff\": true}'")
    assert not (await _claimed(database, rows, event_log)).memory.is_on


async def test_a_notebook_is_read_for_its_conversation(database: Database, rows: Rows, event_log: EventLog) -> None:
    pool = database.pool
    await factories.memory(pool, user_id=rows.user_id)
    notebook = await factories.notebook(pool, user_id=rows.user_id, title="Plants", instructions="Be brief.")
    sent = await ask(event_log, rows.user_id, None, "What?")
    await pool.execute("UPDATE chat_sessions SET notebook_id = $1", notebook["id"])
    claimed = await lease.claim(event_log, sent.run_id, await new_worker(pool))
    assert claimed is not None
    found = claimed.run.session.notebook
    assert found is not None
    assert (found.id, found.title, found.instructions) == (notebook["id"], "Plants", "Be brief.")
    assert (claimed.run.has_knowledge, claimed.run.memory.is_on) == (False, False)
