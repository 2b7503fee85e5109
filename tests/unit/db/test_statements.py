"""Statements are compiled with constants in their text and parameters by name, and refuse wrong calls."""

from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import bindparam, insert, select, text, update

from echomind_lib.db.models.runs import Run, Step
from echomind_lib.db.statements import Command, Query, columns


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


@dataclass
class _Row:
    id: int
    step_number: int
    attempt: int
    last: int


def test_the_columns_of_a_statement_are_the_fields_of_its_row() -> None:
    query = Query(
        select(*columns(_Row, Run, Step, id=Run.id, last=Step.step_number + 1)).where(Step.run_id == Run.id), _Row
    )
    selected = " ".join(query.sql.split()).partition(" FROM ")[0]
    assert selected == "SELECT runs.id, steps.step_number, runs.attempt, steps.step_number + 1 AS last"


@pytest.mark.parametrize(
    ("sources", "expressions", "message"),
    [
        ((Run, Step), {"last": Run.depth}, "_Row.id has 2 columns"),
        ((Run,), {"last": Run.depth}, "_Row.step_number has 0 columns"),
        ((Run,), {"first": Run.depth}, r"_Row has no fields \['first'\]"),
    ],
)
def test_a_field_without_its_one_column_is_refused(
    sources: tuple[Any, ...], expressions: dict[str, Any], message: str
) -> None:
    with pytest.raises(AttributeError, match=message):
        columns(_Row, *sources, **expressions)


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
