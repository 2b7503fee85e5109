"""Rules for a plan of todos: status transitions and dependencies. No I/O happens here.

A plan consists of the todos of one run, or of a session's todos that belong to no run: those of people. Its todos are
numbered from 1 without gaps. A run's todo depends only on todos of its own plan, a person's on any of the session.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from graphlib import CycleError, TopologicalSorter
from typing import Final
from uuid import UUID

from echomind_lib.db.words import TodoStatus

MAX_TODOS: Final = 100
"""Maximum number of todos in a plan."""
OPEN: Final[frozenset[TodoStatus]] = frozenset({"pending", "in_progress"})
"""Statuses of a todo that has not ended."""

TRANSITIONS: Final[Mapping[TodoStatus, frozenset[TodoStatus]]] = {
    "pending": frozenset({"in_progress", "completed", "failed", "cancelled"}),
    "in_progress": frozenset({"pending", "completed", "failed", "cancelled"}),
    "completed": frozenset({"pending", "in_progress"}),
    "failed": frozenset({"pending", "in_progress", "cancelled"}),
    "cancelled": frozenset({"pending", "in_progress"}),
}
"""Allowed transitions, from the key to any of the values; an ended todo may be reopened."""


class PlanError(Exception):
    """A plan is not valid; the message says why and what to do, for users and models."""


@dataclass(frozen=True, slots=True)
class Todo:
    """A todo as stored, without its usage."""

    id: int
    run_id: UUID | None
    number: int
    title: str
    description: str | None = None
    status: TodoStatus = "pending"
    dependencies: tuple[int, ...] = ()
    """Ids of the todos that must be completed before it can begin."""
    priority: int = 0
    estimated_steps: int | None = None
    estimated_tokens: int | None = None
    result: str | None = None
    error: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    duration_seconds: int | None = None

    def __str__(self) -> str:
        title = self.title if len(self.title) <= 80 else self.title[:79] + "…"
        return f"todo {self.number} (“{title}”)"


@dataclass(frozen=True, slots=True)
class ClosedTodo:
    """The outcome of a todo at the end of its goal."""

    number: int
    status: TodoStatus
    """A status that is not open."""
    reason: str
    """Its result, or the reason why it is not done."""


@dataclass(frozen=True, slots=True)
class WrittenTodo:
    """A todo as an agent writes it. An ended todo keeps everything but its position."""

    number: int
    """The number of an existing todo to change, or an unused number for a new todo."""
    title: str
    description: str | None = None
    depends_on: Sequence[int] = field(default_factory=tuple)
    """Numbers of todos in this version of the plan."""
    priority: int = 0
    estimated_steps: int | None = None
    estimated_tokens: int | None = None


def written(plan: Sequence[Todo], todos: Sequence[WrittenTodo], run_id: UUID, new_ids: Iterable[int]) -> list[Todo]:
    """Returns a run's plan after a write by the agent, renumbered from 1.

    Pending todos that are missing from `todos` are removed. Missing todos that were started or have ended are kept,
    before the written ones.

    Args:
        plan: The plan so far, in order.
        todos: The todos to write, in order.
        run_id: The run.
        new_ids: Ids for new todos, at least as many as there are new todos.

    Raises:
        PlanError: Two todos have the same number, a dependency does not exist, or an ended todo has another title.
    """
    numbers = [todo.number for todo in todos]
    if twice := sorted({number for number in numbers if numbers.count(number) > 1}):
        raise PlanError(f"The number {twice[0]} is given twice. Give each todo a number of its own.")
    before = {todo.number: todo for todo in plan}
    kept = [todo for todo in plan if todo.number not in numbers and todo.status != "pending"]
    if len(kept) + len(todos) > MAX_TODOS:
        raise PlanError(f"A plan may have {MAX_TODOS} todos at most: make it coarser.")
    ids = iter(new_ids)
    places = {todo.number: todo.id for todo in kept}
    places |= {number: before[number].id if number in before else next(ids) for number in numbers}
    after = [*kept]
    for todo in todos:
        old = before.get(todo.number)
        if old is not None and old.status not in OPEN:
            if old.title != todo.title:
                raise PlanError(
                    f"{_capital(old)} is {_word(old)} already and cannot become another one. Leave it out or keep its "
                    f"title, and number new todos from {max(before) + 1} on."
                )
            after.append(old)
            continue
        if unknown := [number for number in todo.depends_on if number not in places]:
            raise PlanError(
                f"Todo {todo.number} depends on {unknown[0]}, which is the number of no todo. The plan has "
                f"{', '.join(map(str, sorted(places)))}."
            )
        after.append(
            replace(
                old or Todo(places[todo.number], run_id, 0, todo.title),
                title=todo.title,
                description=todo.description or None,
                dependencies=tuple(dict.fromkeys(places[number] for number in todo.depends_on)),
                priority=todo.priority,
                estimated_steps=todo.estimated_steps or None,
                estimated_tokens=todo.estimated_tokens or None,
            )
        )
    return numbered(after)


def numbered(plan: Iterable[Todo]) -> list[Todo]:
    """Returns todos of one plan, in order, with numbers from 1 without gaps."""
    return [replace(todo, number=number) for number, todo in enumerate(plan, 1)]


def without(todos: Iterable[Todo], removed: Iterable[int]) -> list[Todo]:
    """Returns the remaining todos, without dependencies on removed ones."""
    ids = frozenset(removed)
    return [
        replace(todo, dependencies=tuple(each for each in todo.dependencies if each not in ids))
        if ids.intersection(todo.dependencies)
        else todo
        for todo in todos
        if todo.id not in ids
    ]


def moved(todo: Todo, status: TodoStatus, todos: Iterable[Todo], now: datetime) -> Todo:
    """Returns a todo with another status, and with its times.

    Args:
        todo: The todo.
        status: The new status; the current one changes nothing.
        todos: All todos that it may depend on.
        now: The current time.

    Raises:
        PlanError: The transition is not allowed, or it depends on todos that are not completed.
    """
    if status == todo.status:
        return todo
    if status not in TRANSITIONS[todo.status]:
        allowed = ", ".join(sorted(TRANSITIONS[todo.status]))
        raise PlanError(f"{_capital(todo)} is {_word(todo)} and cannot become {status}. It can become: {allowed}.")
    if status in ("in_progress", "completed"):
        _require_completed(todo, {other.id: other for other in todos}, status)
    started_at = None if status == "pending" else todo.started_at
    if status in ("in_progress", "completed", "failed"):
        started_at = started_at or now
    ended = status not in OPEN
    return replace(
        todo,
        status=status,
        started_at=started_at,
        completed_at=now if ended else None,
        duration_seconds=int((now - started_at).total_seconds()) if ended and started_at else None,
        result=todo.result if ended else None,
        error=todo.error if ended else None,
    )


def closed(plan: Sequence[Todo], todos: Sequence[ClosedTodo], now: datetime) -> list[Todo]:
    """Returns a plan without open todos.

    Args:
        plan: The plan, in order.
        todos: Outcomes of the open todos; others are unchanged.
        now: The current time.

    Raises:
        PlanError: A todo is still open or does not exist, or a completed one depends on one that is not completed.
    """
    endings = {todo.number: todo for todo in todos}
    known = {todo.number for todo in plan}
    if unknown := [number for number in endings if number not in known]:
        raise PlanError(f"There is no todo {unknown[0]} in the plan.")
    if left := [todo for todo in plan if todo.status in OPEN and todo.number not in endings]:
        raise PlanError(f"Still open: {'; '.join(map(str, left))}. Give each of them a status and a reason.")
    after = [
        _ended(todo, endings[todo.number], now) if todo.number in endings and todo.status in OPEN else todo
        for todo in plan
    ]
    states = {todo.id: todo for todo in after}
    for before, todo in zip(plan, after, strict=True):
        if before.status in OPEN and todo.status == "completed":
            _require_completed(todo, states, "completed")
    return after


def _ended(todo: Todo, ending: ClosedTodo, now: datetime) -> Todo:
    # Dependencies are checked by `closed`, once all todos have their outcome.
    ended = moved(replace(todo, dependencies=()), ending.status, (), now)
    ended = replace(ended, dependencies=todo.dependencies)
    is_done = ending.status == "completed"
    return replace(ended, result=ending.reason) if is_done else replace(ended, error=ending.reason)


def next_todos(plan: Sequence[Todo]) -> list[Todo]:
    """Returns the todos that can be executed now, in order.

    Todos in progress come first, then pending ones whose dependencies are completed; each by priority, the higher
    first, then by number.
    """
    states = {todo.id: todo.status for todo in plan}
    ready = [
        todo
        for todo in plan
        if todo.status in OPEN and all(states.get(each, "completed") == "completed" for each in todo.dependencies)
    ]
    return sorted(ready, key=lambda todo: (todo.status != "in_progress", -todo.priority, todo.number))


def check(todos: Sequence[Todo], run_id: UUID | None) -> None:
    """Raises `PlanError` unless the dependencies of a plan can be met.

    Args:
        todos: All todos on which the plan's may depend, including its own.
        run_id: ID of the run of the plan.

    Raises:
        PlanError: A todo depends on itself, on a missing todo, on a todo of another plan or in a cycle, or is in
            progress while it depends on a todo that is not completed.
    """
    known = {todo.id: todo for todo in todos}
    plan = [todo for todo in todos if todo.run_id == run_id]
    for todo in plan:
        for each in todo.dependencies:
            if each == todo.id:
                raise PlanError(f"{_capital(todo)} cannot depend on itself.")
            if each not in known:
                raise PlanError(f"{_capital(todo)} cannot depend on {each}: there is no such todo here.")
            if run_id is not None and known[each].run_id != run_id:
                raise PlanError(f"{_capital(todo)} cannot depend on {known[each]}, which belongs to another plan.")
    try:
        TopologicalSorter({todo.id: todo.dependencies for todo in plan}).prepare()
    except CycleError as error:
        circle = [known[each] for each in reversed(error.args[1])]
        raise PlanError(
            f"The dependencies form a circle: {' depends on '.join(map(str, circle))}. Remove one of them."
        ) from None
    for todo in plan:
        if todo.status == "in_progress":
            _require_completed(todo, known, "in_progress")


def _require_completed(todo: Todo, known: Mapping[int, Todo], status: TodoStatus) -> None:
    open_ones = [known[each] for each in todo.dependencies if each in known and known[each].status != "completed"]
    if open_ones:
        names = ", ".join(f"{each}, which is {_word(each)}" for each in open_ones)
        raise PlanError(
            f"{_capital(todo)} cannot be {status.replace('_', ' ')}: it depends on {names}. Complete that first, or "
            "change the dependencies."
        )


def _capital(todo: Todo) -> str:
    return "T" + str(todo)[1:]


def _word(todo: Todo) -> str:
    return todo.status.replace("_", " ")
