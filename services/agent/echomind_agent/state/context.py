"""The context of a run's model: its tools, and a prompt that grows with each step."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self

import asyncpg
import msgspec

from echomind_agent.prompts.caller import with_results
from echomind_agent.prompts.digest import digest
from echomind_agent.prompts.prompt import Prompt, apply_template
from echomind_agent.state.call import Call, OpenStep
from echomind_agent.state.dialogue import read_dialogue
from echomind_agent.state.sub_runs import DoneCall, inherited_context
from echomind_agent.text.speakers import Spoken
from echomind_agent.tools.caller import names_of_caller_tools
from echomind_agent.tools.control import parallel_reply
from echomind_agent.tools.delegation import DELEGATE
from echomind_agent.tools.todos import FINISH_GOAL, TODO_TOOLS, FinishedGoal
from echomind_agent.toolset.registry import Tool, parameters_record
from echomind_lib.db.words import StepAction, StepType
from echomind_lib.llms import ChatModel, Completion, Message, ToolSpec
from echomind_lib.llms.tokens import ModelCounter, counter_for
from echomind_lib.runs.prompts import StepOutput
from echomind_lib.runs.record import RunRecord
from echomind_lib.runs.steps import NewStep
from echomind_lib.text import storable, storable_tree

_RESULT_TOKENS = 4_000
"""Maximum tokens of the results of a caller's tools after a filled template."""


@dataclass(slots=True, kw_only=True)
class ModelContext:
    """The model of a run with its prompt and tools. Create it with `build`."""

    run: RunRecord
    model: ChatModel
    counter: ModelCounter
    tools: Mapping[str, Tool]
    specs: list[ToolSpec]
    """The tools' specifications for the model."""
    prompt: Prompt
    opening: list[Message]
    """The prompt before the run's first step."""
    built_in: Collection[str] = ()
    """Names of the tools available to every assistant."""
    has_plan: bool = False
    """Whether the run has called a tool for todos."""
    finished_goal: FinishedGoal | None = None
    """The reported outcome of the goal; None while the run pursues it."""
    is_handed_over: bool = False
    """Whether the last step called only tools of the program that asks, which ends the run."""
    _settled: list[Call] = field(default_factory=list)
    _dialogue: Sequence[Spoken] | None = None

    @classmethod
    async def build(
        cls,
        pool: asyncpg.Pool,
        run: RunRecord,
        model: ChatModel,
        tools: Mapping[str, Tool],
        memories: Sequence[str] = (),
    ) -> Self:
        """Builds the initial context of a run; a resumed run then adds its steps again.

        Args:
            pool: The database.
            run: The run.
            model: Its chat model.
            tools: Its tools.
            memories: Memories of the user, one line each.

        Raises:
            QuestionTooLongError: The question alone does not fit into the model's window.
        """
        assert run.model is not None  # a run that calls a chat model has a model row
        counter = counter_for(run.model)
        specs = [tool.spec() for tool in tools.values()]
        tool_tokens = counter.corrected(sum(tool.tokens for tool in tools.values()))
        prompt = await Prompt.build(pool, run, counter, tool_tokens, memories)
        return cls(
            run=run, model=model, counter=counter, tools=tools, specs=specs, prompt=prompt, opening=prompt.messages
        )

    def fill_template(self, passages: str) -> None:
        """Replaces the question by the assistant's template, filled with the question and passages."""
        question = apply_template(self.run.assistant.task_prompt, passages, self.run.input)
        self.prompt.replace_question(with_results(self.run, question, _RESULT_TOKENS, self.counter))

    def new_step(
        self, step_type: StepType, action: StepAction, completion: Completion, started_at: datetime
    ) -> NewStep:
        """Returns the step of a model's answer, with the messages that it adds to the previous prompt."""
        output = StepOutput(
            storable(completion.text), completion.tool_calls, completion.finish_reason, completion.provider_state
        )
        return NewStep(
            step_type=step_type,
            action=action,
            status="running" if completion.tool_calls else "completed",
            llm_model=completion.model,
            llm_input=storable_tree(self.prompt.added),
            llm_output=storable_tree(msgspec.to_builtins(output)),
            started_at=started_at,
            input_data=self.prompt.omissions.stored(),
            reasoning=storable(completion.reasoning),
            prompt_tokens=completion.usage.prompt_tokens,
            completion_tokens=completion.usage.completion_tokens,
        )

    def add_step(self, step: OpenStep, output: Message, action: StepAction) -> None:
        """Adds a settled step to the prompt.

        Args:
            step: The step, whose calls all have results.
            output: The model's answer that requested them.
            action: Action of the step.
        """
        replies = {call.request.id: call.answer for call in step.calls}
        results = []
        for requested in output.tool_calls:
            text = replies.get(requested.id)
            if text is None:  # the call was replaced by several calls of this step
                made_by = [call for call in step.calls if call.request.id.startswith(f"{requested.id}.")]
                text = parallel_reply([(_shown_name(call), call.answer) for call in made_by])
            results.append(Message("tool", text, tool_call_id=requested.id))
        made = [call.request for call in step.calls]
        line = digest(action, made, [call.reply or "" for call in step.calls], output.content)
        important = any(call.is_important for call in step.calls)
        self.prompt.add(step.number, output, results, line, important=important)
        self._settled += step.calls
        names = names_of_caller_tools(self.run)
        self.is_handed_over = bool(made) and all(request.name in names for request in made)
        self.has_plan = self.has_plan or any(request.name in TODO_TOOLS for request in made)
        for call in step.calls:
            if call.request.name == FINISH_GOAL and call.status == "completed":
                self.finished_goal = FinishedGoal.model_validate_json(call.request.arguments)

    @property
    def done(self) -> list[DoneCall]:
        """Returns the calls of the run, as sub-runs are shown them."""
        return [DoneCall.of(call) for call in self._settled]

    @property
    def known_before(self) -> str:
        """Returns the prompt's text about the earlier conversation: its summary, or inherited context."""
        return (self.prompt.summary if self.run.is_root else self.run.inherited_context) or ""

    async def dialogue(self, pool: asyncpg.Pool) -> Sequence[Spoken]:
        """Returns what was said before the run's first step, question last."""
        if self._dialogue is None:
            self._dialogue = await read_dialogue(pool, self.run, self.opening)
        return self._dialogue

    async def inherited(self, pool: asyncpg.Pool) -> str:
        """Returns the context of the conversation for a sub-run, shortened by rules."""
        return inherited_context(await self.dialogue(pool), self.done, self.known_before)


def _shown_name(call: Call) -> str:
    """Returns the name of a call in a reply to several calls: its tool, or the member that executed it."""
    if call.request.name != DELEGATE:
        return call.request.name
    return str(parameters_record(call.request.arguments).get("member", DELEGATE))
