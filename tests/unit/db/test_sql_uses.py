"""What finds the uses of tables and columns finds them in each of their forms, and tells reading from writing."""

import ast
from dataclasses import dataclass

from sqlalchemy import bindparam, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased

from echomind_lib.db.models import ApiKey, Run
from echomind_lib.db.statements import Query
from tests.drivers.sql_statements import of_functions, of_query, of_statement, of_text
from tests.drivers.sql_uses import of_source


def test_a_statement_with_what_it_writes_and_the_parts_it_is_made_of() -> None:
    held = update(Run).where(Run.id == bindparam("id")).values(attempt=Run.retry_count + 1).returning(Run.status)
    other = aliased(Run, name="other")
    uses = of_statement(select(held.cte("held"), other.goal).where(other.depth == 0))

    assert uses.writes == {("runs", "attempt")}
    assert uses.reads == {("runs", column) for column in ("id", "retry_count", "status", "goal", "depth")}
    assert uses.tables == {"runs"}


def test_what_is_inserted_and_what_a_conflict_changes() -> None:
    row = insert(ApiKey).values(name=bindparam("name"), prefix="p")
    uses = of_statement(row.on_conflict_do_update(index_elements=["prefix"], set_={"revoked": False}))

    assert uses.writes == {("api_keys", "name"), ("api_keys", "prefix"), ("api_keys", "revoked")}


def test_source_with_classes_under_other_names_and_rows() -> None:
    uses = of_source(
        ast.parse("""
from echomind_lib.db import models as rows
from echomind_lib.db.models.runs import Run as Row
_Session = rows.ChatSession
async def read(session):
    found = await session.scalar(select(rows.User).where(Row.status == "queued"))
    found.last_name = found.first_name
    await session.execute(update(_Session).values(title="x", **{"goal": None}))
    session.add(rows.ApiKey(name=1))
""")
    )

    assert uses.reads >= {("runs", "status"), ("users", "first_name")}
    assert uses.writes == {("users", "last_name"), ("chat_sessions", "title"), ("chat_sessions", "goal")} | {
        ("api_keys", "name")
    }
    assert uses.tables == {"runs", "users", "chat_sessions", "api_keys"}


def test_text_and_functions() -> None:
    uses = of_text("UPDATE runs SET status = 'queued', attempt = attempt + 1 WHERE id = :id", set())
    assert uses.writes == {("runs", "status"), ("runs", "attempt")}
    assert ("runs", "id") in uses.reads
    upsert = "INSERT INTO workers (id, service) VALUES (:id, :s) ON CONFLICT (id) DO UPDATE SET heartbeat_at = now()"
    assert of_text(upsert, set()).writes == {("workers", name) for name in ("id", "service", "heartbeat_at")}
    body = "CREATE FUNCTION f() AS $$ BEGIN UPDATE api_keys SET revoked = true WHERE user_id = NEW.id; END; $$;"
    assert of_functions(body).writes == {("api_keys", "revoked")}


def test_a_column_of_an_insert_or_a_set_is_no_reader() -> None:
    insert_text = "INSERT INTO workers (id, service) SELECT :id, host FROM workers WHERE started_at < now()"
    assert of_text(insert_text, set()).reads == {("workers", "host"), ("workers", "started_at")}
    changed = of_text("UPDATE runs SET goal = 'a', depth = greatest(max_depth = 2, 1) RETURNING status", set())
    assert changed.writes == {("runs", "goal"), ("runs", "depth")}
    assert changed.reads == {("runs", "max_depth"), ("runs", "status")}


def test_source_that_only_lists_the_columns_that_it_writes() -> None:
    uses = of_source(
        ast.parse("""
from echomind_lib.db.models import Run, Step
_GIVEN = (Step.step_type, Step.reasoning)
_SHOWN = (Step.status, Step.action)
new = json_rows("step", *_GIVEN, Step.error_message)
names = [*_GIVEN]
insert(Step).from_select(names, select(new.c.step_type)).returning(*_SHOWN)
update(Run).values({Run.goal: Run.input})
""")
    )

    assert uses.reads == {("steps", "status"), ("steps", "action"), ("runs", "input")}
    assert ("runs", "goal") in uses.writes


def test_attributes_of_what_is_no_row_are_no_readers() -> None:
    uses = of_source(
        ast.parse("""
from echomind_lib.db import models as rows
from echomind_lib.models.public import KnowledgeFeedback
async def store(session, opinion: KnowledgeFeedback, found: rows.KnowledgeFeedback):
    await session.scalar(select(rows.KnowledgeFeedback))
    return opinion.comment, found.helpful
def shown(entity: rows.KnowledgeEntity):
    return KnowledgeFeedback.from_row(entity)
""")
    )

    assert {name for table, name in uses.reads if table == "knowledge_feedback"} == {"helpful"}
    shown = {name for table, name in uses.reads if table == "knowledge_entities"}
    assert shown == {"user_id", "creation_date", "last_update"}


@dataclass
class _Row:
    goal: str
    status: str


def test_a_query_whose_field_nothing_takes_is_no_reader() -> None:
    query = Query(select(Run.goal, Run.status).where(Run.depth == 0), _Row)

    assert of_query(query, frozenset({"status"})).reads == {("runs", "status"), ("runs", "depth")}
