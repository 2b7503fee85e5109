"""The end of an attempt: answered, ended early, waiting, or released for another attempt."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import asyncpg
import msgspec
import structlog
from google.protobuf import json_format
from prometheus_client import Counter

from echomind_agent.evidence.citations import cite
from echomind_agent.execution.verification import Verifier
from echomind_agent.learning.memory.recall import Recall, is_used
from echomind_agent.prompts.digest import digest
from echomind_agent.state.call import ended_event
from echomind_agent.state.consulted import BASIS, OTHER_TOOLS
from echomind_agent.state.run import RunState
from echomind_agent.state.sub_runs import final_output, summary
from echomind_agent.state.suspension import RunSuspended
from echomind_agent.steps.executor import StepExecutor
from echomind_lib.db.rejection import data_rejected
from echomind_lib.db.words import AnswerBasis, RunStatus
from echomind_lib.errors import EchoMindError
from echomind_lib.learned.knowledge.uses import cited_in, note_cited
from echomind_lib.learned.sessions.failed_runs import TEACHING_REASONS
from echomind_lib.llms import LlmError
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs import finish, lease
from echomind_lib.runs.citation_rows import NewCitation
from echomind_lib.runs.controls import move_below
from echomind_lib.runs.fence import LeaseLostError
from echomind_lib.runs.finish import Answer, Ending
from echomind_lib.runs.inputs import OUTCOME_UNKNOWN
from echomind_lib.runs.record import RUN_RETRIES, ImportantStep
from echomind_lib.runs.states import status_event
from echomind_lib.runs.steps import NewStep
from echomind_lib.text import normalized, storable

_ENDED = Counter("echomind_agent_runs_ended_total", "Runs that this worker has ended.", ["status", "reason"])
log = structlog.get_logger(__name__)

_STATUS_AFTER: dict[str, RunStatus] = {"cancel": "cancelled", "pause": "paused", "resume": "queued"}
"""The status of a run that is released while another control is requested."""
_STATUS_TEXTS = {
    "paused": "Paused",
    "queued": "Queued",
    "waiting_for_input": "Waiting for a person",
    "waiting_for_children": "Waiting",
}


class RunFinisher:
    """The final writes of one attempt at a run."""

    def __init__(self, state: RunState, steps: StepExecutor, recall: Recall, verifier: Verifier | None = None) -> None:
        self._state, self._steps, self._recall, self._verifier = state, steps, recall, verifier

    async def answer(self, text: str, step: NewStep) -> None:
        """Finishes the run with its answer.

        Args:
            text: The complete text of the model.
            step: The step of the last model call.
        """
        message = await self._verified(text, step.completion_tokens)
        await self._finish(Ending("completed", "Answered"), message, step, step.llm_output["text"])

    async def adopt_answer(self, text: str) -> None:
        """Finishes the run with the answer of a member, whose citations get the run's numbers."""
        self._state.writer.adopt(text)
        message = await self._verified(self._state.writer.text, 0)
        await self._finish(Ending("completed", "Answered"), message, None, text)

    async def conclude(self, words: str, tokens: int) -> None:
        """Finishes the run between two steps, with the text so far as its answer.

        Args:
            words: The last part of the text.
            tokens: Number of its tokens.
        """
        message = await self._verified(self._state.writer.text, tokens)
        await self._finish(Ending("completed", "Answered"), message, None, words)

    async def end(
        self, status: RunStatus, text: str, error: dict[str, str] | None, step: NewStep | None = None
    ) -> None:
        """Finishes the run without an answer; the text so far is kept, with its citations.

        Args:
            status: A final state.
            text: The final event's text.
            error: `runs.error`; None for a cancelled run.
            step: The interrupted step.
        """
        await self._state.writer.complete()
        written = self._state.writer.text
        message = await self._message(written, 0)
        message.error = error["message"] if error else ""
        try:
            await self._finish(Ending(status, text, error), message, step, written)
        except LeaseLostError:
            return
        except asyncpg.PostgresError as failure:
            if data_rejected(failure) is None:
                raise
            # The run's text or its sources cannot be stored, so it ends without them.
            log.error("run ends without its text, which cannot be stored", error=repr(failure))
            bare = Answer(content="", token_count=0, error=message.error)
            await self._finish(Ending(status, text, error), bare, None, "")

    async def suspend(self, suspended: RunSuspended) -> None:
        """Releases the run: paused, or waiting for a person or for sub-agents."""
        state, status, pending = self._state, suspended.status, suspended.pending_input
        if status == "cancelled":
            await self.end("cancelled", "Cancelled", None)
            return
        events, record = [status_event(status, _STATUS_TEXTS[status], state.run.attempt)], None
        if pending is not None:
            if state.run.kind == "member":
                pending.asked_by = state.run.assistant.name
            asked = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=pending.question)
            asked.input_requested.pending_input.CopyFrom(pending)
            events.append(asked)
            record = json_format.MessageToDict(pending)
        await state.writer.flush()
        try:
            await lease.release(
                state.log,
                state.lease,
                status,
                content=state.writer.text,
                seconds=state.budget.seconds,
                events=events,
                pending_input=record,
                has_sub_runs=state.has_sub_runs,
                citations=self._citations(state.writer.text),
            )
        except lease.ControlPendingError as pending_control:
            await self.suspend(RunSuspended(_STATUS_AFTER[pending_control.control]))
            return
        except LeaseLostError:
            return
        if status == "paused" and state.has_sub_runs:
            # Sub-runs that were started after the pause was requested.
            await move_below(state.log, state.run.id, "paused")

    async def retry(self, error: EchoMindError | LlmError, step: NewStep | None = None) -> None:
        """Queues the run for another attempt after a transient failure, at most `RUN_RETRIES` times.

        Args:
            error: The exception.
            step: The interrupted step, which is kept if the run fails, and charged in any case.
        """
        run = self._state.run
        if run.retry_count >= RUN_RETRIES:
            await self.end("failed", "Failed", record_of(error), step)
            return
        log.warning("run retried", run_id=str(run.id), error=str(error))
        with suppress(LeaseLostError):
            await lease.retry(
                self._state.log,
                self._state.lease,
                f"Trying again: {error.message}",
                reason_of(error),
                prompt_tokens=step.prompt_tokens if step else 0,
                completion_tokens=step.completion_tokens if step else 0,
                cost=self._state.budget.unsaved_cost(),
            )

    # -- results of a run ------------------------------------------------------------------------------------------
    async def _message(self, text: str, tokens: int) -> Answer:
        """Returns the new content of the run's message."""
        state, run = self._state, self._state.run
        numbers = {source: number for number, source in enumerate(state.writer.cited_sources, start=1)}
        citations = self._citations(text)
        return Answer(
            content=text,
            token_count=tokens,
            basis=await self._basis(text, is_cited=bool(citations)),
            other_tools=state.consulted.other_tools if text.strip() else (),
            rephrased_query=next((query for query in state.searched if query and query != run.input), ""),
            retrieval_context=[
                {"number": numbers.get(s.number), "chunkId": s.chunk_id, "documentId": s.document_id}
                | {"score": round(s.score, 4)}
                | ({"url": s.url, "title": s.title} if s.url else {})
                for s in state.sources
            ],
            citations=citations,
            memory_ids=state.memory_ids,
        )

    async def _verified(self, text: str, tokens: int) -> Answer:
        """Returns the new content of the message of a complete answer, whose citations a model compares, too."""
        message, state = await self._message(text, tokens), self._state
        if self._verifier is not None and message.citations:
            sources = state.sources.renumbered(state.writer.cited_sources)
            message.citations = await self._verifier.verify(state, text, message.citations, sources)
        return message

    def _citations(self, text: str) -> list[NewCitation]:
        """Returns the citations of a text of the run's message; none for a sub-run, which has no message."""
        state = self._state
        return cite(text, state.sources.renumbered(state.writer.cited_sources)) if state.run.is_root else []

    async def _basis(self, text: str, *, is_cited: bool) -> AnswerBasis | None:
        """Returns what a text stands on; see `Consulted.basis`."""
        consulted = self._state.consulted
        uses_memories = not (is_cited or consulted.other) and await self._uses_memories(text)
        return consulted.basis(text, is_cited=is_cited, uses_memories=uses_memories)

    async def _uses_memories(self, text: str) -> bool:
        state = self._state
        if not (state.memory_ids and text.strip()):
            return False
        if state.memories is None:
            state.memories = await self._recall.contents(state.run.user_id, state.memory_ids)
        return any(is_used(memory, state.run.input, text) for memory in state.memories)

    async def _finish(self, ending: Ending, answer: Answer, step: NewStep | None, last_words: str) -> None:
        state, run = self._state, self._state.run
        ending.cost, ending.seconds = state.budget.unsaved_cost(), state.budget.seconds
        ending.untrusted, ending.first_token_ms = state.untrusted, state.first_token_ms
        ending.has_calls = step is None or state.budget.steps > 1
        cut_off = await self._cut_off() if ending.status != "completed" else []
        if run.is_root:
            important = [*state.context.prompt.important_steps(run.id), *cut_off] if state.context else []
            ending.important_steps = msgspec.to_builtins(important)
            ending.requests_title = ending.status == "completed" and run.wants_title
            ending.requests_lesson = self._wants_lesson(ending)
            if run.auto_run:
                ending.session_status = ending.status if ending.status in ("completed", "cancelled") else "failed"
        else:
            # The parent gets the last step's text: earlier text was not shown to anyone, unless the member answers the
            # user in place of its leader. Then no final event repeats the text, so the writer is flushed first.
            if run.state.message_id:
                await state.writer.flush()
                last_words = state.writer.written
            output = final_output(storable(last_words), state.sources)
            basis = await self._basis(last_words, is_cited=bool(output["sources"]))
            ending.final_output = output | {BASIS: basis, OTHER_TOOLS: state.consulted.other_tools}
            ending.result_summary = summary(storable(last_words))
        if cited := cited_in(answer.content):
            await note_cited(state.log.pool, run.session.id, cited)
        await finish.finish(state.log, state.lease, answer, ending, step)
        _ENDED.labels(ending.status, ending.error["reason"] if ending.error else "").inc()
        state.ending = ending
        if ending.status == "completed" and state.memory_ids:
            await self._recall.record_use(state.lease, state.memory_ids, answer.content)
        if ending.status != "completed":
            await self._steps.abandon()
        if state.has_sub_runs or ending.status != "completed":
            await move_below(state.log, run.id, "cancelled")

    async def _cut_off(self) -> list[ImportantStep]:
        """Tells of the calls that the end of the run cuts off while they change something; returns them as a step."""
        state, step = self._state, self._state.open_step
        calls = [call for call in step.open if call.is_effect_unknown] if step else []
        if step is None or not calls:
            return []
        await lease.record_events(
            state.log, state.lease, [ended_event(call, step.number, "failed", "", OUTCOME_UNKNOWN) for call in calls]
        )
        line = digest("action", [call.request for call in calls], [OUTCOME_UNKNOWN] * len(calls))
        return [ImportantStep(str(state.run.id), step.number, line)]

    def _wants_lesson(self, ending: Ending) -> bool:
        """Returns whether to request a lesson from the run: it executed steps, and failed at its task."""
        model = self._state.run.model
        has_failed = ending.error is not None and ending.error["reason"] in TEACHING_REASONS
        return has_failed and self._state.budget.steps > 0 and model is not None and not model.is_extractive


def record_of(error: EchoMindError | LlmError) -> dict[str, str]:
    """Returns `runs.error` for an error, and logs it: `message` is for all users, `detail` for superadmins."""
    log.warning("run failed", reason=reason_of(error), error=str(error))
    record = {"reason": reason_of(error), "message": error.message}
    if isinstance(error, LlmError) and error.retry_after is not None:
        record["retry_at"] = (datetime.now(UTC) + timedelta(seconds=error.retry_after)).isoformat()
    detail = error.detail if isinstance(error, EchoMindError) else str(error)
    return record | {"detail": normalized(detail)} if detail else record


def reason_of(error: EchoMindError | LlmError) -> str:
    """Returns `RunError.reason` for an error; for a model's error its class name, such as `LLM_RATE_LIMITED`."""
    if isinstance(error, EchoMindError):
        return error.reason
    name = type(error).__name__
    return "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in name).lstrip("_")
