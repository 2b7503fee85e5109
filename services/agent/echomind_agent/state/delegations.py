"""The tasks that a leader has given to its members: what keeps it from giving them for ever."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from echomind_agent.state.call import Call
from echomind_agent.tools.delegation import DELEGATE
from echomind_agent.toolset.registry import ToolError

MOST_IN_STEP: Final = 8
"""Most tasks that one answer of a leader may give."""
MOST_IN_RUN: Final = 16
"""Most tasks that one run may give."""
_MOST_FRUITLESS = 2
"""Steps in a row in which no member gets a task, before the leader must answer."""
_MOST_TIMES = 2
"""How often a member may be given the same task; the second time only gives the first result again."""


@dataclass(slots=True)
class _Task:
    """A task that was given to a member."""

    times: int = 0
    call: Call | None = None
    """The call whose member worked on it last."""


@dataclass(slots=True)
class Delegations:
    """The tasks of one run. Its steps come in their order: `admit` before the calls of one are made."""

    most_in_step: int = MOST_IN_STEP
    """Maximum number of tasks in one answer."""
    given: int = 0
    """Tasks that members have got."""
    _fruitless: int = 0
    _tasks: dict[tuple[str, str], _Task] = field(default_factory=dict)

    def admit(self, calls: Iterable[Call]) -> None:
        """Decides of each task in a step whether the member gets it; otherwise the call says why, or has its result.

        Of a step that an earlier attempt recorded the decisions are the same again.
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
                _check(call, task, in_step, self.most_in_step, self.given)
                is_given = call.is_sub_run
            if is_given:
                task.call = call
                in_step += 1
                self.given += 1
        if asked:
            self._fruitless = 0 if in_step else self._fruitless + 1

    @property
    def is_fruitless(self) -> bool:
        """Returns whether the leader only asks for what it may not have, or already has: then it must answer."""
        return self._fruitless >= _MOST_FRUITLESS


def _check(call: Call, task: _Task, in_step: int, most_in_step: int, in_run: int) -> None:
    before = task.call
    if task.times > _MOST_TIMES:
        call.problem = "This member was given this task before, more than once. Work with what it has reported."
    elif before is not None and before.reply is None:
        call.problem = "This member is given this task by another call of the same answer already."
    elif before is not None and before.status == "completed":
        call.known = f"This member was given this task before. Its report was:\n\n{before.reply}"
    elif in_run >= MOST_IN_RUN:
        call.problem = f"A run may give {MOST_IN_RUN} tasks at most. Answer from what was reported."
    elif in_step >= most_in_step:
        tasks = f"{most_in_step} tasks" if most_in_step > 1 else "one task"
        call.problem = f"One answer may give {tasks} at most. Give this one in the next, if it is still needed."


def _key(call: Call) -> tuple[str, str] | None:
    """Returns member and task of a call, without what does not matter; None when it is no task, or not a valid one."""
    if call.request.name != DELEGATE or call.tool is None or call.problem:
        return None
    try:
        given = call.given or call.tool.parse(call.request.arguments)
    except ToolError:
        return None
    return given.member, " ".join(given.task.casefold().split())
