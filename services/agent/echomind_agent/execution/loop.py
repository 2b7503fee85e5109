"""The run loop: model call, tool calls, step, until the run answers, waits, is controlled, or reaches a limit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from echomind_agent.execution.briefing import Briefing
from echomind_agent.execution.finish import RunFinisher
from echomind_agent.execution.goal import GoalProgress, unreached_by
from echomind_agent.execution.model_calls import ModelCaller
from echomind_agent.execution.rephrasing import Rephraser
from echomind_agent.execution.summarizer import request_summary_if_long
from echomind_agent.state.budget import LimitError
from echomind_agent.state.call import Call
from echomind_agent.state.context import ModelContext
from echomind_agent.state.run import RunState
from echomind_agent.state.suspension import waiting_for
from echomind_agent.steps.executor import StepExecutor
from echomind_agent.steps.sub_runs import answer_of_member
from echomind_agent.tools.control import IN_PARALLEL, expand
from echomind_agent.tools.delegation import for_all_members
from echomind_agent.tools.todos import TODO_TOOLS, FinishedGoal
from echomind_agent.toolset.registry import ToolError
from echomind_lib.db.words import StepAction, WaitStrategy
from echomind_lib.llms import Completion
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import WARNING_CODE_ANSWER_CUT_OFF
from echomind_lib.runs.states import warning_event
from echomind_lib.text import storable


@dataclass(slots=True, kw_only=True)
class RunLoop:
    """The turns of one attempt, starting with its first model call."""

    state: RunState
    context: ModelContext
    caller: ModelCaller
    steps: StepExecutor
    finisher: RunFinisher
    _goal: GoalProgress = field(init=False)
    _rephraser: Rephraser = field(init=False)
    _briefing: Briefing = field(init=False)

    def __post_init__(self) -> None:
        self._goal = GoalProgress(self.state, self.context)
        self._rephraser = Rephraser(self.state, self.context)
        self._briefing = Briefing(self.state, self.context)

    async def run(self) -> None:
        """Executes turns until the run ends.

        Raises:
            RunSuspended: It waits for a person or for sub-agents, or a pause or cancel was requested.
            LimitError: A limit is reached, or the model returned no answer.
            QuestionTooLongError: The prompt no longer fits into the model's window.
            LlmError: The model failed.
            LeaseLostError: The worker no longer holds the run.
        """
        is_over = False
        while not is_over:
            if (answer := await answer_of_member(self.state)) is not None:
                await self.finisher.adopt_answer(answer)
                return
            is_over = await self._turn()

    async def _turn(self) -> bool:
        """Calls the model once and acts on its answer; returns whether this has ended the run."""
        if self.context.finished_goal is not None:
            await self._finish(self.context.finished_goal)
            return True
        if self.context.is_handed_over:
            await self.finisher.conclude(self.state.writer.text, 0)
            return True
        budget = self.state.budget
        budget.check()
        self.state.turn_began = datetime.now(UTC)
        # In the last step the model may not call tools, so that it answers from the results so far.
        may_call = not (budget.is_last_step or self.state.delegations.is_fruitless)
        completion = await self.caller.ask(self.context, may_call=may_call)
        is_whole = completion.finish_reason != "length"
        if completion.tool_calls and may_call and is_whole:
            await self._use_tools(completion)
        elif may_call and is_whole and (reminder := await self._goal.reminder()):
            await self._remind(completion, reminder)
        else:
            await self._answer(completion, may_call=may_call)
            return True
        self.state.check_control()
        return False

    # -- tool calls ------------------------------------------------------------------------------------------------
    async def _use_tools(self, completion: Completion) -> None:
        calls, strategy = await self._prepared(completion)
        inherited, usage = await self._briefing.write(calls)
        completion.usage = completion.usage.plus(usage)
        step = self.context.new_step("action", _action(calls), completion, self.state.turn_began)
        step.wait_strategy = strategy
        step.output_data = {"inherited": inherited} if inherited else None
        self.caller.recorded()
        open_step = await self.steps.record(step, calls, cost=self.state.budget.unsaved_cost())
        self._goal.reminders = 0
        if not await self.steps.settle(open_step):
            self.state.check_control()
            raise waiting_for(open_step)
        self.context.add_step(open_step, completion.message(), step.action)
        await self._goal.count(open_step, completion.usage)

    async def _prepared(self, completion: Completion) -> tuple[list[Call], WaitStrategy]:
        """Returns the requested calls, checked, and the step's wait strategy."""
        settings = self.state.run.assistant.settings
        requested = completion.tool_calls
        strategy = self.state.run.wait_strategy or settings.default_wait_strategy
        in_parallel = self.context.tools.get(IN_PARALLEL)
        if len(requested) == 1 and requested[0].name == IN_PARALLEL and in_parallel is not None:
            try:
                requested, strategy = expand(in_parallel, requested[0])
            except ToolError as error:
                return [Call(requested[0], in_parallel, problem=str(error))], strategy
        requested, usage = await self._rephraser.of_calls(requested)
        completion.usage = completion.usage.plus(usage)
        if self.state.run.leads and settings.mode == "collaborate":
            requested = for_all_members(requested, self.state.run.assistant.members)
        calls = await self.steps.prepare(requested, approval_tools=settings.approval_tools)
        # A call that changes something is never cut off: whether it took effect would not be known.
        return calls, "all" if strategy != "all" and any(call.side_effect for call in calls) else strategy

    # -- text without tool calls -----------------------------------------------------------------------------------
    async def _remind(self, completion: Completion, reminder: str) -> None:
        completion.tool_calls = []
        step = self.context.new_step("planner", "plan", completion, self.state.turn_began)
        step.output_data = {"reminder": reminder}
        self.caller.recorded()
        open_step = await self.steps.record(step, [], cost=self.state.budget.unsaved_cost())
        self.context.add_step(open_step, completion.message(), "plan")
        self.context.prompt.add_reminder(reminder)

    async def _answer(self, completion: Completion, *, may_call: bool) -> None:
        state, text = self.state, self.state.writer.text
        if not text.strip():
            raise self._without_answer(completion)
        completion.tool_calls = []
        step = self.context.new_step("synthesizer", "answer", completion, state.turn_began)
        if completion.finish_reason == "length":
            cut_off = "The answer was cut off at the model's token limit."
            await state.warn([warning_event(WARNING_CODE_ANSWER_CUT_OFF, cut_off)])
        if message := await self._goal.problem(0 if may_call else state.run.limits.steps):
            await self.finisher.end("failed", message, {"reason": "GOAL_NOT_REACHED", "message": message}, step)
        else:
            await self.finisher.answer(text, step)
        if state.run.is_root:
            await request_summary_if_long(state.log.pool, state.log.bus, state.lease, self.context.prompt)

    async def _finish(self, goal: FinishedGoal) -> None:
        """Finishes the run with the outcome of its goal, which becomes its answer."""
        state, text = self.state, storable(goal.summary)
        await state.writer.write(f"\n\n{text}" if state.writer.written.strip() else text)
        await state.writer.complete()
        if goal.is_reached:
            await self.finisher.conclude(text, self.context.counter(text))
        else:
            message = unreached_by(goal.summary, await self._goal.not_done())
            await self.finisher.end("failed", message, {"reason": "GOAL_NOT_REACHED", "message": message})
        await request_summary_if_long(state.log.pool, state.log.bus, state.lease, self.context.prompt)

    def _without_answer(self, completion: Completion) -> LimitError:
        """Returns the error for a completion without text."""
        if completion.tool_calls and completion.finish_reason != "length":
            return LimitError("MAX_STEPS", f"The run took {self.state.budget.steps} steps without an answer.")
        if completion.finish_reason == "content_filter":
            return LimitError("LLM_CONTENT_FILTERED", "The provider's filter withheld the answer.")
        return LimitError("EMPTY_ANSWER", "The model gave an empty answer; ask again, perhaps in other words.")


def _action(calls: Sequence[Call]) -> StepAction:
    """Returns the action of a step with calls."""
    names = {call.request.name for call in calls}
    if any(call.is_sub_run for call in calls):
        return "delegate"
    if any(call.tool is not None and call.tool.executor == "person" for call in calls):
        return "ask_user"
    if names <= TODO_TOOLS:
        return "plan"
    return "call_tools_parallel" if len(calls) > 1 else "call_tool"
