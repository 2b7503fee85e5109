"""Formats the events of a run as lines for people: steps, tools, todos, sub-agents, questions."""

from collections.abc import Mapping, Sequence

from echomind.cli.answers.tool_names import approval_question, tool_label
from echomind.cli.conversations.run_lines import RunLines
from echomind.cli.rendering import one_line
from echomind_lib.models import public

_MARKS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]", "cancelled": "[-]", "failed": "[!]"}


class Activity:
    """Formats the events of a run and its sub-runs as lines, indented by depth."""

    def __init__(self, depths: Mapping[str, int]) -> None:
        """Starts without any events.

        Args:
            depths: Depth of each run, by its ID; may be extended.
        """
        self._depths = depths
        self._plans: dict[str, list[public.Todo]] = {}
        self._texts: dict[str, RunLines] = {}

    def lines(self, event: "public.SessionEvent") -> list[str]:
        """Returns the lines to print for an event; none for states that are visible anyway: queued, running, done."""
        depth = self._depths.get(event.run_id, 0)
        return ["  " * depth + line for line in self._lines(event, depth)]

    def _lines(self, event: "public.SessionEvent", depth: int) -> list[str]:
        if event.run_text is not None:
            return self._texts.setdefault(event.run_id, RunLines(_name(event))).added(event.run_text)
        if event.todos is not None:
            return self._changes(event.run_id, event.todos.todos)
        if event.input_requested is not None and event.input_requested.pending_input is not None:
            return question_lines(event.run_id, event.input_requested.pending_input)
        if event.tool_call is not None:
            return _tool_lines(event.text, event.tool_call)
        if event.finished is not None:
            error = f": {event.finished.error.message}" if event.finished.error else ""
            written = self._texts.pop(event.run_id, None)
            rest = written.rest() if written else []
            return [*rest, f"· {_name(event)} {event.finished.status.word}{error}"] if depth else []
        shown = {public.RunStatus.WAITING_FOR_CHILDREN, public.RunStatus.PAUSED}
        if event.text.startswith("Waiting"):
            shown.add(public.RunStatus.QUEUED)
        if event.status is not None and event.status.status in shown:
            return [f"· {event.text or event.status.status.word.replace('_', ' ').capitalize()}"]
        if event.text and event.kind in {
            public.SessionEventKind.PROGRESS,
            public.SessionEventKind.WARNING,
            public.SessionEventKind.ERROR,
        }:
            return [f"· {event.text}"]
        return []

    def _changes(self, run_id: str, plan: "list[public.Todo]") -> list[str]:
        """Returns the whole plan if its todos have changed, or else those whose status has changed."""
        before, self._plans[run_id] = self._plans.get(run_id, []), plan
        if [(todo.id, todo.title) for todo in before] != [(todo.id, todo.title) for todo in plan]:
            return checklist(plan)
        old = {todo.id: todo.status for todo in before}
        return [todo_line(todo) for todo in plan if todo.status is not old[todo.id]]


def _name(event: "public.SessionEvent") -> str:
    return event.member or "Sub-agent"


def checklist(plan: "Sequence[public.Todo]") -> list[str]:
    """Returns a plan with its heading."""
    done = sum(todo.status.word == "completed" for todo in plan)
    return [f"Todos, {done} of {len(plan)} done:", *(f"  {todo_line(todo)}" for todo in plan)]


def todo_line(todo: "public.Todo") -> str:
    """Returns a todo in one line: mark, number, title, and result."""
    outcome = todo.error or todo.result
    return f"{_MARKS.get(todo.status.word, '[ ]')} {todo.order_index}. {todo.title}" + (
        f" - {one_line(outcome, 100)}" if outcome else ""
    )


def question_lines(run_id: str, pending: "public.PendingInput") -> list[str]:
    """Returns the question of a run that waits for input, and how to answer it."""
    is_approval = pending.kind is public.PendingInputKind.APPROVAL
    lines = [f"? {approval_question(pending.tool_calls) if is_approval else pending.question}"]
    lines += [f"  {number}) {option}" for number, option in enumerate(pending.options, 1)]
    if pending.kind is not public.PendingInputKind.CLARIFICATION:
        lines += [f"  {approval_text(call)} [{call.tool_call_id}]" for call in pending.tool_calls]
    if is_approval:
        lines.append(f"  `echomind runs approve {run_id}` approves it, `echomind runs deny {run_id}` denies it.")
    else:
        lines.append(f'  `echomind runs input {run_id} "TEXT"` answers it.')
    return lines


def chosen(text: str, options: "Sequence[str]") -> str:
    """Returns the user's answer: the offered answer with that number, or else the text."""
    is_choice = text.strip().isdecimal() and 0 < int(text) <= len(options)
    return options[int(text) - 1] if is_choice else text


def call_text(call: "public.ToolCall | public.RequestedToolCall") -> str:
    """Returns a tool call in one line: `name(parameter=value)`."""
    return f"{call.tool_name}({_parameters(call)})"


def approval_text(call: "public.PendingToolCall") -> str:
    """Returns a call that a person decides on: `Name (parameter=value)`, with the tool's name for people."""
    return f"{tool_label(call.tool_name)} ({_parameters(call)})"


def _parameters(call: "public.ToolCall | public.PendingToolCall | public.RequestedToolCall") -> str:
    return one_line(", ".join(f"{name}={value!r}" for name, value in (call.parameters or {}).items()), 150)


def _tool_lines(text: str, call: "public.ToolCallChanged") -> list[str]:
    if call.status in {public.StepStatus.FAILED, public.StepStatus.TIMEOUT} and call.error_message:
        return [f"· {tool_label(call.tool_name)} failed: {one_line(call.error_message, 200)}"]
    done = call.progress_percentage or 0
    percent = f" ({done} %)" if call.status is public.StepStatus.RUNNING and 0 < done < 100 else ""
    return [f"· {text}{percent}"] if text else []
