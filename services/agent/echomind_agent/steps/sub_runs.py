"""The calls of a step that start sub-runs: started within the run's budget, and their results."""

from typing import Any
from uuid import UUID

from echomind_agent.state.budget import OwnLimits
from echomind_agent.state.call import Call, OpenStep, Settled
from echomind_agent.state.run import RunState
from echomind_agent.state.sub_runs import sub_run_result, with_own_numbers
from echomind_agent.steps.sub_agents import SubAgentSetup, set_up
from echomind_agent.tools.delegation import DELEGATE
from echomind_agent.toolset.registry import ToolError
from echomind_lib.assistants.teams import find_member
from echomind_lib.db.words import ToolCallStatus
from echomind_lib.runs import sub_runs
from echomind_lib.runs.sub_runs import NewSubRun
from echomind_lib.text import normalized


async def start_sub_runs(state: RunState, step: OpenStep) -> None:
    """Starts a step's requested sub-runs that are not started yet; none if they exceed the run's budget.

    Raises:
        LeaseLostError: The worker no longer holds the run.
    """
    new = [call for call in step.open if call.is_sub_run and not call.external_task_id and not call.needs_person]
    if not new:
        return
    await state.budget.read_below(state.log.pool)
    if problem := _beyond_budget(state, len(new)):
        for call in new:
            call.problem = problem
        return
    assert state.context is not None  # calls follow a prompt
    inherited = step.inherited or await state.context.inherited(state.log.pool)
    new_runs = []
    for call in new:
        try:
            new_runs.append(await _new_sub_run(state, call, inherited, len(new)))
        except ToolError as error:
            call.problem = str(error)
    if not new_runs:
        return
    started = await sub_runs.start(state.log, state.lease, step.id, new_runs, untrusted=state.untrusted)
    for call in new:
        if call.request.id in started:
            call.external_task_id, call.status = str(started[call.request.id]), "running"


def _beyond_budget(state: RunState, count: int) -> str:
    """Returns why this number of runs cannot be started, for the model; empty if they can."""
    if state.budget.below.runs + count > sub_runs.MAX_SUB_RUNS:
        return f"A run may start {sub_runs.MAX_SUB_RUNS} sub-agents and members at most."
    left = state.budget.steps_left
    if count < left:
        return ""
    enough = f"enough for {left - 1} sub-agents or members at most" if left > 1 else "too few for another run"
    return f"The steps that are left to the run ({left}) are {enough}. Start fewer, or do it yourself."


async def _new_sub_run(state: RunState, call: Call, inherited: str, count: int) -> NewSubRun:
    if call.request.name == DELEGATE:
        return _new_member(state, call, inherited, count)
    return _new_sub_agent(state, call, await set_up(state, call), inherited, count)


def _allowed(state: RunState) -> dict[str, Any]:
    """Returns the pointers by which a sub-run has only the tools and connectors that the question allows."""
    allowed = {"only": state.run.state.only, "connectors": state.run.connectors}
    return {name: list(values) for name, values in allowed.items() if values}


def _new_sub_agent(state: RunState, call: Call, setup: SubAgentSetup, inherited: str, count: int) -> NewSubRun:
    goal = normalized(call.given.goal)
    budget = state.budget.cut(count, setup.limits)
    return NewSubRun(
        tool_call_id=call.request.id,
        kind="sub_agent",
        name=setup.name,
        assistant_id=setup.assistant_id,
        assistant_version=setup.assistant_version,
        requested_llm_id=setup.llm_id,
        goal=goal,
        input=goal,
        inherited_context=normalized("\n\n".join(filter(None, [inherited, call.given.background]))),
        ask_clarifications=False,
        state=_allowed(state)
        | ({"tools": setup.tools, "leads": setup.leads} if setup.tools or setup.leads else {})
        | ({"pinned": True} if state.run.state.pinned and setup.assistant_version is not None else {}),
        max_steps=budget.max_steps,
        timeout_seconds=budget.timeout_seconds,
        max_run_tokens=budget.max_run_tokens,
        max_cost=budget.max_cost,
    )


def _new_member(state: RunState, call: Call, inherited: str, count: int) -> NewSubRun:
    run, member = state.run, find_member(state.run.assistant.members, call.given.member)
    assert member is not None  # the arguments were validated against the same members
    settings, task = member.settings, normalized(call.given.task)
    own = OwnLimits(
        steps=settings.max_steps,
        seconds=settings.timeout_seconds,
        tokens=settings.max_run_tokens,
        cost=settings.max_cost,
    )
    budget = state.budget.cut(count, own)
    pointers = {}
    if run.routes:
        turn = state.writer.yield_to_member(state.delegations.given)
        pointers = {"messageId": run.message_id, "turn": turn} if run.message_id else {}
    return NewSubRun(
        tool_call_id=call.request.id,
        kind="member",
        name=member.name,
        assistant_id=member.stored.assistant_id,
        assistant_version=member.stored.version,
        # A member without a model uses the one that the person has chosen.
        requested_llm_id=member.stored.llm_id or run.requested_llm_id,
        goal=task,
        input=f"{task}\n\nWhat to report: {normalized(call.given.expected_output)}",
        inherited_context=normalized(inherited),
        ask_clarifications=run.ask_clarifications,
        state=_allowed(state) | pointers,
        max_steps=budget.max_steps,
        timeout_seconds=budget.timeout_seconds,
        max_run_tokens=budget.max_run_tokens,
        max_cost=budget.max_cost,
    )


async def ended_sub_runs(state: RunState, step: OpenStep) -> list[Settled]:
    """Returns the results of the step's sub-runs that have ended since."""
    waiting = [call for call in step.open if call.is_sub_run and call.external_task_id]
    if not waiting:
        return []
    ended = await sub_runs.read_ended(state.log.pool, state.run.id)
    state.consulted.note_sub_runs(run.final_output for run in ended.values())
    found = []
    for call in waiting:
        run = ended.get(UUID(call.external_task_id))
        if run is not None:
            result, error = sub_run_result(run, state.sources)
            status: ToolCallStatus = "completed" if run.status == "completed" else "failed"
            found.append(Settled(call=call, status=status, result=result, error=error, is_untrusted=run.untrusted))
    await state.budget.read_below(state.log.pool)
    return found


async def answer_of_member(state: RunState) -> str | None:
    """Returns the answer of a member in place of the run, with the run's source numbers.

    None if the run writes its answer itself, also because the member has failed.
    """
    step = state.open_step
    if step is None or not state.run.routes:
        return None
    answered = [call for call in step.calls if call.request.name == DELEGATE and call.status == "completed"]
    given = [UUID(call.external_task_id) for call in answered if call.external_task_id]
    if not given:
        return None
    run = (await sub_runs.read_ended(state.log.pool, state.run.id))[given[0]]
    text, _ = with_own_numbers((run.final_output or {}).get("text", ""), run, state.sources)
    return text
