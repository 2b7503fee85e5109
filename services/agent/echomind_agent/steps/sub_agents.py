"""The calls of a step that sub-agents work on: started within the run's budget, and their results."""

from uuid import UUID

from echomind_agent.state.call import Call, OpenStep, Settled
from echomind_agent.state.run import RunState
from echomind_agent.state.sub_runs import sub_agent_result
from echomind_lib.db.words import ToolCallStatus
from echomind_lib.runs import sub_runs
from echomind_lib.runs.sub_runs import NewSubRun
from echomind_lib.text import normalized


async def start_sub_agents(state: RunState, step: OpenStep) -> None:
    """Starts the sub-agents of a step that are not started yet; beyond the run's budget, none of them.

    Raises:
        LeaseLostError: The run is not this worker's any more.
    """
    new = [call for call in step.open if call.is_sub_agent and not call.external_task_id and not call.needs_person]
    if not new:
        return
    await state.budget.read_below(state.log.pool)
    if problem := _beyond_budget(state, len(new)):
        for call in new:
            call.problem = problem
        return
    wanted = [_new_sub_run(state, call, len(new)) for call in new]
    started = await sub_runs.start(state.log, state.lease, step.id, wanted)
    for call in new:
        call.external_task_id, call.status = str(started[call.request.id]), "running"


def _beyond_budget(state: RunState, count: int) -> str:
    """Returns why so many sub-agents cannot be started, as the model reads it; empty when they can."""
    if state.budget.below.runs + count > sub_runs.MAX_SUB_AGENTS:
        return f"A run may start {sub_runs.MAX_SUB_AGENTS} sub-agents at most."
    left = state.budget.steps_left
    if count < left:
        return ""
    enough = f"enough for {left - 1} sub-agents at most" if left > 1 else "too few for a sub-agent"
    return f"The steps that are left to the run ({left}) are {enough}. Start fewer, or do it yourself."


def _new_sub_run(state: RunState, call: Call, count: int) -> NewSubRun:
    assert state.context is not None  # there are no calls before there is a prompt
    inherited = "\n\n".join(filter(None, [state.context.inherited(), call.given.background]))
    budget = state.budget.cut(count, call.given.max_steps)
    return NewSubRun(
        tool_call_id=call.request.id,
        goal=normalized(call.given.goal),
        inherited_context=normalized(inherited),
        max_steps=budget.max_steps,
        timeout_seconds=budget.timeout_seconds,
        max_run_tokens=budget.max_run_tokens,
        max_cost=budget.max_cost,
    )


async def ended_sub_agents(state: RunState, step: OpenStep) -> list[Settled]:
    """Returns the results of the step's sub-agents that have ended since."""
    waiting = [call for call in step.open if call.is_sub_agent and call.external_task_id]
    if not waiting:
        return []
    ended = await sub_runs.read_ended(state.log.pool, state.run.id)
    found = []
    for call in waiting:
        run = ended.get(UUID(call.external_task_id))
        if run is not None:
            result, error = sub_agent_result(run, state.sources)
            status: ToolCallStatus = "completed" if run.status == "completed" else "failed"
            found.append(Settled(call=call, status=status, result=result, error=error, is_tainted=run.tainted))
    await state.budget.read_below(state.log.pool)
    return found
