"""Background sections of a prompt: the goal, what a program requires, and earlier context."""

from echomind_agent.prompts.history import History
from echomind_agent.prompts.sections import Material
from echomind_agent.text.shortening import one_line
from echomind_lib.runs.record import RunRecord


def background_sections(run: RunRecord, history: History) -> list[Material]:
    """Returns the sections of the system message that are shortened to their budgets, in order.

    All budgets together are the whole room; but sub-runs have no history, and only they have inherited context, so at
    least half of the room is left.
    """
    return [
        Material(name="goal", title="What the person wants to reach with this conversation:", text=_goal(run), share=8),
        Material(
            name="caller_instructions",
            title="What the program that asks requires; your instructions above come first:",
            text=_instructions(run),
            share=8,
        ),
        Material(
            name="inherited_context",
            title="What the agent that started you knows so far:",
            text=run.inherited_context or "",
            share=2,
        ),
        Material(
            name="conversation_summary",
            title="What was said earlier in this conversation, in short:",
            text=history.summary,
            share=4,
        ),
        Material(
            name="important_steps",
            title="What was done earlier in this conversation:",
            text="\n".join(f"- {one_line(step)}" for step in history.important_steps),
            share=16,
        ),
        Material(
            name="memories",
            title="What you remember of the person; what they say now counts:",
            text="\n".join(history.memories),
            share=24,
        ),
    ]


def _instructions(run: RunRecord) -> str:
    caller = run.caller
    return caller.instructions if caller else ""


def _goal(run: RunRecord) -> str:
    if not run.is_root:
        return ""
    goal = run.goal or run.session.goal or ""
    return "" if goal == run.input else goal  # the question contains it
