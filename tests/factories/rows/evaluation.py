"""Datasets of questions, and evaluations of assistants."""

from datetime import UTC, datetime
from typing import Any

import asyncpg

from tests.factories.rows.accounts import user
from tests.factories.rows.assistants import assistant
from tests.factories.rows.base import Connection, insert, numbers


async def evaluation_dataset(connection: Connection, **values: Any) -> asyncpg.Record:
    values["user_id"] = values.get("user_id") or (await user(connection))["id"]
    return await insert(connection, "evaluation_datasets", {"name": f"dataset {next(numbers)}"} | values)


async def evaluation_case(connection: Connection, **values: Any) -> asyncpg.Record:
    values["dataset_id"] = values.get("dataset_id") or (await evaluation_dataset(connection))["id"]
    return await insert(connection, "evaluation_cases", {"question": "What?"} | values)


async def evaluation_run(connection: Connection, **values: Any) -> asyncpg.Record:
    """Returns an evaluation that was cancelled, unless a status is given."""
    if "dataset_id" not in values:
        values["dataset_id"] = (await evaluation_dataset(connection, user_id=values.get("user_id")))["id"]
    owner = "SELECT user_id FROM evaluation_datasets WHERE id = $1"
    values["user_id"] = values.get("user_id") or await connection.fetchval(owner, values["dataset_id"])
    values["assistant_id"] = values.get("assistant_id") or (await assistant(connection))["id"]
    given = {"assistant_version": 0, "status": "cancelled"} | values
    if given["status"] != "running":
        given["completed_at"] = datetime.now(UTC)
    return await insert(connection, "evaluation_runs", given)


async def evaluation_result(connection: Connection, **values: Any) -> asyncpg.Record:
    values["evaluation_run_id"] = values.get("evaluation_run_id") or (await evaluation_run(connection))["id"]
    made = await insert(connection, "evaluation_results", values)
    if "expected" not in values:  # set here, as connections differ in what JSON is given as
        filled = "UPDATE evaluation_results SET expected = jsonb_build_object('question', 'What?') WHERE id = $1"
        await connection.execute(filled, made["id"])
    return made
