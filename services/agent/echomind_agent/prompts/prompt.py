"""The growing prompt of a run: it always fits the model's window, and says what it left out.

It is a base (instructions, earlier turns, the question) and the run's steps: what the model said and what followed.
When it grows beyond the window, the oldest steps become one line each behind the question. What a step recorded of its
prompt is taken as it is when a run goes on, so `echomind_lib.runs.prompts` can rebuild every prompt exactly.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Self

import asyncpg
import msgspec

from echomind_agent.prompts import history
from echomind_agent.prompts.instructions import background, instructions
from echomind_agent.text.delimiting import delimited
from echomind_agent.text.shortening import one_line, shorten
from echomind_lib.llms import Message, Usage
from echomind_lib.llms.anthropic import DEFAULT_MAX_TOKENS
from echomind_lib.llms.record import LlmRecord
from echomind_lib.llms.tokens import MESSAGE_OVERHEAD_TOKENS, TokenCounter, count_message_tokens
from echomind_lib.runs.prompts import RecordedPrompt, assemble, read_recorded, without_oldest
from echomind_lib.runs.record import RunRecord
from echomind_lib.text import storable

DEFAULT_CONTEXT_TOKENS = 16_384
"""Window of a model whose row does not say it."""
_DEFAULT_ANSWER_TOKENS = 2_048
_LEAST_TEXT = " " * 1024
"""As much room as this takes must be left beside instructions and question: 256 tokens by the plain estimate."""
_HISTORY_SHARE = 2
"""Earlier turns may take one part in so many of the tokens that are left beside instructions and question."""
_EARLIER_STEPS_SHARE = 8
"""The lines on steps that are left out may take one part in so many of them."""
_AFTER_DROPPING = 0.75
"""How much of them may be taken once steps were left out. As leaving out changes what stands at the prompt's beginning,
which providers then read again, it is done seldom and for several steps at once."""
_AFTER_REFUSAL = 0.5
"""How much of what stands beside instructions and question may stay in a prompt that was refused as too long: counts
are estimates, and so are windows."""


class QuestionTooLongError(Exception):
    """The question alone does not fit into the model's window. The text says how long it is and how long it may be."""


@dataclass(slots=True)
class _Step:
    number: int
    messages: list[Message]
    """What the model said, and what followed."""
    tokens: int
    line: str
    important: bool
    recorded: bool
    """Whether a later step has recorded what followed, so that it cannot change any more."""
    discarded: bool = False


class Prompt:
    """The prompt of one run. Make it with `build`; before each request to the model call `fit`."""

    def __init__(
        self, base: list[Message], room: int, count: TokenCounter, *, omitted: int = 0, summarized: int = 0
    ) -> None:
        """Takes what the run begins with.

        Args:
            base: Instructions, earlier turns, and the question.
            room: Tokens that the prompt may have.
            count: Counts them.
            omitted: Earlier messages that the base leaves out.
            summarized: Earlier messages that stand in it as a summary only.
        """
        self._base, self._count = base, count
        self._room = self._most_room = room
        self._least = count(_LEAST_TEXT)
        self._omitted, self._summarized = omitted, summarized
        self._steps: list[_Step] = []
        self._earlier = ""
        self._recorded = RecordedPrompt()
        self._sizes = [self._size(message) for message in base]
        self._tool_tokens = 0
        self.uncompressed_tokens = 0
        """Tokens of the session's messages that neither stand in the prompt nor in its summary."""
        self.summary = ""
        """What earlier messages say in short, as the run's session has it; empty when the prompt holds no summary."""
        self._trim_history()

    @classmethod
    async def build(cls, pool: asyncpg.Pool, run: RunRecord, count: TokenCounter, tool_tokens: int) -> Self:
        """Builds the prompt that a run begins with, or the one that it began with when it goes on.

        A run that goes on adds all its steps again, in order and discarded ones too, and then calls `discard`.

        Args:
            pool: The database.
            run: The run as `lease.claim` gives it.
            count: Counts tokens.
            tool_tokens: Tokens that the tools' descriptions take.

        Raises:
            QuestionTooLongError: Not even the question fits.
        """
        window = (run.model.context_tokens if run.model else None) or DEFAULT_CONTEXT_TOKENS
        room = window - _answer_tokens(run.model, window) - tool_tokens
        recorded = await read_recorded(pool, run.id) if run.usage.steps else RecordedPrompt()
        if recorded.base:
            prompt = cls.restore(recorded, room, count)
        else:
            prompt = await cls._begin(pool, run, room, count)
        prompt._tool_tokens = tool_tokens
        if prompt._summarized:
            prompt.summary = run.session.summary or ""
        return prompt

    @classmethod
    async def _begin(cls, pool: asyncpg.Pool, run: RunRecord, room: int, count: TokenCounter) -> Self:
        earlier = await history.read(pool, run)
        standing = instructions(run)
        question = Message("user", (run.goal if run.is_sub_agent else None) or run.input)
        left = room - count_message_tokens([Message("system", standing), question], count)
        least = count(_LEAST_TEXT)
        if left < least:
            asked = count(question.content)
            raise QuestionTooLongError(
                f"The question has about {asked} tokens; with the instructions and tools, this model has room "
                f"for {max(0, asked + left - least)}."
            )
        parts = background(run, earlier.summary, earlier.important_steps, left, count)
        base = [Message("system", "\n\n".join([standing, *parts])), *earlier.messages, question]
        prompt = cls(base, room, count, omitted=earlier.omitted, summarized=earlier.summarized)
        prompt.uncompressed_tokens += earlier.uncompressed_tokens
        return prompt

    @classmethod
    def restore(cls, recorded: RecordedPrompt, room: int, count: TokenCounter) -> Self:
        """The prompt that a run began with, for going on. `room`: tokens that it may have."""
        omitted = int(recorded.omissions.get("messages") or 0)
        dropped = omitted - int(recorded.base_omissions.get("messages") or 0)
        summarized = int(recorded.omissions.get("summarizedMessages") or 0)
        base = without_oldest(recorded.base, dropped)
        prompt = cls(base, room, count, omitted=omitted, summarized=summarized)
        prompt._recorded = recorded
        return prompt

    # -- what it is ------------------------------------------------------------------------------------------------
    @property
    def messages(self) -> list[Message]:
        """What to send now. Call `fit` first."""
        return assemble(self._base, [(step.number, step.messages) for step in self._steps], self.omissions)

    @property
    def added(self) -> list[dict[str, Any]]:
        """What the next step adds to the prompt of the one before, for `steps.llm_input`."""
        messages = self._steps[-1].messages[1:] if self._steps else self._base
        return [msgspec.to_builtins(message) for message in messages]

    @property
    def omissions(self) -> dict[str, Any]:
        """What is left out, for `steps.input_data`."""
        omissions = {
            "messages": self._omitted,
            "summarizedMessages": self._summarized,
            "steps": [step.number for step in self._steps if step.discarded],
            "earlierSteps": self._earlier,
        }
        return {key: value for key, value in omissions.items() if value}

    @property
    def tokens(self) -> int:
        """Tokens of what is sent now, by the counter, tools included."""
        return self._total + self._tool_tokens

    def important_steps(self, run_id: Any) -> list[dict[str, Any]]:
        """What later runs of the session should know of this one's steps, for `chat_sessions.important_steps`."""
        return [
            {"runId": str(run_id), "stepNumber": step.number, "text": step.line}
            for step in self._steps
            if step.important
        ]

    # -- how it grows ----------------------------------------------------------------------------------------------
    def replace_question(self, text: str) -> None:
        """Puts a text in the question's place (an assistant's template, filled). Does nothing once it was sent."""
        if not self._recorded.base:
            self._base[-1] = Message("user", text)
            self._sizes[-1] = self._size(self._base[-1])
            self._fit_question()
            self._trim_history()

    def add(
        self, step_number: int, output: Message, results: list[Message], line: str, *, important: bool = False
    ) -> None:
        """Adds a step that is done.

        Args:
            step_number: Its number; numbers rise.
            output: What the model said.
            results: What it is told of its calls, in their order.
            line: What is left of the step when it is discarded.
            important: Whether later runs should know of it (`digest.is_important`).
        """
        known = self._recorded.followed.get(step_number)
        output = self._recorded.outputs.get(step_number) or msgspec.structs.replace(
            output, content=storable(output.content)
        )
        messages = [output, *(results if known is None else known)]
        self._steps.append(
            _Step(
                step_number,
                messages,
                sum(map(self._size, messages)),
                one_line(line),
                important,
                recorded=known is not None,
            )
        )

    def say(self, text: str) -> None:
        """Adds something for the model to hear, as the person. Does nothing when it was said before an interruption."""
        if not self._steps:
            self.replace_question(f"{self._base[-1].content}\n\n{text}")
        elif not (step := self._steps[-1]).recorded:
            step.messages.append(Message("user", text))
            step.tokens += self._size(step.messages[-1])

    def discard(self, numbers: Collection[int]) -> None:
        """Leaves steps out. Numbers that it does not hold, as of a search before the first request, are passed over."""
        for step in self._steps:
            if step.number in numbers:
                step.discarded = True
        self._write_earlier()

    def fit(self) -> list[int]:
        """Makes the prompt fit: leaves the oldest turns and steps out, then shortens the newest step's results.

        The newest step itself is left out only when it does not fit without any other and with its results cut to
        nothing.

        Returns:
            The numbers of the steps that are left out from now on.

        Raises:
            QuestionTooLongError: It does not fit without any step, because the model's window became smaller.
        """
        self._trim_history()
        active = [step for step in self._steps if not step.discarded]
        dropped: list[int] = []
        if self._total > self._room:
            enough = self._fixed + (self._room - self._fixed) * _AFTER_DROPPING
            while len(active) > 1 and self._total > enough:
                dropped.append(self._drop(active.pop(0)))
        if self._total > self._room and active:
            self._shorten_results(active[-1])
        if self._total > self._room and active:
            dropped.append(self._drop(active.pop()))
        if self._total > self._room:
            raise QuestionTooLongError(
                f"The question and what was done for it so far have about {self._total} tokens; this model has room "
                f"for {max(0, self._room)}."
            )
        return dropped

    def observe(self, usage: Usage) -> None:
        """Hears what the model's server counted of what was sent last.

        When that is more than by the counter, the next prompts have less room, by as much, or as after a refusal. A
        short prompt says nothing: what servers add to each weighs too much in it.
        """
        if usage.estimated or self.tokens < self._most_room // 4:
            return
        share = min(1.0, self.tokens / max(1, usage.prompt_tokens))
        room = int((self._most_room + self._tool_tokens) * share) - self._tool_tokens
        least = self._fixed + int((self._most_room - self._fixed) * _AFTER_REFUSAL)
        self._room = max(room, least)

    def shrink(self) -> bool:
        """Makes do with less room, after the model's server has refused the prompt as too long. Call `fit` then.

        Returns:
            Whether something can be left out for it.
        """
        kept = int((self._total - self._fixed) * _AFTER_REFUSAL)
        if kept < self._least:
            return False
        self._room = self._most_room = self._fixed + kept
        return True

    # -- how it is kept small --------------------------------------------------------------------------------------
    @property
    def _fixed(self) -> int:
        """Tokens of instructions and question."""
        return self._sizes[0] + self._sizes[-1]

    @property
    def _total(self) -> int:
        steps = sum(step.tokens for step in self._steps if not step.discarded)
        return sum(self._sizes) + steps + (self._count(f"\n\n{self._earlier}") if self._earlier else 0)

    def _size(self, message: Message) -> int:
        # Signed reasoning goes back with the text and the calls that it surrounds.
        state = MESSAGE_OVERHEAD_TOKENS + self._count(message.provider_state) if message.provider_state else 0
        return max(state, count_message_tokens([message], self._count))

    def _trim_history(self) -> None:
        room = (self._room - self._fixed) // _HISTORY_SHARE
        taken = sum(self._sizes[1:-1])
        while len(self._base) > 2 and (taken > room or self._base[1].role != "user"):
            # An answer whose question was left out would be read as the conversation's beginning.
            size = self._sizes.pop(1)
            self._base.pop(1)
            taken -= size
            self._omitted += 1
            self.uncompressed_tokens += size

    def _fit_question(self) -> None:
        question = self._base[-1]
        room = self._room - self._least - self._sizes[0] - MESSAGE_OVERHEAD_TOKENS
        self._base[-1] = Message("user", shorten(question.content, max(0, room), self._count))
        self._sizes[-1] = self._size(self._base[-1])

    def _drop(self, step: _Step) -> int:
        step.discarded = True
        self._write_earlier()
        return step.number

    def _write_earlier(self) -> None:
        """Writes what is left of discarded steps: a line each, the newest as far as there is room."""
        out = [step for step in self._steps if step.discarded]
        room = (self._room - self._fixed) // _EARLIER_STEPS_SHARE
        lines: list[str] = []
        for step in reversed(out):
            line = f"Step {step.number}: {step.line}"
            room -= self._count(line) + 1
            if room < 0:
                break
            lines.insert(0, line)
        if hidden := len(out) - len(lines):
            lines.insert(0, f"{hidden} steps, the last of them step {out[hidden - 1].number}, are left out.")
        self._earlier = delimited("earlier_steps", "\n".join(lines)) if out else ""

    def _shorten_results(self, step: _Step) -> None:
        if step.recorded or step is not self._steps[-1]:
            return
        room = self._room - (self._total - step.tokens)
        output, *results = step.messages
        sizes = [self._count(message.content) for message in results]
        room -= step.tokens - sum(sizes)
        most = _level(sizes, room)
        results = [
            msgspec.structs.replace(message, content=shorten(message.content, most, self._count)) for message in results
        ]
        step.messages = [output, *results]
        step.tokens = sum(map(self._size, step.messages))


def _answer_tokens(model: LlmRecord | None, window: int) -> int:
    """Tokens of the window that are kept free for the answer."""
    usual = DEFAULT_MAX_TOKENS if model and model.provider == "anthropic" else _DEFAULT_ANSWER_TOKENS
    return min((model.max_tokens if model else None) or usual, window // 2)


def _level(sizes: list[int], room: int) -> int:
    """The most that each may have so that all together take `room`: small ones leave theirs to the others."""
    level = 0
    for place, size in enumerate(sorted(sizes)):
        level = max(0, room) // (len(sizes) - place)
        if size > level:
            break
        room -= size
    return level


def apply_template(template: str, context: str, question: str) -> str:
    """Fills an assistant's `task_prompt`: `{context}` and `{query}` are replaced, other braces stay as they are."""
    parts: Mapping[str, str] = {"{context}": context, "{query}": question}
    return re.sub(r"\{context\}|\{query\}", lambda place: parts[place[0]], template)
