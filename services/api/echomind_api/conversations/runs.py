"""Runs, their steps and their sessions' events."""

from collections.abc import AsyncIterator
from uuid import UUID

import asyncpg
from typing_extensions import override

from echomind_api.administration.rows import missing
from echomind_api.conversations.access import require_session
from echomind_api.conversations.controls import Controls
from echomind_api.streams import Feeds, sse_id
from echomind_lib.access import runs as runs_rule
from echomind_lib.access.assistant_choice import USABLE
from echomind_lib.access.rules import Action
from echomind_lib.contract import CallContext
from echomind_lib.conversations.waiting import waiting_run
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.db.words import RunStatus as RunStatusWord
from echomind_lib.errors import PermissionDeniedError, RunStateError, ValidationFailedError
from echomind_lib.mappers import runs
from echomind_lib.models.public import (
    ApproveToolCallRequest,
    CancelRunRequest,
    DiscardStepRequest,
    GetRunRequest,
    GetRunTreeRequest,
    GetStepPromptRequest,
    ListRunsRequest,
    ListRunsResponse,
    ListStepsRequest,
    ListStepsResponse,
    PauseRunRequest,
    ProvideInputRequest,
    ResumeRunRequest,
    Run,
    RunService,
    RunStatus,
    RunTree,
    Step,
    StepPrompt,
    StreamSessionEventsRequest,
)
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.inputs import answered_with
from echomind_lib.runs.prompts import read_prompt

_RUNS = """
SELECT run.id, run.chat_session_id, run.parent_run_id, run.parent_step_id, run.kind, run.assistant_id, run.llm_id,
    run.status, run.input, run.error, run.goal, run.auto_run, run.ask_clarifications, run.pending_input,
    run.result_summary, run.final_output ->> 'text' AS output, run.depth, run.max_steps, run.timeout_seconds,
    run.max_run_tokens, run.max_cost::float8 AS max_cost, run.max_depth, run.steps_executed, run.tools_called,
    run.prompt_tokens, run.completion_tokens, run.cost::float8 AS cost, run.seconds_spent, run.attempt, run.held_back,
    run.creation_date, run.started_at, run.completed_at, run.duration_ms, answer.id AS message_id
FROM runs AS run
JOIN chat_sessions AS session ON session.id = run.chat_session_id AND session.deleted_date IS NULL
LEFT JOIN chat_messages AS answer ON answer.run_id = run.id AND answer.role = 'assistant'
WHERE {condition} ORDER BY run.id DESC LIMIT {limit}
"""
_TREE = """
WITH RECURSIVE tree AS (
    SELECT id, 0 AS level FROM runs WHERE id = $1
    UNION ALL
    SELECT runs.id, tree.level + 1 FROM runs JOIN tree ON runs.parent_run_id = tree.id
)
SELECT run.*, tree.level FROM ({runs}) AS run JOIN tree ON tree.id = run.id ORDER BY tree.level, run.id
"""
_STEPS = """
SELECT step.id, step.run_id, step.step_number, step.action, step.status, step.llm_model, step.reasoning,
    step.llm_output ->> 'text' AS output, step.error_message, step.prompt_tokens, step.completion_tokens,
    step.started_at, step.completed_at, step.execution_duration_ms, step.wait_strategy, step.parallel_status,
    step.discarded, step.input_data,
    COALESCE((
        SELECT jsonb_agg(jsonb_build_object('id', id::text, 'toolCallId', tool_call_id, 'toolName', tool_name,
            'parameters', parameters, 'status', 'STEP_STATUS_' || upper(status),
            'result', CASE WHEN $2 THEN result ELSE '' END, 'errorMessage', error_message,
            'progressPercentage', progress_percentage, 'statusMessage', status_message,
            'startedAt', started_at, 'completedAt', completed_at, 'executionDurationMs', execution_duration_ms,
            'sideEffect', side_effect, 'approval', 'TOOL_APPROVAL_' || upper(approval),
            'externalTaskId', external_task_id, 'externalStatus', external_status, 'retryCount', retry_count,
            'maxRetries', max_retries, 'approvalComment', approval_comment)
            ORDER BY id)
        FROM tool_calls WHERE tool_calls.step_id = step.id), '[]'::jsonb) AS tool_calls
FROM steps AS step WHERE step.run_id = $1 {condition} ORDER BY step.step_number {limit}
"""
_MAY_USE_ASSISTANT = f"""
SELECT {USABLE.format(assistant="assistant", person="asker")}
FROM assistants AS assistant JOIN users AS asker ON asker.id = $1 WHERE assistant.id = $2
"""
_WAITS_FOR = {
    "PENDING_INPUT_KIND_CLARIFICATION": ("an answer", "provideInput"),
    "PENDING_INPUT_KIND_APPROVAL": ("permission for calls", "approveToolCall"),
    "PENDING_INPUT_KIND_OUTCOME": ("word of what happened", "provideInput"),
}
"""What a run waits for, and how it is given."""
_LONGEST_ID = 19
"""Digits of the largest id of an event."""


class Runs(RunService):
    """The service `RunService`."""

    def __init__(self, database: Database, feeds: Feeds, controls: Controls) -> None:
        self._database = database
        self._pool = database.pool
        self._feeds = feeds
        self._controls = controls

    sse_id = staticmethod(sse_id)

    @override
    async def get_run(self, request: GetRunRequest, call: CallContext) -> Run:
        run = await self._require(UUID(request.id), call, "read")
        return runs.to_model(run, own=run["user_id"] == call.principal.user_id, detailed=_is_operator(call))

    @override
    async def list_runs(self, request: ListRunsRequest, call: CallContext) -> ListRunsResponse:
        user_id = call.principal.user_id
        page = read_page(
            request.page_size,
            request.page_token,
            tuple[UUID],
            "runs",
            user_id,
            request.chat_session_id,
            request.status,
            request.roots_only,
        )
        values: list[object] = []
        conditions = [runs_rule("manage").sql(call.principal, "run", values)]
        for condition, value in (
            ("run.chat_session_id = ${}", request.chat_session_id),
            ("run.status = ${}", "" if request.status is RunStatus.UNSPECIFIED else request.status.word),
            ("run.id < ${}", page.after[0] if page.after else None),
            ("(run.parent_run_id IS NULL) = ${}", request.roots_only or None),
        ):
            if value:
                values.append(value)
                conditions.append(condition.format(len(values)))
        values.append(page.limit)
        statement = _RUNS.format(condition=" AND ".join(conditions), limit=f"${len(values)}")
        found, token = page.cut(await self._pool.fetch(statement, *values), lambda row: (row["id"],))
        return ListRunsResponse(
            runs=[runs.to_model(row, detailed=_is_operator(call)) for row in found], next_page_token=token
        )

    @override
    async def cancel_run(self, request: CancelRunRequest, call: CallContext) -> Run:
        run_id = UUID(request.id)
        await self._require(run_id, call, "cancel")
        await self._controls.move(run_id, "cancelled")
        run = await self._read(run_id)
        return runs.to_model(run, own=run["user_id"] == call.principal.user_id, detailed=_is_operator(call))

    @override
    async def pause_run(self, request: PauseRunRequest, call: CallContext) -> Run:
        return await self._move(request.id, "paused", "pause", call)

    @override
    async def resume_run(self, request: ResumeRunRequest, call: CallContext) -> Run:
        return await self._move(request.id, "queued", "resume", call)

    async def _move(self, run_id: str, target: RunStatusWord, action: str, call: CallContext) -> Run:
        await self._require(UUID(run_id), call, "manage")
        if not await self._controls.move(UUID(run_id), target):
            raise await self._refused(UUID(run_id), call, action)
        return await self.get_run(GetRunRequest(id=run_id), call)

    @override
    async def provide_input(self, request: ProvideInputRequest, call: CallContext) -> Run:
        user_id = call.principal.user_id
        if answered := await answered_with(self._pool, user_id, request.request_id):
            return await self.get_run(GetRunRequest(id=str(answered)), call)
        run_id = UUID(request.id) if request.id else await self._waiting(request.chat_session_id, call)
        run = await self._require(run_id, call, "manage")
        if request.chat_session_id not in (0, run["chat_session_id"]):
            raise ValidationFailedError(
                f"Run {run_id} is not of chat session {request.chat_session_id}: name one of them.",
                id=f"must be a run of chat session {request.chat_session_id}",
            )
        if not await self._controls.provide_input(run_id, user_id, request.content, request.request_id):
            # The same request may have come twice at the same time.
            if answered := await answered_with(self._pool, user_id, request.request_id):
                return await self.get_run(GetRunRequest(id=str(answered)), call)
            raise await self._refused(run_id, call, "be given input")
        return await self.get_run(GetRunRequest(id=str(run_id)), call)

    @override
    async def approve_tool_call(self, request: ApproveToolCallRequest, call: CallContext) -> Run:
        await self._require(UUID(request.id), call, "manage")
        done = await self._controls.approve(
            UUID(request.id), call.principal.user_id, request.tool_call_id, request.approved, request.comment
        )
        if not done:
            raise await self._refused(UUID(request.id), call, "have this call approved")
        return await self.get_run(GetRunRequest(id=request.id), call)

    async def _refused(self, run_id: UUID, call: CallContext, action: str) -> RunStateError:
        """Why a run could not be acted on: what it is like now, as it may have changed since it was looked at."""
        run = await self._require(run_id, call, "manage")
        hint = ""
        if pending := run["pending_input"]:
            wanted, method = _WAITS_FOR[pending["kind"]]
            hint = f" It waits for {wanted}: see its `pending_input`, and use {method}."
        return RunStateError(
            f"A run that is {run['status']} cannot {action}.{hint}",
            run_id=str(run_id),
            status=run["status"],
            action=action,
        )

    async def _waiting(self, session_id: int, call: CallContext) -> UUID:
        """Returns the session's only run that waits for a text, else one that waits for approval."""
        if not session_id:
            raise ValidationFailedError("Name a run, or a session whose run waits.", id="is required")
        await require_session(self._database, call, session_id, "manage")
        run_id = await waiting_run(self._pool, session_id)
        if run_id is None:
            raise RunStateError(
                "No run of this session waits for input.", run_id="", status="", action="be given input"
            )
        return run_id

    @override
    async def get_run_tree(self, request: GetRunTreeRequest, call: CallContext) -> RunTree:
        root = await self._require(UUID(request.id), call, "read")
        every = _RUNS.format(condition="run.chat_session_id = $2", limit="NULL")
        rows = await self._pool.fetch(_TREE.format(runs=every), root["id"], root["chat_session_id"])
        own = root["user_id"] == call.principal.user_id
        return RunTree(runs=[runs.to_model(row, own=own, detailed=_is_operator(call)) for row in rows])

    @override
    async def get_step_prompt(self, request: GetStepPromptRequest, call: CallContext) -> StepPrompt:
        run = await self._require(UUID(request.id), call, "read")
        if run["user_id"] != call.principal.user_id:
            # Prompts hold passages of documents, which are the asker's to read.
            raise PermissionDeniedError("A prompt can be read by the person who asked.", required="owner")
        if not await self._pool.fetchval(_MAY_USE_ASSISTANT, call.principal.user_id, run["assistant_id"]):
            raise PermissionDeniedError(
                "A prompt holds the instructions of its assistant, which was removed or is not available to you any "
                "more. The steps themselves stay readable.",
                required="assistant",
            )
        found = await read_prompt(self._pool, run["id"], request.step_number)
        if found is None:
            raise missing("step", request.step_number)
        messages, omissions = found
        return runs.to_prompt(messages, omissions)

    @override
    async def discard_step(self, request: DiscardStepRequest, call: CallContext) -> Step:
        run = await self._require(UUID(request.id), call, "manage")
        own = run["user_id"] == call.principal.user_id
        if not await self._pool.fetchval(
            "SELECT 1 FROM steps WHERE run_id = $1 AND step_number = $2", run["id"], request.step_number
        ):
            raise missing("step", request.step_number)
        if not await self._controls.discard_step(
            run["id"], request.step_number, call.principal.user_id, discarded=request.discarded
        ):
            raise RunStateError(
                "A step can be left out while its run is paused or waits, unless it searched before the model was "
                f"asked. This run is {run['status']}.",
                run_id=request.id,
                status=run["status"],
                action="discard",
            )
        one = _STEPS.format(condition="AND step.step_number = $3", limit="")
        (row,) = await self._pool.fetch(one, run["id"], own, request.step_number)
        return runs.to_step(row)

    @override
    async def list_steps(self, request: ListStepsRequest, call: CallContext) -> ListStepsResponse:
        run = await self._require(UUID(request.id), call, "read")
        own = run["user_id"] == call.principal.user_id
        page = read_page(request.page_size, request.page_token, tuple[int], "steps", run["id"])
        statement = _STEPS.format(condition="AND step.step_number > $4" if page.after else "", limit="LIMIT $3")
        rows = await self._pool.fetch(statement, run["id"], own, page.limit, *(page.after or ()))
        found, token = page.cut(rows, lambda row: (row["step_number"],))
        return ListStepsResponse(steps=[runs.to_step(row) for row in found], next_page_token=token)

    @override
    async def stream_session_events(
        self, request: StreamSessionEventsRequest, call: CallContext
    ) -> AsyncIterator[SessionEvent]:
        # A browser's EventSource connects again at its first address, and names the last event in the header.
        after = max(request.after, _cursor(call.metadata.get("last-event-id", "")))
        owner = await require_session(self._database, call, request.chat_session_id, "read")
        own = owner == call.principal.user_id
        async with self._feeds.subscribe(request.chat_session_id, call.principal, after, own=own) as subscriber:
            await call.begin()
            async for event in subscriber.events():
                yield event

    async def _require(self, run_id: UUID, call: CallContext, action: Action) -> asyncpg.Record:
        """Returns the run, when the caller may do this with it; who may do what with a run is said of its session."""
        row = await self._read(run_id)
        await require_session(self._database, call, row["chat_session_id"], action, "run", run_id)
        return row

    async def _read(self, run_id: UUID) -> asyncpg.Record:
        """Returns a run, whoever may see it."""
        statement = _RUNS.replace("SELECT run.id,", "SELECT run.user_id, run.id,", 1)
        row = await self._pool.fetchrow(statement.format(condition="run.id = $1", limit="1"), run_id)
        if row is None:
            raise missing("run", run_id)
        return row


def _cursor(header: str) -> int:
    if not header:
        return 0
    if not (header.isascii() and header.isdecimal() and len(header) <= _LONGEST_ID and int(header) < 2**63):
        raise ValidationFailedError("Last-Event-ID must be an event's id.", last_event_id="must be a 64-bit number")
    return int(header)


def _is_operator(call: CallContext) -> bool:
    return bool(call.principal.has_role("superadmin"))
