"""The growing prompt of a run, which always fits into the model's window, and records its omissions.

It consists of a base (system message, earlier turns, the question) and the run's steps. If it exceeds the window, the
oldest steps are excluded, and replaced by one line each after the question. A resumed run uses the recorded prompts
unchanged, so that `echomind_lib.runs.prompts` can rebuild every prompt exactly.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Self
from uuid import UUID

import asyncpg
import msgspec

from echomind_agent.prompts.base import PromptBase, QuestionTooLongError, least_room, new_base, prompt_room
from echomind_agent.prompts.sections import HISTORY_SHARE
from echomind_agent.prompts.steps import PromptStep, PromptSteps, message_tokens
from echomind_agent.text.shortening import one_line, shorten
from echomind_lib.llms import Message, Usage
from echomind_lib.llms.tokens import MESSAGE_OVERHEAD_TOKENS, TokenCounter
from echomind_lib.runs.prompts import Omissions, RecordedPrompt, assemble, read_recorded, without_oldest
from echomind_lib.runs.record import ImportantStep, RunRecord
from echomind_lib.text import storable

_AFTER_EXCLUDING = 0.75
"""Share of the room to use after steps were excluded. As excluding changes the start of the prompt, which invalidates
providers' caches, it is done rarely and for several steps at once."""
_AFTER_REFUSAL = 0.5
"""Share of the tokens besides instructions and question that is kept after a server rejected a prompt as too long, as
token counts and windows are estimates."""


class Prompt:
    """The prompt of one run. Create it with `build`; before each request to the model call `fit`."""

    def __init__(
        self, base: PromptBase, room: int, count: TokenCounter, recorded: RecordedPrompt | None = None
    ) -> None:
        """Initializes the prompt with its base, without the turns that do not fit.

        Args:
            base: The beginning of the run's prompt.
            room: Maximum tokens of the prompt.
            count: Counts tokens.
            recorded: Recorded prompts of the run's steps, for a resumed run.
        """
        self._base, self._count = base.messages, count
        self._room = self._max_room = room
        self._least = least_room(count)
        self._omitted, self._summarized = base.omitted, base.summarized
        self._steps = PromptSteps(count)
        self._recorded = recorded or RecordedPrompt()
        self._sizes = [message_tokens(message, count) for message in base.messages]
        self._tool_tokens = 0
        self.unsummarized_tokens = base.unsummarized_tokens
        """Tokens of the session's messages that are neither in the prompt nor in its summary."""
        self.summary = ""
        """Summary of earlier messages, as stored with the run's session; empty if the prompt contains none."""
        self._trim_history()

    @classmethod
    async def build(
        cls, pool: asyncpg.Pool, run: RunRecord, count: TokenCounter, tool_tokens: int, memories: Sequence[str] = ()
    ) -> Self:
        """Builds the initial prompt of a run; for a resumed run, the same as before.

        A resumed run adds all its steps again, in order and including excluded ones, and then calls `exclude`.

        Args:
            pool: The database.
            run: The run.
            count: Counts tokens.
            tool_tokens: Tokens of the tools' descriptions.
            memories: Memories of the user, one line each; a resumed run keeps its original ones.

        Raises:
            QuestionTooLongError: The question alone does not fit.
        """
        room = prompt_room(run.model, tool_tokens)
        recorded = await read_recorded(pool, run.id) if run.usage.steps else RecordedPrompt()
        if recorded.base:
            prompt = cls.restore(recorded, room, count)
        else:
            prompt = cls(await new_base(pool, run, room, count, memories), room, count)
        prompt._tool_tokens = tool_tokens
        if prompt._summarized:
            prompt.summary = run.session.summary
        return prompt

    @classmethod
    def restore(cls, recorded: RecordedPrompt, room: int, count: TokenCounter) -> Self:
        """Returns the initial prompt of a run; `room` is the maximum of tokens."""
        omissions = recorded.omissions
        base = PromptBase(
            messages=without_oldest(recorded.base, omissions.messages - recorded.base_omissions.messages),
            omitted=omissions.messages,
            summarized=omissions.summarized_messages,
        )
        return cls(base, room, count, recorded)

    # -- contents --------------------------------------------------------------------------------------------------
    @property
    def messages(self) -> list[Message]:
        """Returns the messages to send. Call `fit` first."""
        return assemble(self._base, [(step.number, step.messages) for step in self._steps.all], self.omissions)

    @property
    def added(self) -> list[dict[str, Any]]:
        """Returns the messages that the next step adds to the previous prompt, for `steps.llm_input`."""
        newest = self._steps.newest
        return [msgspec.to_builtins(message) for message in (newest.messages[1:] if newest else self._base)]

    @property
    def omissions(self) -> Omissions:
        """Returns the omissions."""
        return Omissions(
            messages=self._omitted,
            summarized_messages=self._summarized,
            steps=tuple(step.number for step in self._steps.all if step.is_excluded),
            earlier_steps=self._steps.earlier,
        )

    @property
    def tokens(self) -> int:
        """Returns the tokens of the current prompt, including tools."""
        return self._total + self._tool_tokens

    def important_steps(self, run_id: UUID) -> list[ImportantStep]:
        """Returns the important steps, for later runs of the session."""
        return [ImportantStep(str(run_id), step.number, step.line) for step in self._steps.all if step.is_important]

    # -- adding ----------------------------------------------------------------------------------------------------
    def replace_question(self, text: str) -> None:
        """Replaces the question by a text (an assistant's template, filled). Does nothing if it was sent already."""
        if not self._recorded.base:
            self._base[-1] = Message("user", text)
            self._sizes[-1] = message_tokens(self._base[-1], self._count)
            self._fit_question()
            self._trim_history()

    def add(
        self, step_number: int, output: Message, results: list[Message], line: str, *, important: bool = False
    ) -> None:
        """Adds a completed step.

        Args:
            step_number: Its number, in ascending order.
            output: The model's output.
            results: The results of its calls, in order.
            line: The line that replaces the step if it is excluded.
            important: Whether to mention it to later runs (`Call.is_important`).
        """
        known = self._recorded.followed.get(step_number)
        output = self._recorded.outputs.get(step_number) or msgspec.structs.replace(
            output, content=storable(output.content)
        )
        messages = [output, *(results if known is None else known)]
        self._steps.add(
            PromptStep(
                number=step_number,
                messages=messages,
                tokens=sum(message_tokens(message, self._count) for message in messages),
                line=one_line(line),
                is_important=important,
                is_recorded=known is not None,
            )
        )

    def add_reminder(self, text: str) -> None:
        """Adds a reminder as a user message. Does nothing if a later step has recorded it already."""
        newest = self._steps.newest
        if newest is None:
            self.replace_question(f"{self._base[-1].content}\n\n{text}")
        elif not newest.is_recorded:
            self._steps.add_message(newest, Message("user", text))

    def exclude(self, numbers: Collection[int]) -> None:
        """Excludes steps. Unknown numbers, such as that of a search before the first request, are ignored."""
        self._steps.exclude(numbers, self._room - self._fixed)

    def fit(self) -> list[int]:
        """Shortens the prompt: omits the oldest turns and steps, then shortens the results of the newest step.

        The newest step itself is excluded only if it does not fit alone even with empty results.

        Returns:
            The numbers of the newly excluded steps.

        Raises:
            QuestionTooLongError: It does not fit without any step, as the model's window became smaller.
        """
        self._trim_history()
        included = [step.number for step in self._steps.included]
        excluded: list[int] = []
        if self._total > self._room:
            enough = self._fixed + (self._room - self._fixed) * _AFTER_EXCLUDING
            while len(included) > 1 and self._total > enough:
                excluded.append(included.pop(0))
                self.exclude(excluded)
        if self._total > self._room and included:
            newest = self._steps.included[-1]
            self._steps.shorten_newest(self._room - (self._total - newest.tokens))
        if self._total > self._room and included:
            excluded.append(included.pop())
            self.exclude(excluded)
        if self._total > self._room:
            raise QuestionTooLongError(
                f"The question and what was done for it so far have about {self._total} tokens; this model has room "
                f"for {max(0, self._room)}."
            )
        return excluded

    def observe(self, usage: Usage) -> None:
        """Adjusts the limit to the server's token count of the last prompt.

        If it exceeds our count, the next prompts get less room, by as much, or as after a rejection. Short prompts are
        ignored, as constant additions by the server dominate them.
        """
        if usage.estimated or self.tokens < self._max_room // 4:
            return
        share = min(1.0, self.tokens / max(1, usage.prompt_tokens))
        room = int((self._max_room + self._tool_tokens) * share) - self._tool_tokens
        least = self._fixed + int((self._max_room - self._fixed) * _AFTER_REFUSAL)
        self._room = max(room, least)

    def shrink(self) -> bool:
        """Lowers the limit after the model's server has rejected the prompt as too long. Call `fit` afterwards.

        Returns:
            Whether anything can be omitted.
        """
        kept = int((self._total - self._fixed) * _AFTER_REFUSAL)
        if kept < self._least:
            return False
        self._room = self._max_room = self._fixed + kept
        return True

    # -- fitting the context window --------------------------------------------------------------------------------
    @property
    def _fixed(self) -> int:
        """Returns the tokens of the system message and the question."""
        return self._sizes[0] + self._sizes[-1]

    @property
    def _total(self) -> int:
        return sum(self._sizes) + self._steps.tokens

    def _trim_history(self) -> None:
        budget = (self._room - self._fixed) // HISTORY_SHARE
        tokens = sum(self._sizes[1:-1])
        while len(self._base) > 2 and (tokens > budget or self._base[1].role != "user"):
            # An answer whose question is omitted would be read as the start of the conversation.
            size = self._sizes.pop(1)
            self._base.pop(1)
            tokens -= size
            self._omitted += 1
            self.unsummarized_tokens += size

    def _fit_question(self) -> None:
        question = self._base[-1]
        room = self._room - self._least - self._sizes[0] - MESSAGE_OVERHEAD_TOKENS
        self._base[-1] = Message("user", shorten(question.content, max(0, room), self._count))
        self._sizes[-1] = message_tokens(self._base[-1], self._count)


def apply_template(template: str, context: str, question: str) -> str:
    """Fills an assistant's `task_prompt`: `{context}` and `{query}` are replaced, other braces are unchanged."""
    parts: Mapping[str, str] = {"{context}": context, "{query}": question}
    return re.sub(r"\{context\}|\{query\}", lambda match: parts[match[0]], template)
