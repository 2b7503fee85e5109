"""Every statement of the services is one that PostgreSQL accepts, with the columns that its rows need."""

import itertools

import asyncpg

from echomind_lib.db.database import Database
from echomind_lib.db.statements import Query
from tests.drivers.statements import all_statements, ends_of_runs


async def test_every_statement_can_be_prepared(database: Database) -> None:
    wrong = []
    async with database.pool.acquire() as connection:
        for name, statement in itertools.chain(all_statements(), ends_of_runs()):
            try:
                prepared = await connection.prepare(statement.sql)
            except asyncpg.PostgresError as error:
                wrong.append(f"{name}: {error}")
                continue
            found = [attribute.name for attribute in prepared.get_attributes()]
            if isinstance(statement, Query) and sorted(found) != sorted(statement.columns or found[:1]):
                wrong.append(f"{name}: has the columns {found}, its rows need {statement.columns or 'one'}")
    assert not wrong
