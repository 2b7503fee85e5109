"""The model calls of one attempt: streamed text, tool calls, usage."""

from collections.abc import Sequence
from contextlib import aclosing
from typing import Final

from echomind_agent.prompts.base import answer_room
from echomind_agent.state.budget import LimitError
from echomind_agent.state.context import ModelContext
from echomind_agent.state.delta_writer import FLUSH_SECONDS
from echomind_agent.state.run import RunState
from echomind_agent.tools.caller import names_of_caller_tools
from echomind_lib.llms import (
    ChatModel,
    ChatRequest,
    Completion,
    LlmContextTooLong,
    LlmError,
    LlmStreamBroken,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    Usage,
)
from echomind_lib.llms.prices import cost_of
from echomind_lib.llms.tokens import estimate_usage
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import (
    WARNING_CODE_PRICE_UNKNOWN,
    WARNING_CODE_QUOTA_NEARLY_USED,
)
from echomind_lib.quotas import charging
from echomind_lib.runs import steps
from echomind_lib.runs.states import warning_event
from echomind_lib.text import NAME_CHARACTERS, single_line, storable, storable_json

NO_USAGE: Final = Usage(0, 0)
"""The usage of a request that no model answered, or of text that no model wrote."""
_CALL_ID_CHARACTERS = 200
"""Maximum length of a stored call id; a number is appended to duplicates."""


class ModelCaller:
    """The model calls of one attempt."""

    def __init__(self, state: RunState) -> None:
        self._state = state
        self._is_price_unknown = self._warned_of_price = False
        # The request that no step records yet: the offset at which its text begins, what its answer costs without a
        # completion (None if nothing, as the model refused it), the reasoning so far, and its completion.
        self._begins: int | None = None
        self._request: ChatRequest | None = None
        self._reasoning: list[str] = []
        self._completion: Completion | None = None
        self.call_ids: set[str] = set()
        """Ids of the run's calls."""

    def unrecorded(self) -> Completion | None:
        """Returns the output so far of the request that no step has recorded; None if each has its step.

        An interrupted answer is charged by an estimate, as its provider does not say what was generated until then.
        """
        if self._begins is None or self._completion is not None:
            return self._completion
        state, model, usage = self._state, self._state.run.model, NO_USAGE
        text = state.writer.written[self._begins :].removeprefix("\n\n")
        if model is not None and not model.is_extractive and self._request is not None:
            usage = estimate_usage(self._request, text + "".join(self._reasoning), [])
            state.budget.spend_beside(usage, float(cost_of(model, model.model_id, usage) or 0))
        self._completion = Completion(text, "", [], "stop", usage, model.model_id if model else "")
        return self._completion

    def recorded(self) -> None:
        """Marks the last request as recorded; called before its step is recorded."""
        self._begins = self._completion = None

    async def ask(self, context: ModelContext, *, may_call: bool) -> Completion:
        """Sends a prompt that fits according to our token count, and a shorter one if the server rejects it.

        Raises:
            LlmError: The model failed.
            LimitError: A quota is used up.
            LeaseLostError: The worker no longer holds the run.
        """
        prompt, state = context.prompt, self._state
        while True:
            if excluded := prompt.fit():
                await steps.exclude_steps(state.log.pool, state.lease, excluded)
            request = _request(context, may_call=may_call)
            if state.run.limits.has_quotas:
                await self._reserve(prompt.tokens)
            try:
                completion = await self._stream(context.model, request)
            except LlmContextTooLong:
                if not prompt.shrink():
                    raise
                continue
            context.counter.observe(prompt.tokens, completion.usage)
            prompt.observe(completion.usage)
            if self._is_price_unknown and state.run.limits.cost and not self._warned_of_price:
                self._warned_of_price = True
                text = "The price of this model is not known, so the cost limit does not apply to it."
                await state.warn([warning_event(WARNING_CODE_PRICE_UNKNOWN, text)])
            return completion

    async def _reserve(self, prompt_tokens: int) -> None:
        """Reserves what the next call may use at most of the quotas that apply."""
        state, model = self._state, self._state.run.model
        if model is None or model.is_extractive:
            return
        usage = Usage(prompt_tokens, answer_room(model))
        price = cost_of(model, model.model_id, usage)
        tokens = usage.prompt_tokens + usage.completion_tokens
        reached = await charging.reserve(state.log.pool, state.lease, tokens, float(price or 0))
        if exceeded := [each for each in reached if each.is_exceeded]:
            last = max(exceeded, key=lambda each: each.renews_at)
            raise LimitError("QUOTA_EXCEEDED", str(last), last.renews_at)
        if reached:
            await state.warn([warning_event(WARNING_CODE_QUOTA_NEARLY_USED, str(each)) for each in reached])

    async def _stream(self, model: ChatModel, request: ChatRequest) -> Completion:
        begun, writer = False, self._state.writer
        self._begins, self._request, self._completion = len(writer.written), request, None
        self._reasoning.clear()
        try:
            async with aclosing(model.stream(request)) as events:
                async for event in events:
                    self._state.note_answer_begins(event.began_at if isinstance(event, Completion) else None)
                    if isinstance(event, TextDelta):
                        if not begun:
                            begun = True
                            if writer.written:
                                await writer.write("\n\n")
                        await writer.write(storable(event.text))
                    elif isinstance(event, Completion):
                        event.tool_calls = self._storable_calls(event.tool_calls)
                        self._completion = event
                        self._pay(event)
                        await writer.complete()
                        return event
                    elif isinstance(event, ReasoningDelta):
                        self._reasoning.append(event.text)
        except LlmError as error:
            if not (begun or self._reasoning or isinstance(error, LlmStreamBroken)):
                self._request = None
            raise
        raise LlmStreamBroken("The model's stream ended without an answer.")

    def _pay(self, completion: Completion) -> None:
        model = self._state.run.model
        price = model and cost_of(model, completion.model, completion.usage)
        self._state.budget.spend(completion.usage, float(price or 0))
        self._is_price_unknown = price is None

    def _storable_calls(self, calls: Sequence[ToolCall]) -> list[ToolCall]:
        """Returns storable calls with ids unique within the run, as some servers reuse ids in each answer."""
        found = []
        for call in calls:
            call_id = storable(call.id)[:_CALL_ID_CHARACTERS]
            if call_id in self.call_ids:
                call_id = f"{call_id}-{len(self.call_ids)}"
            self.call_ids.add(call_id)
            found.append(ToolCall(call_id, single_line(call.name, NAME_CHARACTERS), storable_json(call.arguments)))
        return found


def _request(context: ModelContext, *, may_call: bool) -> ChatRequest:
    messages, specs, caller = context.prompt.messages, context.specs, context.run.caller
    if may_call and caller is not None and caller.must_call:
        names = names_of_caller_tools(context.run)
        must = [spec for spec in specs if spec.name in names]
        return ChatRequest(messages, must, tool_choice="required", read_every=FLUSH_SECONDS)
    return ChatRequest(messages, specs, tool_choice="auto" if may_call else "none", read_every=FLUSH_SECONDS)
