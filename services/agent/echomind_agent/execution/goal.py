"""The todos of a run: the open ones, their usage, and the checkpoint when all are done."""

from collections.abc import Sequence

from echomind_agent.state.call import OpenStep
from echomind_agent.state.context import ModelContext
from echomind_agent.state.run import RunState
from echomind_agent.text.shortening import one_line
from echomind_agent.tools.todos import FINISH_GOAL, TODO_TOOLS
from echomind_lib.conversations import checkpoints
from echomind_lib.llms import Usage
from echomind_lib.plans import todos
from echomind_lib.plans.rules import OPEN, Todo, next_todos
from echomind_lib.plans.spending import spend

_MAX_REMINDERS = 3
"""Maximum number of consecutive reminders of open todos before an autonomous run ends."""
_MAX_NAMED = 10
"""Maximum number of open todos in the error of an unreached goal."""
_OUTCOME_MISSING = (
    "You work towards a goal without a plan, so nothing shows that it is reached. If work is left, continue with it. "
    f"Otherwise call {FINISH_GOAL} with the outcome, because text alone does not end the goal. Its summary is shown "
    "below your text: do not repeat that."
)
"""The reminder for a run without todos."""
_NOT_REPORTED = "The goal was not reached: the agent did not report that it is."
_TITLE_CHARACTERS = 120
_SUMMARY_CHARACTERS = 500


class GoalProgress:
    """The progress of a run with its todos."""

    def __init__(self, state: RunState, context: ModelContext) -> None:
        self._state, self._context = state, context
        self.reminders = 0
        """Number of consecutive reminders to the model."""

    async def reminder(self) -> str:
        """Returns the reminder for the model after text without calls; empty if the text is its answer."""
        if not self._state.run.auto_run or self.reminders >= _MAX_REMINDERS:
            return ""
        plan = await todos.plan_of(self._state.log.pool, self._state.run.id)
        left = [todo for todo in plan if todo.status in OPEN]
        if not left and not self._needs_outcome(plan):
            return ""
        self.reminders += 1
        if not left:
            return _OUTCOME_MISSING
        return (
            "These todos are still open: "
            + "; ".join(f"{todo.number}. {todo.title}" for todo in in_order(left))
            + ". Continue with them, in this order. Mark those that are done as completed, and those that cannot be "
            f"done as failed or cancelled. When none is open, give your answer; or call {FINISH_GOAL}, which ends them."
        )

    async def problem(self, steps: int) -> str:
        """Returns why text without calls does not end the run's goal; empty if the text is its answer.

        Args:
            steps: The step limit, if it ended the run; otherwise 0.
        """
        if not self._state.run.auto_run:
            return ""
        plan = await todos.plan_of(self._state.log.pool, self._state.run.id)
        if left := [todo for todo in plan if todo.status in OPEN]:
            return unreached(left, steps)
        return unreached([], steps) if self._needs_outcome(plan) else ""

    def _needs_outcome(self, plan: Sequence[Todo]) -> bool:
        """Returns whether only the agent can say that the goal is reached: no todo says so, and it has the tool."""
        return not plan and FINISH_GOAL in self._context.tools

    async def not_done(self) -> list[Todo]:
        """Returns the todos of the run's plan that are required and not completed."""
        plan = await todos.plan_of(self._state.log.pool, self._state.run.id)
        return [todo for todo in plan if todo.status not in ("completed", "cancelled")]

    async def count(self, step: OpenStep, usage: Usage) -> None:
        """Counts a settled step for the todos in progress, and creates a checkpoint once a whole plan is done.

        Raises:
            LeaseLostError: The worker no longer holds the run.
        """
        if not self._context.has_plan:
            return
        state = self._state
        tokens = usage.prompt_tokens + usage.completion_tokens
        await spend(state.log, state.lease, 1, tokens, step_id=step.id)
        if not any(call.request.name in TODO_TOOLS for call in step.calls):
            return
        plan = await todos.plan_of(state.log.pool, state.run.id)
        is_done = any(todo.status == "completed" for todo in plan)
        if is_done and not any(todo.status in OPEN for todo in plan):
            await checkpoints.create_in_run(state.log, state.lease, "milestone", "All todos are done", step.number)


def in_order(left: Sequence[Todo]) -> list[Todo]:
    """Returns open todos in order of execution: those that can be executed now, then those that have to wait."""
    ready = next_todos(left)
    return [*ready, *(todo for todo in left if todo not in ready)]


def unreached_by(summary: str, left: Sequence[Todo]) -> str:
    """Returns the error of a goal that the run itself has reported as not reached.

    Args:
        summary: The run's summary.
        left: The todos that are not done, with the reasons.
    """
    message = f"The goal was not reached: {one_line(summary, _SUMMARY_CHARACTERS)}"
    named = "; ".join(_with_reason(todo) for todo in left[:_MAX_NAMED])
    if (more := len(left) - _MAX_NAMED) > 0:
        named = f"{named}; and {more} more"
    return f"{message} Not done: {named}." if left else message


def _with_reason(todo: Todo) -> str:
    title = f"{todo.number}. {one_line(todo.title, _TITLE_CHARACTERS)}"
    return f"{title} ({one_line(todo.error, _TITLE_CHARACTERS)})" if todo.error else title


def unreached(left: Sequence[Todo], steps: int) -> str:
    """Returns the error of a goal that was not reached.

    Args:
        left: The open todos; empty if the run has no plan and has not reported an outcome.
        steps: The step limit, if it ended the run; otherwise 0.
    """
    named = "; ".join(f"{todo.number}. {one_line(todo.title, _TITLE_CHARACTERS)}" for todo in left[:_MAX_NAMED])
    if (more := len(left) - _MAX_NAMED) > 0:
        named = f"{named}; and {more} more"
    subject = f"the todo “{named}” is" if len(left) == 1 else f"the todos “{named}” are"
    message = f"The goal was not reached: {subject} still open." if left else _NOT_REPORTED
    return f"{message} The run has taken its {steps} steps." if steps else message
