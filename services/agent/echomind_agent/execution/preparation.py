"""Preparation of an attempt before its first turn: model, tools, prompt, and steps recorded by earlier attempts."""

import msgspec

from echomind_agent.execution.model_calls import ModelCaller
from echomind_agent.execution.rephrasing import Rephraser
from echomind_agent.execution.resume import RecordedStep, read_steps
from echomind_agent.execution.services import Services
from echomind_agent.learning.memory.recall import is_untrusted
from echomind_agent.state.context import ModelContext
from echomind_agent.state.run import RunState
from echomind_agent.state.suspension import waiting_for
from echomind_agent.steps.executor import StepExecutor
from echomind_agent.text.memory_lines import memory_line
from echomind_agent.tools.documents import SEARCH
from echomind_agent.tools.selection import choose_tools
from echomind_agent.tools.sub_agents import SPAWN_SUB_AGENT, offering
from echomind_lib.access.assistant_choice import read_offer
from echomind_lib.llms import Completion, ToolCall
from echomind_lib.llms.tokens import counter_for
from echomind_lib.runs.citation_rows import remove_citations
from echomind_lib.runs.states import warning_event
from echomind_lib.runs.sub_runs import read_ended

_QUERY_CHARACTERS = 1_000
"""Maximum length of the query for the search before the first model call."""


class Preparation:
    """Prepares an attempt up to its next model call."""

    def __init__(self, services: Services, state: RunState, steps: StepExecutor, caller: ModelCaller) -> None:
        self._services = services
        self._state = state
        self._steps = steps
        self._caller = caller
        self._had_sub_runs = False

    async def prepare(self) -> ModelContext:
        """Builds the model's context, resumes recorded steps, and searches if the assistant's template requires it.

        Raises:
            LlmUnavailableError: The run has no model, or one with an invalid configuration.
            QuestionTooLongError: Not even the question fits into the model's window.
            RunSuspended: A recorded step still waits, or a pause or cancel was requested.
            LeaseLostError: The worker no longer holds the run.
        """
        state, run = self._state, self._state.run
        model = self._services.models.of(run.model, run.assistant.id, auto_run=run.auto_run)
        tools, problems = await choose_tools(run, self._services.tools, self._services.mcp)
        if problems:
            await state.warn([warning_event(each.code, each.text, each.subject) for each in problems])
        state.untrusted = state.untrusted or any(tool.is_description_untrusted for tool in tools.values())
        if SPAWN_SUB_AGENT in tools:
            offer = await read_offer(state.log.pool, run.user_id, run.assistant.id, run.session.limits)
            tools[SPAWN_SUB_AGENT] = offering(tools[SPAWN_SUB_AGENT], offer)
        lines = await self._recall()
        context = state.context = await ModelContext.build(state.log.pool, run, model, tools, lines)
        context.built_in = self._services.tools.names
        template = run.assistant.task_prompt if run.is_root else ""
        if run.usage.steps:
            for recorded in await read_steps(state.log.pool, run.id, state.sources):
                await self._resume(context, recorded)
            if run.is_root and state.writer.cited_sources:
                await remove_citations(state.log.pool, state.lease)
            await self._note_sub_runs()
        elif "{context}" in template:
            await self._retrieve(context)
        elif "{query}" in template:
            context.fill_template("")
        state.check_control()
        return context

    async def _recall(self) -> list[str]:
        """Returns the user's memories; a resumed run has them in its recorded prompt."""
        state, run = self._state, self._state.run
        if run.usage.steps or run.model is None or run.model.is_extractive:
            return []
        memories = await self._services.recall.for_run(state.lease, counter_for(run.model))
        state.memory_ids = [memory.id for memory in memories]
        state.memories = [memory.content for memory in memories]
        state.untrusted = state.untrusted or is_untrusted(memories)
        return [memory_line(memory) for memory in memories]

    async def _retrieve(self, context: ModelContext) -> None:
        """Searches before the first model call, for assistants whose template has a placeholder for passages."""
        state = self._state
        query, usage = await Rephraser(state, context).query(state.run.input[:_QUERY_CHARACTERS])
        call = ToolCall("retrieve", SEARCH, msgspec.json.encode({"query": query}).decode())
        completion = Completion("", "", [call], "tool_calls", usage, "")
        step = context.new_step("planner", "retrieve", completion, state.turn_began)
        step.llm_input, step.input_data = [], None
        prepared = await self._steps.prepare([call], approval_tools=[])
        state.budget.steps += 1
        state.budget.free_steps += 1
        open_step = await self._steps.record(step, prepared, cost=0.0)
        await self._steps.settle(open_step)
        context.fill_template(open_step.calls[0].reply or "")

    async def _note_sub_runs(self) -> None:
        """Notes what the sub-runs of an earlier attempt consulted, unless settling an open step has done so."""
        if self._had_sub_runs and not self._state.consulted.has_sub_runs:
            ended = await read_ended(self._state.log.pool, self._state.run.id)
            self._state.consulted.note_sub_runs(run.final_output for run in ended.values())

    async def _resume(self, context: ModelContext, recorded: RecordedStep) -> None:
        """Continues with a step that an earlier attempt recorded. Calls with results are not repeated."""
        state = self._state
        step = recorded.reopen(context.tools)
        self._caller.call_ids.update(call.id for call in recorded.output.tool_calls)
        state.searched += recorded.searched
        for call in step.calls:
            state.consulted.note(call)
        self._had_sub_runs = self._had_sub_runs or any(call.is_sub_run for call in step.calls)
        state.delegations.admit(step.calls)
        state.open_step = step
        gave_away = state.run.routes and any(call.external_task_id for call in step.calls)
        if gave_away:
            state.writer.yield_to_member(state.delegations.given)
        elif recorded.output.content:
            await state.writer.write(("\n\n" if state.writer.written else "") + recorded.output.content)
            await state.writer.complete()
        if not recorded.is_open:
            await self._steps.cancel_unwanted(step)
        elif not await self._steps.settle(step):
            state.check_control()
            raise waiting_for(step)
        if recorded.action == "retrieve":
            state.budget.free_steps += 1
            context.fill_template(step.calls[0].reply or "")
            return
        context.add_step(step, recorded.output, recorded.action)
        if recorded.reminder:
            context.prompt.add_reminder(recorded.reminder)
        if recorded.is_excluded:
            context.prompt.exclude([recorded.number])
