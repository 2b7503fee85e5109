"""How an attempt leaves its run: answered, ended early, waiting, or to another attempt."""

import asyncpg
import msgspec
import structlog
from google.protobuf import json_format

from echomind_agent.evidence.citations import cite
from echomind_agent.evidence.sources import Sources
from echomind_agent.execution.budget import Budget
from echomind_agent.execution.delta_writer import DeltaWriter
from echomind_agent.execution.sub_runs import final_output, summary
from echomind_agent.execution.suspension import RunSuspended
from echomind_agent.prompts.prompt import Prompt
from echomind_agent.steps.executor import StepExecutor
from echomind_lib.db.rejection import data_rejected
from echomind_lib.db.words import RunStatus
from echomind_lib.errors import EchoMindError
from echomind_lib.events.log import EventLog
from echomind_lib.llms import LlmError
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs import finish, lease
from echomind_lib.runs.controls import move_below
from echomind_lib.runs.fence import LeaseLostError
from echomind_lib.runs.finish import Answer, Ending
from echomind_lib.runs.lease import RunLease
from echomind_lib.runs.states import run_status
from echomind_lib.runs.steps import NewStep
from echomind_lib.text import normalized, storable

log = structlog.get_logger(__name__)

_DOES: dict[str, RunStatus] = {"cancel": "cancelled", "pause": "paused", "resume": "queued"}
"""Where a run goes that is left while a person asks for something else."""


class RunFinisher:
    """The last writes of one attempt at a run."""

    def __init__(
        self,
        event_log: EventLog,
        taken: RunLease,
        sources: Sources,
        budget: Budget,
        steps: StepExecutor,
        writer: DeltaWriter,
    ) -> None:
        self._log, self._taken, self._run = event_log, taken, taken.run
        self._sources, self._budget, self._steps, self._writer = sources, budget, steps, writer
        self._is_root = taken.run.is_root
        self.prompt: Prompt | None = None
        """The run's prompt, once there is one."""
        self.is_over = False
        """Whether the run has ended, so that its text is to be read from its message."""

    def _message(self, text: str, tokens: int) -> Answer:
        searched = self._steps.searched
        cited = self._writer.cited_sources
        shown = self._sources.renumbered(cited)
        numbers = {source: number for number, source in enumerate(cited, start=1)}
        return Answer(
            content=text,
            token_count=tokens,
            rephrased_query=next((query for query in searched if query and query != self._run.input), ""),
            retrieval_context=[
                {"number": numbers.get(s.number), "chunkId": s.chunk_id, "documentId": s.document_id}
                | {"score": round(s.score, 4)}
                for s in self._sources
            ],
            citations=cite(text, shown) if self._is_root else [],
        )

    async def answer(self, text: str, step: NewStep) -> None:
        """Ends the run with its answer. `text` is all that was said, `step` the step that said the last of it."""
        answer = self._message(text, step.completion_tokens)
        await self._finish(Ending("completed", "Answered"), answer, step, step.llm_output["text"])

    async def _finish(self, ending: Ending, answer: Answer, step: NewStep | None, last_words: str) -> None:
        ending.cost, ending.seconds = self._budget.unsaved_cost(), self._budget.seconds
        ending.tainted = self._steps.tainted
        if self._is_root:
            important = self.prompt.important_steps(self._taken.run_id) if self.prompt else []
            ending.important_steps = msgspec.to_builtins(important)
            if self._run.auto_run:
                ending.session_status = ending.status if ending.status in ("completed", "cancelled") else "failed"
        else:
            # What was said between the steps was said to nobody: the parent gets the last words.
            ending.final_output = final_output(storable(last_words), self._sources)
            ending.result_summary = summary(storable(last_words))
        await finish.finish(self._log, self._taken, answer, ending, step)
        self.is_over = True
        if ending.status != "completed":
            await self._steps.abandon()
        if self._steps.has_children or ending.status != "completed":
            await move_below(self._log, self._taken.run_id, "cancelled")

    async def end(
        self, status: RunStatus, text: str, error: dict[str, str] | None, step: NewStep | None = None
    ) -> None:
        """Ends the run without an answer; the text so far stays, with its citations. `step` is what the end cut off."""
        await self._writer.complete()
        written = self._writer.text
        answer = self._message(written, 0)
        answer.error = error["message"] if error else ""
        try:
            await self._finish(Ending(status, text, error), answer, step, written)
        except LeaseLostError:
            return
        except asyncpg.PostgresError as failure:
            if data_rejected(failure) is None:
                raise
            # What cannot be stored is in what the run has written or found: it ends without that.
            log.error("run ends without its text, which cannot be stored", error=repr(failure))
            bare = Answer(content="", token_count=0)
            bare.error = answer.error
            await self._finish(Ending(status, text, error), bare, None, "")

    async def leave(self, stopped: RunSuspended) -> None:
        """Gives the run back: paused, or waiting for a person or for sub-agents."""
        status, pending = stopped.status, stopped.pending_input
        if status == "cancelled":
            await self.end("cancelled", "Cancelled", None)
            return
        text = {
            "paused": "Paused",
            "queued": "Queued",
            "waiting_for_input": "Waiting for a person",
            "waiting_for_children": "Waiting",
        }
        event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_STATUS, text=text[status])
        event.status.status = run_status(status)
        event.status.attempt = self._taken.attempt
        events, record = [event], None
        if pending is not None:
            asked = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=pending.question)
            asked.input_requested.pending_input.CopyFrom(pending)
            events.append(asked)
            record = json_format.MessageToDict(pending)
        await self._writer.flush()
        try:
            await lease.release(self._log, self._taken, status, self._writer.text, self._budget.seconds, events, record)
        except lease.ControlPendingError as pending_control:
            await self.leave(RunSuspended(_DOES[pending_control.control]))
            return
        except LeaseLostError:
            return
        if status == "paused" and self._steps.has_children:
            # Those that were started after the pause was asked for.
            await move_below(self._log, self._taken.run_id, "paused")

    async def try_again(self, error: EchoMindError | LlmError, step: NewStep | None = None) -> None:
        """Hands the run to the next attempt after a failure that may pass, as often as the run allows.

        Args:
            error: What failed.
            step: The step that it cut off, for a run that ends by it.
        """
        if self._run.retry_count >= self._run.limits.retries:
            await self.end("failed", "Failed", record_of(error), step)
            return
        log.warning("run is tried again", run_id=str(self._taken.run_id), error=str(error))
        try:
            await lease.retry(self._log, self._taken, f"Trying again: {error.message}")
        except LeaseLostError:
            return


def record_of(error: EchoMindError | LlmError) -> dict[str, str]:
    """Returns `runs.error` for an error, and logs it: `message` is for everybody, `detail` for superadmins."""
    log.warning("run failed", reason=reason_of(error), error=str(error))
    record = {"reason": reason_of(error), "message": error.message}
    detail = error.detail if isinstance(error, EchoMindError) else str(error)
    return record | {"detail": normalized(detail)} if detail else record


def reason_of(error: EchoMindError | LlmError) -> str:
    """The word of `RunError.reason` for an error: of a model's, its class's name, such as `LLM_RATE_LIMITED`."""
    if isinstance(error, EchoMindError):
        return error.reason
    name = type(error).__name__
    return "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in name).lstrip("_")
