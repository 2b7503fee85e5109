"""`echomind todos`: the plan of a conversation."""

from dataclasses import dataclass
from itertools import groupby
from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.conversations.activity import checklist, todo_line
from echomind.cli.conversations.run_inspection import checked
from echomind.cli.help_format import CommandGroup
from echomind.cli.options import FieldOptions, given
from echomind.cli.rendering import counted
from echomind.cli.terminal import NothingToChangeError
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("Todos: the plans of a session.")

SessionId = Annotated[
    int, typer.Argument(metavar="SESSION", help="Id of the session.", autocompletion=completion.sessions, min=1)
]
TodoId = Annotated[int, typer.Argument(metavar="ID", help="Id of the todo, which the list shows.", min=1)]


@dataclass(frozen=True, kw_only=True)
class TodoOptions(FieldOptions, message="Todo"):
    """Options of a todo beside its title."""

    description: str | None = None
    dependencies: Annotated[
        list[int] | None,
        typer.Option("--after", metavar="ID", help="Id of a todo that must be done before; repeatable."),
    ] = None
    priority: int | None = None
    estimated_steps: int | None = None
    estimated_tokens: int | None = None


@app.command("list")
async def list_todos(
    api: Api,
    session_id: SessionId,
    run: Annotated[
        str,
        typer.Option(metavar="RUN", help="Only todos of this run.", autocompletion=completion.runs, show_default="all"),
    ] = "",
) -> None:
    """List the todos of a session: people's, then those of its runs.

    `after` names the ids of todos that must be done before.
    """
    request = {"chat_session_id": session_id} | ({"run_id": checked(run)} if run else {})
    todos = (await api.client.collect(public.TodoService.list_todos, request, limit=100_000)).todos
    api.terminal.json({"todos": todos})
    for run_id, plan in groupby(todos, lambda todo: todo.run_id):
        mine = list(plan)
        heading, *lines = checklist(mine)
        api.terminal.line(f"{heading} (run {run_id})" if run_id else heading)
        for todo, line in zip(mine, lines, strict=True):
            waits = ", ".join(map(str, todo.dependencies))
            about = [f"id {todo.id}", f"after {waits}" if waits else "", *_effort(todo)]
            api.terminal.line(f"{line} [{', '.join(filter(None, about))}]")
    if not todos:
        api.terminal.note("There is no todo.")


def _effort(todo: "public.Todo") -> list[str]:
    """Returns a todo's actual and estimated effort."""
    figures = (("step", todo.actual_steps, todo.estimated_steps), ("token", todo.actual_tokens, todo.estimated_tokens))
    return [
        f"{actual} of {counted(estimated, unit)}" if estimated else counted(actual, unit)
        for unit, actual, estimated in figures
        if actual or estimated
    ]


@app.command("add")
async def add_todo(
    api: Api,
    session_id: SessionId,
    title: Annotated[str, typer.Argument(help="Title of the todo.")],
    options: TodoOptions = TodoOptions(),
) -> None:
    """Add a todo at the end of the plan of a session."""
    fields = {"title": title} | options.given_fields()
    todo = await api.client.call(public.TodoService.create_todo, {"chat_session_id": session_id, "todo": fields})
    _report(api, todo, "Added")


@app.command("update")
async def update_todo(
    api: Api,
    todo_id: TodoId,
    title: Annotated[str | None, typer.Option(help="New title.")] = None,
    status: Annotated[words.TodoStatus | None, typer.Option(help="Status.")] = None,
    after_none: Annotated[bool, typer.Option("--after-none", help="Depend on no other todo.")] = False,
    result: Annotated[str | None, typer.Option(help="Result.")] = None,
    error: Annotated[str | None, typer.Option(help="Why it failed.")] = None,
    options: TodoOptions = TodoOptions(),
) -> None:
    """Change a todo."""
    fields = options.given_fields() | given(
        title=title,
        status=public.TodoStatus.from_word(status) if status else None,
        dependencies=[] if after_none else None,
        result=result,
        error=error,
    )
    if not fields:
        raise NothingToChangeError("Say what to change, for example --status.")
    _report(api, await api.client.call(public.TodoService.update_todo, {"id": todo_id, "todo": fields}), "Now")


@app.command("remove")
async def remove_todo(api: Api, todo_id: TodoId, yes: Yes = False) -> None:
    """Remove a todo; other todos no longer depend on it."""
    todo = await api.client.call(public.TodoService.get_todo, {"id": todo_id})
    await confirm(api.terminal, f"Remove the todo {todo.title}", yes=yes)
    await api.client.call(public.TodoService.delete_todo, {"id": todo_id})
    api.terminal.report({"id": str(todo.id), "title": todo.title}, f"Removed {todo.title}.")


def _report(api: Api, todo: "public.Todo", done: str) -> None:
    api.terminal.report(todo, f"{done}: {todo_line(todo)} [id {todo.id}]")
