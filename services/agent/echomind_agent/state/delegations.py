"""The tasks that a leader delegates to its members, with limits against endless delegation."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from echomind_agent.state.call import Call
from echomind_agent.tools.delegation import DELEGATE
from echomind_agent.toolset.registry import ToolError

MAX_IN_STEP: Final = 8
"""Maximum number of tasks in one answer of a leader."""
MAX_IN_RUN: Final = 16
"""Maximum number of tasks in one run."""
_MAX_FRUITLESS = 2
"""Consecutive steps without a new task after which the leader must answer."""
_MAX_TIMES = 2
"""How often a member may be given the same task; the second time only returns the first result."""


@dataclass(slots=True)
class _Task:
    """A task that was given to a member."""

    times: int = 0
    call: Call | None = None
    """The last call for this task that was executed."""


@dataclass(slots=True)
class Delegations:
    """The tasks of one run. Call `admit` for each step in order, before its calls are executed."""

    max_in_step: int = MAX_IN_STEP
    """Maximum number of tasks in one answer."""
    given: int = 0
    """Number of tasks given to members."""
    _fruitless: int = 0
    _tasks: dict[tuple[str, str], _Task] = field(default_factory=dict)

    def admit(self, calls: Iterable[Call]) -> None:
        """Decides for each task in a step whether it is executed; otherwise sets the call's problem or known result.

        For a step recorded by an earlier attempt, the decisions are the same.
        """
        in_step = asked = 0
        for call in calls:
            if (key := _key(call)) is None:
                continue
            asked += 1
            task = self._tasks.setdefault(key, _Task())
            task.times += 1
            if call.external_task_id:
                is_given = True
            elif call.reply is not None:
                is_given = False
            else:
                _check(call, task, in_step, self.max_in_step, self.given)
                is_given = call.is_sub_run
            if is_given:
                task.call = call
                in_step += 1
                self.given += 1
        if asked:
            self._fruitless = 0 if in_step else self._fruitless + 1

    @property
    def is_fruitless(self) -> bool:
        """Returns whether the leader only requests refused or repeated tasks, so that it must answer."""
        return self._fruitless >= _MAX_FRUITLESS


def _check(call: Call, task: _Task, in_step: int, max_in_step: int, in_run: int) -> None:
    before = task.call
    if task.times > _MAX_TIMES:
        call.problem = "This member was given this task before, more than once. Work with what it has reported."
    elif before is not None and before.reply is None:
        call.problem = "This member is given this task by another call of the same answer already."
    elif before is not None and before.status == "completed":
        call.known = f"This member was given this task before. Its report was:\n\n{before.reply}"
    elif in_run >= MAX_IN_RUN:
        call.problem = f"A run may give {MAX_IN_RUN} tasks at most. Answer from what was reported."
    elif in_step >= max_in_step:
        tasks = f"{max_in_step} tasks" if max_in_step > 1 else "one task"
        call.problem = f"One answer may give {tasks} at most. Give this one in the next, if it is still needed."


def _key(call: Call) -> tuple[str, str] | None:
    """Returns the normalized member and task of a call; None if it is not a valid task."""
    if call.request.name != DELEGATE or call.tool is None or call.problem:
        return None
    try:
        given = call.given or call.tool.parse(call.request.arguments)
    except ToolError:
        return None
    return given.member, " ".join(given.task.casefold().split())
