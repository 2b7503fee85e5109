"""A rule of access decides the same as a check, as a condition with a reader's values, and beside a person's row."""

import itertools

import asyncpg
import pytest
from sqlalchemy import bindparam, select

from echomind_lib.access import Principal, assistants, chat_sessions, connectors, connectors_by_name
from echomind_lib.access.rule import Rule
from echomind_lib.access.rules import Action, connectors_of_scopes
from echomind_lib.db.models import Assistant, Base, ChatSession, Connector, User
from echomind_lib.db.statements import Query
from tests.factories import rows

ACTIONS: tuple[Action, ...] = ("read", "manage", "cancel")
RULES: dict[str, tuple[Rule, type[Base]]] = {
    **{f"connectors to {action}": (connectors(action), Connector) for action in ACTIONS},
    **{f"assistants to {action}": (assistants(action), Assistant) for action in ACTIONS},
    **{f"sessions to {action}": (chat_sessions(action), ChatSession) for action in ACTIONS},
    "connectors of scopes": (connectors_of_scopes(), Connector),
    "connectors by name": (connectors_by_name(), Connector),
}


@pytest.mark.parametrize("name", RULES)
async def test_every_form_of_a_rule_decides_the_same(connection: asyncpg.Connection, name: str) -> None:
    rule, table = RULES[name]
    people = [
        await rows.user(connection, roles=list(roles), groups=list(groups))
        for roles, groups in itertools.product(
            [("user",), ("user", "admin"), ("superadmin",)], [(), ("sales",), ("sales", "board")]
        )
    ]
    for owner in people[:2]:
        for visible in (True, False):
            for groups in ((), ("sales",), ("research", "board")):
                await rows.assistant(connection, is_visible=visible, groups=list(groups))
        await rows.chat_session(connection, user_id=owner["id"])
        await rows.connector(connection, user_id=owner["id"], scope="user")
        await rows.connector(connection, user_id=owner["id"], scope="org")
        for group in ("sales", "research"):
            await rows.connector(connection, user_id=owner["id"], scope="group", scope_id=group)
    stored = await connection.fetch(f"SELECT * FROM {table.__tablename__}")
    columns = table.__table__.columns.keys()
    given = [table(**{column: row[column] for column in columns}) for row in stored]
    key = table.__table__.c.id
    by_values = Query(select(key).where(rule.where(table)), int)
    by_row = Query(
        select(key).select_from(table).join(User, User.id == bindparam("person")).where(rule.where(table, User)), int
    )

    for person in people:
        principal = Principal(person["id"], frozenset(person["roles"]), frozenset(person["groups"]))
        allowed = {row.id for row in given if rule.allows(principal, row)}  # type: ignore[attr-defined]
        assert set(await by_values.fetch_all(connection, **rule.values(principal))) == allowed
        assert set(await by_row.fetch_all(connection, person=person["id"])) == allowed
