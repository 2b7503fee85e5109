"""The answer of a run, read from its events: pieces of text, and its end."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any, TypeAlias

from google.protobuf import json_format

from echomind_api.transports.openai.errors import NO_QUOTA, RATE_LIMITED, RunEndedError, seconds_until
from echomind_api.transports.openai.file_searches import SEARCH_TOOL
from echomind_lib.conversations.questions import Submission
from echomind_lib.models.public import ChatMessage
from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import (
    WARNING_CODE_ANSWER_CUT_OFF,
    RunFinished,
    SessionEvent,
    ToolCallChanged,
)
from echomind_lib.pb.echomind.public.v1.step_pb2 import STEP_STATUS_COMPLETED
from echomind_lib.runs.caller import Caller

_EXACT = 2**53
_REFUSALS = {"QUOTA_EXCEEDED": NO_QUOTA, "LLM_QUOTA_EXHAUSTED": NO_QUOTA, "LLM_RATE_LIMITED": RATE_LIMITED}
"""OpenAI's code of a model call that was refused, by the run's error."""


@dataclass(frozen=True, slots=True)
class HandedCall:
    """A call of a tool that the caller runs."""

    id: str
    name: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SearchEnded:
    """A search in documents has ended."""

    call_id: str


@dataclass(slots=True, kw_only=True)
class Answer:
    """A complete answer."""

    text: str
    message: ChatMessage
    """The answer as it is stored, with its citations."""
    calls: list[HandedCall] = field(default_factory=list)
    """What the caller is to call; empty unless the run has ended with it."""
    is_cut_off: bool = False
    """Whether the model has reached its limit of tokens."""
    is_question: bool = False
    """Whether it ends with a question of the assistant, which the next message of the conversation answers."""
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def finish_reason(self) -> str:
        """Returns the reason in the words of chat completions."""
        return "tool_calls" if self.calls else "length" if self.is_cut_off else "stop"


Item: TypeAlias = str | SearchEnded | Answer
"""A piece of text, a search, or at the end the answer."""


class AnswerReader:
    """Reads the answer of one run. What was given out is never taken back: a change of it is an error."""

    def __init__(
        self, submission: Submission, caller: Caller, on_waiting: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        """Prepares reading.

        Args:
            submission: The question as it is stored.
            caller: What the program gave besides it.
            on_waiting: Called when the answer ends because the run waits for what is given in EchoMind alone.
        """
        self._on_waiting = on_waiting
        self._run_id = str(submission.run_id)
        self._message_id = submission.question.assistant_message_id
        self._max_calls = caller.max_calls
        self._names: Collection[str] = frozenset(tool.name for tool in caller.tools)
        self._attempt = 0
        self._text = self._sent = ""
        self._step = 0
        self._calls: list[ToolCallChanged] = []
        self._is_cut_off = False

    async def read(self, events: AsyncIterator[SessionEvent]) -> AsyncGenerator[Item, None]:
        """Yields pieces of text, searches, and last the answer.

        Raises:
            RunEndedError: The run failed, was cancelled or waits for an approval, a sub-run waits for a person, or a
                worker that replaced a dead one writes another text.
        """
        async for event in events:
            detail = event.WhichOneof("detail")
            if detail == "delta" and event.delta.message_id == self._message_id:
                self._write(event.delta.attempt, event.delta.offset, event.delta.text)
            elif detail == "snapshot" and event.snapshot.message_id == self._message_id:
                self._write(event.snapshot.attempt, 0, event.snapshot.text)
            elif event.run_id != self._run_id:
                if detail == "input_requested":  # of a sub-run: the root waits for it
                    raise await self._waiting(event.input_requested.pending_input)
                continue
            elif detail == "tool_call":
                self._note(event.tool_call)
                if event.tool_call.tool_name == SEARCH_TOOL and event.tool_call.status == STEP_STATUS_COMPLETED:
                    yield SearchEnded(event.tool_call.tool_call_id)
            elif event.warning.code == WARNING_CODE_ANSWER_CUT_OFF:
                self._is_cut_off = True
            elif detail == "finished":
                async for item in self._end(event.finished):
                    yield item
                return
            elif detail == "input_requested":
                async for item in self._asks(event.input_requested.pending_input):
                    yield item
                return
            if piece := self._piece():
                yield piece
        raise RunEndedError("The stream of the run ended before the run.", "stream_ended")

    def _write(self, attempt: int, offset: int, text: str) -> None:
        if attempt < self._attempt:
            return
        if attempt > self._attempt:
            self._attempt, self._text = attempt, ""
        self._text = self._text[:offset] + text

    def _piece(self) -> str:
        """Returns the text that was not given out yet; empty while a new attempt repeats what was."""
        if self._text.startswith(self._sent):
            piece = self._text[len(self._sent) :]
            self._sent = self._text
            return piece
        if self._sent.startswith(self._text):
            return ""
        raise RunEndedError("The answer was interrupted and begins again with other words: ask again.", "restarted")

    def _note(self, call: ToolCallChanged) -> None:
        if not call.HasField("parameters"):
            return  # progress or end of a call that is known
        if call.step_number != self._step:
            self._step, self._calls = call.step_number, []
        if all(known.tool_call_id != call.tool_call_id for known in self._calls):
            self._calls.append(call)

    def _handed(self) -> list[HandedCall]:
        """Returns the calls of the last step that called tools, if all are the caller's: then the run ended there."""
        if any(call.tool_name not in self._names for call in self._calls):
            return []
        return [
            HandedCall(call.tool_call_id, call.tool_name, _exact(json_format.MessageToDict(call.parameters)))
            for call in self._calls[: self._max_calls]
        ]

    async def _end(self, finished: RunFinished) -> AsyncIterator[Item]:
        if finished.status != run_pb2.RUN_STATUS_COMPLETED:
            raise _failure(finished)
        self._text = finished.message.content
        if piece := self._piece():
            yield piece
        if self._sent != self._text:
            raise RunEndedError("The stored answer is shorter than what was sent: ask again.", "restarted")
        yield Answer(
            text=self._text,
            message=ChatMessage.from_pb(finished.message),
            calls=self._handed(),
            is_cut_off=self._is_cut_off,
            prompt_tokens=finished.prompt_tokens,
            completion_tokens=finished.completion_tokens,
        )

    async def _asks(self, pending: run_pb2.PendingInput) -> AsyncIterator[Item]:
        if pending.kind != run_pb2.PENDING_INPUT_KIND_CLARIFICATION:
            raise await self._waiting(pending)
        options = "".join(f"\n- {option}" for option in pending.options)
        question = f"{pending.question}{options}"
        piece = f"\n\n{question}" if self._sent else question
        yield piece
        text = self._sent + piece
        yield Answer(text=text, message=ChatMessage(id=self._message_id, content=text), is_question=True)

    async def _waiting(self, pending: run_pb2.PendingInput) -> RunEndedError:
        if self._on_waiting is not None:
            await self._on_waiting()
        return RunEndedError(
            f"The run waits for a person, in EchoMind: {pending.question}", "input_required", status=409
        )


def _failure(finished: RunFinished) -> RunEndedError:
    """Returns the error of a run that has ended without an answer."""
    error = finished.error
    status = run_pb2.RunStatus.Name(finished.status).removeprefix("RUN_STATUS_").lower()
    message = error.message or f"The run ended as {status}."
    if finished.status == run_pb2.RUN_STATUS_CANCELLED:
        return RunEndedError(message, "run_cancelled", 409)
    if code := _REFUSALS.get(error.reason):
        retry_after = seconds_until(error.retry_at.ToDatetime(UTC)) if error.HasField("retry_at") else None
        return RunEndedError(message, code, 429, retry_after)
    return RunEndedError(message, error.reason.lower() or f"run_{status}")


def _exact(value: Any) -> Any:
    """Returns arguments with whole numbers as integers: events have only floats."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    if isinstance(value, dict):
        return {name: _exact(item) for name, item in value.items()}
    return [_exact(item) for item in value] if isinstance(value, list) else value
