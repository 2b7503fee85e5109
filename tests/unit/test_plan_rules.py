"""When a plan ends, and its next todos."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from echomind_lib.db.words import TodoStatus
from echomind_lib.plans.rules import ClosedTodo, PlanError, Todo, closed, next_todos

RUN = UUID("11111111-1111-1111-1111-111111111111")
NOW = datetime(2026, 1, 2, tzinfo=UTC)


def todo(number: int, status: TodoStatus = "pending", after: tuple[int, ...] = (), priority: int = 0) -> Todo:
    """Returns a todo whose id is ten times its number."""
    return Todo(number * 10, RUN, number, f"T{number}", None, status, tuple(each * 10 for each in after), priority)


def test_ready_todos_are_ordered_by_priority() -> None:
    plan = [
        todo(1, "completed"),
        todo(2, priority=-1),
        todo(3, after=(2,), priority=9),
        todo(4, after=(1,)),
        todo(5, priority=2),
        todo(6, "in_progress", priority=-5),
        todo(7),
        todo(8, "failed", priority=9),
    ]
    assert [each.number for each in next_todos(plan)] == [6, 5, 4, 7, 2]


def test_each_open_todo_ends_with_its_reason() -> None:
    plan = [todo(1, "completed"), todo(2, "in_progress", after=(1,)), todo(3, after=(2,)), todo(4)]
    endings = [
        ClosedTodo(3, "completed", "Three."),
        ClosedTodo(2, "completed", "Two."),
        ClosedTodo(4, "cancelled", "Not needed."),
        ClosedTodo(1, "failed", "It has ended before."),
    ]
    after = closed(plan, endings, NOW)
    assert [(each.status, each.result, each.error) for each in after] == [
        ("completed", None, None),
        ("completed", "Two.", None),
        ("completed", "Three.", None),
        ("cancelled", None, "Not needed."),
    ]
    assert after[1].dependencies == (10,)
    assert all(each.completed_at == NOW for each in after[1:])
    assert closed(after, endings, NOW) == after  # idempotent


@pytest.mark.parametrize(
    ("endings", "message"),
    [
        ([], "Still open: todo 1 (“T1”); todo 2 (“T2”)"),
        ([ClosedTodo(1, "completed", "x")], "Still open: todo 2"),
        ([ClosedTodo(3, "completed", "x")], "no todo 3"),
        ([ClosedTodo(1, "failed", "x"), ClosedTodo(2, "completed", "x")], "depends on todo 1"),
    ],
)
def test_a_plan_does_not_end_with_something_left_out(endings: list[ClosedTodo], message: str) -> None:
    with pytest.raises(PlanError) as caught:
        closed([todo(1), todo(2, after=(1,))], endings, NOW)
    assert message in str(caught.value)
