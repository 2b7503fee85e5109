"""Runs, their steps and their sessions' events."""

from collections.abc import AsyncIterator
from dataclasses import asdict, replace
from typing import Final
from uuid import UUID

from sqlalchemy import Integer, bindparam, select
from sqlalchemy.orm import aliased
from typing_extensions import override

from echomind_api.conversations.access import ReadingRight, require_session
from echomind_api.conversations.controls import Controls
from echomind_api.conversations.run_details import read_details
from echomind_api.conversations.run_rows import RunFilter, RunRow, list_runs, list_steps, read_run, read_step, read_tree
from echomind_api.conversations.session_rows import metadata_of
from echomind_api.rows import audit_foreign, missing
from echomind_api.streams import Feeds, sse_id, withhold, withhold_results
from echomind_lib.access.assistant_choice import usable
from echomind_lib.access.rules import Action
from echomind_lib.access.sources import may_read_sources
from echomind_lib.contract import CallContext
from echomind_lib.conversations.waiting import waiting_run
from echomind_lib.db.database import Database
from echomind_lib.db.models.catalog import Assistant
from echomind_lib.db.models.identity import User
from echomind_lib.db.paging import read_page
from echomind_lib.db.statements import Query
from echomind_lib.db.words import RunStatus as RunStatusWord
from echomind_lib.errors import PermissionDeniedError, RunStateError, ValidationFailedError
from echomind_lib.events.replay import read_run_events
from echomind_lib.mappers import runs
from echomind_lib.models.public import (
    ApproveToolCallRequest,
    CancelRunRequest,
    ExcludeStepRequest,
    GetRunDetailsRequest,
    GetRunRequest,
    GetRunTreeRequest,
    GetStepPromptRequest,
    ListRunEventsRequest,
    ListRunEventsResponse,
    ListRunsRequest,
    ListRunsResponse,
    ListStepsRequest,
    ListStepsResponse,
    PauseRunRequest,
    ProvideInputRequest,
    ResumeRunRequest,
    Run,
    RunDetails,
    RunService,
    RunStatus,
    RunTree,
    Step,
    StepPrompt,
    StreamSessionEventsRequest,
)
from echomind_lib.models.public import SessionEvent as SessionEventModel
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.inputs import answered_with
from echomind_lib.runs.prompts import read_prompt

_assistant, _asker = aliased(Assistant, name="assistant"), aliased(User, name="asker")
_MAY_USE_ASSISTANT: Final = Query(
    select(usable(_assistant, _asker))
    .join(_asker, _asker.id == bindparam("user_id", type_=Integer))
    .where(_assistant.id == bindparam("assistant_id", type_=Integer)),
    bool,
)
_WAITS_FOR = {
    "PENDING_INPUT_KIND_CLARIFICATION": ("an answer", "provideInput"),
    "PENDING_INPUT_KIND_APPROVAL": ("permission for calls", "approveToolCall"),
    "PENDING_INPUT_KIND_OUTCOME": ("word of what happened", "provideInput"),
}
"""For each kind of input that a run waits for, how to provide it."""
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
        # The output of a root is its answer, which stays readable to the person who asked.
        is_answer = run.user_id == call.principal.user_id and run.parent_run_id is None
        own = is_answer or await self._shows_results(run, call)
        return runs.to_model(run, own=own, detailed=_is_operator(call))

    @override
    async def list_runs(self, request: ListRunsRequest, call: CallContext) -> ListRunsResponse:
        user_id = call.principal.user_id
        run_filter = _filter(request)
        page = read_page(request.page_size, request.page_token, tuple[UUID], "runs", user_id, asdict(run_filter))
        if page.after:
            run_filter = replace(run_filter, before=page.after[0])
        rows = await list_runs(self._pool, call.principal, page.limit, run_filter)
        found, token = page.cut(rows, lambda row: (row.id,))
        if others := sorted({row.user_id for row in found} - {user_id}):
            await audit_foreign(self._database, call, "runs", write=False, user_ids=others)
        detailed = _is_operator(call)
        below = {row.chat_session_id for row in found if row.user_id == user_id and row.parent_run_id is not None}
        shown = {each for each in below if await may_read_sources(self._pool, call.principal, each)}

        def is_shown(row: RunRow) -> bool:
            return row.user_id == user_id and (row.parent_run_id is None or row.chat_session_id in shown)

        return ListRunsResponse(
            runs=[runs.to_model(row, own=is_shown(row), detailed=detailed) for row in found],
            next_page_token=token,
        )

    @override
    async def list_run_events(self, request: ListRunEventsRequest, call: CallContext) -> ListRunEventsResponse:
        run = await self._require(UUID(request.id), call, "read")
        page = read_page(request.page_size, request.page_token, tuple[int], "run_events", run.id)
        after = page.after[0] if page.after else 0
        events = await read_run_events(self._pool, run.id, after, page.limit)
        found, token = page.cut(events, lambda event: (event.id,))
        if run.user_id != call.principal.user_id:
            for event in found:
                withhold(event)
        elif not await self._shows_results(run, call):
            for event in found:
                withhold_results(event)
        return ListRunEventsResponse(
            events=[SessionEventModel.from_pb(event) for event in found], next_page_token=token
        )

    @override
    async def cancel_run(self, request: CancelRunRequest, call: CallContext) -> Run:
        run_id = UUID(request.id)
        await self._require(run_id, call, "cancel")
        await self._controls.move(run_id, "cancelled")
        run = await self._read(run_id)
        return runs.to_model(run, own=run.user_id == call.principal.user_id, detailed=_is_operator(call))

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
        if request.chat_session_id not in (0, run.chat_session_id):
            raise ValidationFailedError(
                f"Run {run_id} is not of chat session {request.chat_session_id}: name one of them.",
                id=f"must be a run of chat session {request.chat_session_id}",
            )
        if not await self._controls.provide_input(run_id, user_id, request.content, request.request_id):
            # A concurrent request with the same id may have answered first.
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
        """Why a control was not applied: the present state of the run, which may have changed since it was read."""
        run = await self._require(run_id, call, "manage")
        hint = ""
        if pending := run.pending_input:
            awaited, method = _WAITS_FOR[pending["kind"]]
            hint = f" It waits for {awaited}: see its `pending_input`, and use {method}."
        return RunStateError(
            f"A run that is {run.status} cannot {action}.{hint}",
            run_id=str(run_id),
            status=run.status,
            action=action,
        )

    async def _waiting(self, session_id: int, call: CallContext) -> UUID:
        """Returns the session's only run that waits for a text, or else one that waits for approval."""
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
        rows = await read_tree(self._pool, root.id)
        detailed, is_own = _is_operator(call), root.user_id == call.principal.user_id
        shows_all = len(rows) == 1 or await self._shows_results(root, call)
        return RunTree(
            runs=[
                runs.to_model(row, own=is_own and (shows_all or row.id == root.id), detailed=detailed) for row in rows
            ]
        )

    @override
    async def get_run_details(self, request: GetRunDetailsRequest, call: CallContext) -> RunDetails:
        root = await self._require(UUID(request.id), call, "read")
        return await read_details(self._pool, call.principal, root, detailed=_is_operator(call))

    @override
    async def get_step_prompt(self, request: GetStepPromptRequest, call: CallContext) -> StepPrompt:
        run = await self._require(UUID(request.id), call, "read")
        if run.user_id != call.principal.user_id:
            # Prompts contain passages of documents that only the asker may be allowed to read.
            raise PermissionDeniedError("A prompt can be read by the person who asked.", required="owner")
        if not await self._shows_results(run, call):
            raise PermissionDeniedError(
                "A prompt holds passages of the conversation's sources, and you may not read all of them any more. The "
                "answers stay readable.",
                required="sources",
            )
        if not await _MAY_USE_ASSISTANT.fetch_one(
            self._pool, user_id=call.principal.user_id, assistant_id=run.assistant_id
        ):
            raise PermissionDeniedError(
                "A prompt holds the instructions of its assistant, which was removed or is not available to you any "
                "more. The steps themselves stay readable.",
                required="assistant",
            )
        found = await read_prompt(self._pool, run.id, request.step_number)
        if found is None:
            raise missing("step", request.step_number)
        messages, omissions = found
        return runs.to_prompt(messages, omissions)

    @override
    async def exclude_step(self, request: ExcludeStepRequest, call: CallContext) -> Step:
        run = await self._require(UUID(request.id), call, "manage")
        own = await self._shows_results(run, call)
        if await read_step(self._pool, run.id, request.step_number, own=own) is None:
            raise missing("step", request.step_number)
        if not await self._controls.exclude_step(
            run.id, request.step_number, call.principal.user_id, excluded=request.excluded
        ):
            raise RunStateError(
                "A step can be excluded while its run is paused or waits, unless it searched before the model was "
                f"asked. This run is {run.status}.",
                run_id=request.id,
                status=run.status,
                action="exclude a step",
            )
        step = await read_step(self._pool, run.id, request.step_number, own=own)
        if step is None:
            raise missing("step", request.step_number)
        return runs.to_step(step)

    @override
    async def list_steps(self, request: ListStepsRequest, call: CallContext) -> ListStepsResponse:
        run = await self._require(UUID(request.id), call, "read")
        own = await self._shows_results(run, call)
        page = read_page(request.page_size, request.page_token, tuple[int], "steps", run.id)
        rows = await list_steps(self._pool, run.id, page.after[0] if page.after else 0, page.limit, own=own)
        found, token = page.cut(rows, lambda row: (row.step_number,))
        return ListStepsResponse(steps=[runs.to_step(row) for row in found], next_page_token=token)

    @override
    async def stream_session_events(
        self, request: StreamSessionEventsRequest, call: CallContext
    ) -> AsyncIterator[SessionEvent]:
        # A browser's EventSource reconnects to its original URL and sends the id of the last event in this header.
        after = max(request.after, _cursor(call.metadata.get("last-event-id", "")))
        owner = await require_session(self._database, call, request.chat_session_id, "read")
        own = owner == call.principal.user_id
        right = ReadingRight(self._database, call.principal, request.chat_session_id)
        async with self._feeds.subscribe(request.chat_session_id, call.principal, after, own=own) as subscriber:
            await call.begin()
            async for event in subscriber.events():
                if not (own or await right.holds(event)):
                    raise missing("chat session", request.chat_session_id)
                yield event

    async def _shows_results(self, run: RunRow, call: CallContext) -> bool:
        """Returns whether the caller sees what a run's calls found.

        Only the person who asked does, while they may read all sources of the conversation.
        """
        is_own = run.user_id == call.principal.user_id
        return is_own and await may_read_sources(self._pool, call.principal, run.chat_session_id)

    async def _require(self, run_id: UUID, call: CallContext, action: Action) -> RunRow:
        """Returns a run when the caller may do this with its session."""
        run = await self._read(run_id)
        await require_session(self._database, call, run.chat_session_id, action, "run", run_id)
        return run

    async def _read(self, run_id: UUID) -> RunRow:
        """Returns a run without a permission check."""
        run = await read_run(self._pool, run_id)
        if run is None:
            raise missing("run", run_id)
        return run


def _filter(request: ListRunsRequest) -> RunFilter:
    return RunFilter(
        chat_session_id=request.chat_session_id or None,
        status=None if request.status is RunStatus.UNSPECIFIED else request.status.word,
        statuses=sorted(status.word for status in request.statuses if status is not RunStatus.UNSPECIFIED) or None,
        roots_only=request.roots_only,
        assistant_id=request.assistant_id or None,
        llm_id=request.llm_id or None,
        user_id=request.user_id or None,
        everyone=request.everyone,
        min_cost=request.min_cost or None,
        created_from=request.created_from,
        created_before=request.created_before,
        external_id=request.external_id or None,
        metadata=metadata_of(request.metadata) or None,
    )


def _cursor(header: str) -> int:
    if not header:
        return 0
    if not (header.isascii() and header.isdecimal() and len(header) <= _LONGEST_ID and int(header) < 2**63):
        raise ValidationFailedError("Last-Event-ID must be an event's id.", last_event_id="must be a 64-bit number")
    return int(header)


def _is_operator(call: CallContext) -> bool:
    return bool(call.principal.has_role("superadmin"))
