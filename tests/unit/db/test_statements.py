"""Statements are compiled with constants in their text and parameters by name, and refuse wrong calls."""

from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import bindparam, insert, select, text, update

from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Command, Query


def test_constants_stand_in_the_text_and_parameters_have_names() -> None:
    query = Query(
        select(Run.id).where(Run.status.in_(["queued", "running"]), Run.attempt == bindparam("attempt")).limit(1), int
    )
    assert "status IN ('queued', 'running') AND runs.attempt = $1::INTEGER" in " ".join(query.sql.split())
    assert query.sql.endswith("LIMIT 1")
    assert query.parameters == ("attempt",)


def test_a_parameter_that_is_used_twice_has_one_number() -> None:
    query = Query(text("SELECT CAST(:a AS int) + CAST(:b AS int) + CAST(:a AS int)"), int)
    assert query.sql == "SELECT CAST($1 AS int) + CAST($2 AS int) + CAST($1 AS int)"
    assert query.bind({"b": 2, "a": 1}) == [1, 2]


def test_json_constants_are_quoted() -> None:
    assert """'{"a":"it''s"}'::jsonb""" in Command(insert(Run).values(state={"a": "it's"})).sql


@pytest.mark.parametrize(
    ("values", "message"), [({}, "'run_id' is missing"), ({"run_id": 1, "what": 2}, r"no parameters \['what'\]")]
)
def test_wrong_parameters_are_refused(values: dict[str, Any], message: str) -> None:
    command = Command(update(Run).where(Run.id == bindparam("run_id")).values(attempt=Run.attempt + 1))
    with pytest.raises(TypeError, match=message):
        command.bind(values)


def test_the_columns_of_a_row_are_its_fields() -> None:
    @dataclass
    class Counted:
        id: int
        attempt: int

    assert Query(select(Run.id, Run.attempt), Counted).columns == ["id", "attempt"]
    assert Query(select(Run.id), int).columns is None


def test_a_deferred_statement_is_built_at_its_first_use_and_not_kept() -> None:
    built: list[Query[int]] = []

    def build() -> Query[int]:
        built.append(Query(select(Run.id).where(Run.id == bindparam("run_id")), int))
        return built[-1]

    query = Query.deferred(build)
    assert not built
    assert (query.parameters, query.columns) == (("run_id",), None)
    assert query.sql.startswith("SELECT runs.id")
    assert len(built) == 1
