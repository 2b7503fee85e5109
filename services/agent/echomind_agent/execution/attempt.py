"""One attempt at a run: its execution, controls requested meanwhile, and its end."""

import asyncio
from uuid import UUID

import structlog

from echomind_agent.execution.finish import RunFinisher, record_of
from echomind_agent.execution.loop import RunLoop
from echomind_agent.execution.model_calls import ModelCaller
from echomind_agent.execution.notebook_sources import notebook_problem
from echomind_agent.execution.preparation import Preparation
from echomind_agent.execution.services import Services
from echomind_agent.prompts.base import QuestionTooLongError
from echomind_agent.state.budget import LimitError
from echomind_agent.state.run import RunState
from echomind_agent.state.suspension import RunSuspended
from echomind_agent.steps.executor import StepExecutor
from echomind_lib.access.assistant_choice import assistant_unavailable
from echomind_lib.db.words import StepStatus
from echomind_lib.errors import EchoMindError
from echomind_lib.llms import LlmError, LlmStreamBroken
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import SnapshotReply
from echomind_lib.quotas import charging
from echomind_lib.runs.fence import LeaseLostError, RunLease
from echomind_lib.runs.record import RUN_RETRIES
from echomind_lib.runs.steps import NewStep
from echomind_lib.text import normalized

log = structlog.get_logger(__name__)


class RunAttempt:
    """One attempt at a run, executed by a worker."""

    def __init__(self, services: Services, lease: RunLease) -> None:
        self._services = services
        self._state = RunState.begin(services.log, lease)
        self._caller = ModelCaller(self._state)
        self._steps = StepExecutor(self._state)
        self._finisher = RunFinisher(self._state, self._steps, services.recall, services.verifier)
        self._work: asyncio.Task[None] | None = None
        self._deadline: asyncio.Timeout | None = None

    @property
    def state(self) -> RunState:
        """Returns the state of the attempt."""
        return self._state

    @property
    def run_id(self) -> UUID:
        """Returns the id of the run."""
        return self._state.run.id

    @property
    def number(self) -> int:
        """Returns the number of this attempt, starting at 1."""
        return self._state.run.attempt

    # -- controls --------------------------------------------------------------------------------------------------
    def control(self, requested: str) -> None:
        """Executes a requested control: a cancel stops the model's stream at once, a pause acts at the step's end."""
        self._state.request_control(requested)
        if requested == "cancel" and self._work is not None:
            self._work.cancel()

    def snapshot(self) -> SnapshotReply | None:
        """Returns the text so far, for a late subscriber; None if it is in the run's message already."""
        return None if self._state.ending is not None else self._state.writer.snapshot()

    async def run(self) -> None:
        """Executes the run until it ends, waits, is paused, or is claimed by another worker.

        Raises only if the database fails, or on cancellation: then the run's row is unchanged, for another worker to
        claim.
        """
        finisher = self._finisher
        self._work = asyncio.create_task(self._execute())
        try:
            await self._work
        except asyncio.CancelledError:
            if self._state.control != "cancel" or _being_cancelled():
                self._work.cancel()
                raise
            await finisher.end(
                "cancelled", "Cancelled", None, self._interrupted_step("cancelled", "The run was cancelled.")
            )
        except LeaseLostError:
            log.info("run lost to another worker", run_id=str(self.run_id), attempt=self.number)
        except RunSuspended as suspended:
            await finisher.suspend(suspended)
        except TimeoutError:
            if self._deadline is None or not self._deadline.expired():
                raise  # raised by the database, not by the run's deadline
            message = f"The run took longer than {self._state.run.limits.seconds} seconds."
            step = self._interrupted_step("timeout", message)
            await finisher.end("timeout", "Timed out", {"reason": "TIMEOUT", "message": message}, step)
        except LimitError as error:
            step = self._interrupted_step("failed", str(error))
            record = {"reason": error.reason, "message": str(error)}
            if error.retry_at is not None:
                record["retry_at"] = error.retry_at.isoformat()
            await finisher.end("failed", str(error), record, step)
        except QuestionTooLongError as error:
            await finisher.end("failed", str(error), {"reason": "QUESTION_TOO_LONG", "message": str(error)})
        except LlmError as error:
            step = self._interrupted_step("failed", error.message)
            # A failure before the model's first words was retried by the caller already.
            if isinstance(error, LlmStreamBroken) or (error.retryable and self._state.writer.text):
                await finisher.retry(error, step)
            else:
                await finisher.end("failed", "The model failed", record_of(error), step)
        except EchoMindError as error:
            if error.retryable:
                await finisher.retry(error, self._interrupted_step("failed", error.message))
            else:
                await self.fail(error)
        finally:
            await self._state.writer.close(send=False)
        if self._state.run.limits.has_quotas:
            await charging.settle(self._state.log.pool, self._state.lease)

    async def fail(self, error: EchoMindError) -> None:
        """Fails the run permanently."""
        await self._finisher.end("failed", "Failed", record_of(error))

    async def fail_internally(self) -> None:
        """Fails the run after an internal error; the log has the cause."""
        message = "Something went wrong in EchoMind. Ask again; if it stays, the agent's log says more."
        await self._finisher.end("failed", "Failed", {"reason": "INTERNAL", "message": message})

    # -- execution -------------------------------------------------------------------------------------------------
    async def _execute(self) -> None:
        state, run = self._state, self._state.run
        if run.retry_count > RUN_RETRIES:
            raise LimitError("INTERRUPTED", f"The run was interrupted {run.retry_count} times; ask again.")
        if not run.assistant.is_usable:  # removed or hidden since the question was asked
            raise assistant_unavailable(run.session.id)
        if problem := await notebook_problem(state.log.pool, run):
            await self._finisher.end("failed", problem["message"], problem)
            return
        if run.usage.steps:
            await state.budget.read_below(state.log.pool)
        async with asyncio.timeout(state.budget.seconds_left) as self._deadline:
            preparation = Preparation(self._services, state, self._steps, self._caller)
            context = await preparation.prepare()
            loop = RunLoop(
                state=state, context=context, caller=self._caller, steps=self._steps, finisher=self._finisher
            )
            await loop.run()

    def _interrupted_step(self, status: StepStatus, reason: str) -> NewStep | None:
        """Returns a step for a model request interrupted by the run's end; None if all requests are recorded."""
        completion, context = self._caller.unrecorded(), self._state.context
        if completion is None or context is None:
            return None
        step = context.new_step("synthesizer", "answer", completion, self._state.turn_began)
        step.status, step.error_message = status, normalized(reason)
        return step


def _being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
