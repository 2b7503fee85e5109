"""Every statement of the services is one that PostgreSQL accepts, with the columns that its rows need."""

import importlib
import inspect
import itertools
import pkgutil
from collections.abc import Iterator
from typing import Any

import asyncpg

import echomind_agent
import echomind_api
import echomind_ingestor
import echomind_lib
from echomind_lib.db.database import Database
from echomind_lib.db.statements import Command, Query
from echomind_lib.runs.finish_statement import finish_statement


def all_statements() -> Iterator[tuple[str, Command | Query[object]]]:
    """The statements that modules define, each under its name."""
    for package in (echomind_lib, echomind_api, echomind_agent, echomind_ingestor):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".migrations" in module.name or module.name.endswith("__main__"):
                continue
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, (Command, Query)):
                    yield f"{module.name}.{name}", value


def ends_of_runs() -> Iterator[tuple[str, Query[Any]]]:
    """The statements that finish a run, each under what it contains."""
    choices = inspect.signature(finish_statement).parameters
    for values in itertools.product([True, False], repeat=len(choices)):
        shape = dict(zip(choices, values, strict=True))
        yield f"finish_statement{shape}", finish_statement(**shape)


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
