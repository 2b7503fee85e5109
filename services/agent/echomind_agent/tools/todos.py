"""Planning tools: an agent writes the todos of its run, and updates their status."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from echomind_agent.toolset.registry import ToolContext, ToolError, tool
from echomind_lib.plans import todos as plans
from echomind_lib.plans.rules import MAX_TODOS, ClosedTodo, PlanError, Todo, WrittenTodo, next_todos
from echomind_lib.text import normalized

_RESULT_SHOWN = 200
_MAX_OFFERED = 3
"""Maximum number of next todos that are suggested to a model."""
FINISH_GOAL: Final = "finish_goal"
_MARKS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]", "cancelled": "[-]", "failed": "[!]"}


class PlannedTodo(BaseModel):
    """One todo of the plan."""

    model_config = ConfigDict(extra="forbid")

    number: Annotated[
        int,
        Field(ge=1, le=10_000, description="The number of a todo of the plan, to change it, or a free one for a new."),
    ]
    title: Annotated[
        str,
        Field(min_length=1, max_length=500, description="What to do and how one sees that it is done, in one line."),
    ]
    description: Annotated[
        str, Field(max_length=2000, description="What else matters for it; leave it out when the title says all.")
    ] = ""
    depends_on: Annotated[
        list[Annotated[int, Field(ge=1)]],
        Field(max_length=MAX_TODOS, description="Numbers of the todos that must be completed before it can begin."),
    ] = []
    priority: Annotated[int, Field(ge=-100, le=100, description="Higher is more important.")] = 0
    estimated_steps: Annotated[int, Field(ge=0, le=1000, description="How many steps it will take; 0: unknown.")] = 0
    estimated_tokens: Annotated[
        int, Field(ge=0, le=2_000_000_000, description="How many tokens it will take; 0: unknown.")
    ] = 0


def plan_text(todos: Sequence[Todo]) -> str:
    """Returns a plan as text for a model: one line per todo, with the numbers that the tools use."""
    if not todos:
        return "The plan has no todos."
    numbers = {todo.id: todo.number for todo in todos}
    done = sum(todo.status == "completed" for todo in todos)
    lines = [f"The plan, {done} of {len(todos)} completed ([ ] pending, [>] in progress, [x] completed):"]
    for todo in todos:
        waits = ", ".join(str(numbers[each]) for each in todo.dependencies if each in numbers)
        outcome = todo.error or todo.result or ""
        lines.append(
            f"{todo.number}. {_MARKS[todo.status]} {todo.title}"
            + (f" (after {waits})" if waits and todo.status == "pending" else "")
            + (f" ({todo.status})" if todo.status in ("cancelled", "failed") else "")
            + (f" - {' '.join(outcome.split())[:_RESULT_SHOWN]}" if outcome else "")
        )
    if following := next_todos(todos):
        lines.append(f"Next: {'; '.join(f'{todo.number}. {todo.title}' for todo in following[:_MAX_OFFERED])}")
    return "\n".join(lines)


@tool(progress=lambda given: f"Planning {len(given.todos)} todo{'' if len(given.todos) == 1 else 's'}")
async def write_todos(
    context: ToolContext,
    todos: Annotated[
        list[PlannedTodo], Field(max_length=MAX_TODOS, description="The whole plan in the order of work.")
    ],
) -> str:
    """Writes your plan: the todos that lead to the goal, in order.

    Use it at the beginning of work that takes more than two or three steps, and again when what you learn changes the
    plan. Make each todo one result that can be checked, small enough for a few steps; let it depend on those whose
    results it needs, and on no others, so that independent ones can be done at the same time. Give the whole plan each
    time: pending todos that you leave out are removed, those that were begun or have ended stay. Keep the numbers of
    todos that are there; the answer tells the plan with its numbers as they are then. Do not use it for simple
    questions.
    """
    try:
        plan = await plans.write_plan(context.log, context.lease, [_written(todo) for todo in todos])
    except PlanError as error:
        raise ToolError(str(error)) from error
    return plan_text(plan)


@tool(
    progress=lambda given: f"Todo {given.number}: {given.status.replace('_', ' ')}",
    milestone=lambda given: given.status == "completed",
)
async def update_todo(
    context: ToolContext,
    number: Annotated[int, Field(ge=1, description="The number of the todo in the plan.")],
    status: Annotated[
        Literal["pending", "in_progress", "completed", "cancelled", "failed"],
        Field(
            description="in_progress before you begin, completed when its result is there, cancelled when it is not "
            "needed any more, failed when it cannot be done, pending to put it back."
        ),
    ],
    result: Annotated[
        str | None, Field(max_length=4000, description="With completed: what came of it, in a sentence or two.")
    ] = None,
    error: Annotated[str | None, Field(max_length=2000, description="With failed: why it cannot be done.")] = None,
) -> str:
    """Says how far a todo of your plan is.

    Set a todo to in_progress before you work on it, and to completed as soon as it is done, not several at the end;
    complete only what is really done. A todo can begin only when those that it depends on are completed. When one
    fails, write the plan again around it or say so in your answer.
    """
    try:
        plan = await plans.update(context.log, context.lease, number, status, _normalized(result), _normalized(error))
    except PlanError as failure:
        raise ToolError(str(failure)) from failure
    return plan_text(plan)


class EndedTodo(BaseModel):
    """The outcome of an open todo."""

    model_config = ConfigDict(extra="forbid")

    number: Annotated[int, Field(ge=1, description="The number of the todo in the plan.")]
    status: Annotated[
        Literal["completed", "cancelled", "failed"],
        Field(description="completed when its result is there, cancelled when it is not needed, failed otherwise."),
    ]
    reason: Annotated[
        str, Field(min_length=1, max_length=2000, description="What came of it, or why it is not done, in a sentence.")
    ]


class FinishedGoal(BaseModel):
    """The outcome that a successful call of `finish_goal` has reported; its todos are in the plan."""

    model_config = ConfigDict(extra="ignore")

    outcome: Literal["reached", "not_reached"]
    summary: str

    @property
    def is_reached(self) -> bool:
        """Returns whether the goal was reached."""
        return self.outcome == "reached"


@tool(
    name=FINISH_GOAL,
    progress=lambda given: f"Finishing: the goal is {given.outcome.replace('_', ' ')}",
    milestone=lambda _: True,
)
async def finish_goal(
    context: ToolContext,
    outcome: Annotated[
        Literal["reached", "not_reached"],
        Field(description="reached when what was asked for is there, also if some todos turned out not to be needed."),
    ],
    summary: Annotated[  # noqa: ARG001 - the run's answer, which the loop writes
        str,
        Field(
            min_length=1,
            max_length=50_000,
            description="Your answer to the person, complete, with the numbers of its sources as in any answer; with "
            "not_reached: how far you came and what is in the way.",
        ),
    ],
    todos: Annotated[
        list[EndedTodo], Field(max_length=MAX_TODOS, description="How each todo ends that is still open.")
    ] = [],  # noqa: B006 - Pydantic copies it
) -> str:
    """Ends your work on the goal; nothing follows after it.

    Use it when the goal is reached although todos are open, or when it cannot be reached, and say so honestly. Every
    todo that is open must be among `todos`. When all todos are done you can also simply give your answer; without a
    plan, only this tool ends the goal.
    """
    endings = [ClosedTodo(todo.number, todo.status, normalized(todo.reason)) for todo in todos]
    try:
        await plans.close(context.log, context.lease, endings)
    except PlanError as error:
        raise ToolError(str(error)) from error
    return f"The goal is {outcome.replace('_', ' ')}."


TODO_TOOLS = frozenset({write_todos.name, update_todo.name, FINISH_GOAL})


def _written(todo: PlannedTodo) -> WrittenTodo:
    values: dict[str, Any] = todo.model_dump()
    title = " ".join(normalized(todo.title).split()) or "?"
    return WrittenTodo(**values | {"title": title, "description": normalized(todo.description)})


def _normalized(text: str | None) -> str | None:
    return None if text is None else normalized(text)
