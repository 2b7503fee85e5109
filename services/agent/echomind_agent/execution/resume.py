"""The recorded steps of earlier attempts, from which a run resumes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
from sqlalchemy import ColumnElement, bindparam, func, literal_column, select
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by

from echomind_agent.evidence.sources import Sources
from echomind_agent.state.call import Call, OpenStep, tool_message
from echomind_agent.tools.documents import SEARCH
from echomind_agent.toolset.registry import Tool, ToolError
from echomind_lib.db.models.runs import Step
from echomind_lib.db.models.runs import ToolCall as ToolCallRow
from echomind_lib.db.statements import Query, columns
from echomind_lib.db.words import StepAction, StepStatus, ToolApproval, ToolCallStatus, WaitStrategy
from echomind_lib.llms import Message, ToolCall
from echomind_lib.runs.elicitation import Elicitation
from echomind_lib.runs.prompts import read_output


class RecordedCall(msgspec.Struct, frozen=True):
    """A stored tool call."""

    tool_call_id: str
    tool_name: str
    parameters: dict[str, Any]
    status: ToolCallStatus
    result: str | None
    error_message: str | None
    side_effect: bool
    approval: ToolApproval | None
    approval_comment: str | None
    external_task_id: str | None
    sources: list[dict[str, Any]] | None
    elicitation: Elicitation | None

    def reopen(self, tool: Tool | None) -> Call:
        """Returns the call to be settled; `tool` is None if the run no longer has the tool."""
        asked = ToolCall(self.tool_call_id, self.tool_name, msgspec.json.encode(self.parameters).decode())
        call = Call(asked, tool, status=self.status, side_effect=self.side_effect, approval=self.approval)
        call.external_task_id = self.external_task_id or ""
        call.elicitation = self.elicitation
        call.comment = (self.approval_comment or "") if self.approval == "granted" else ""
        if self.status not in ("pending", "running"):
            call.reply = tool_message(self.status, self.result, self.error_message)
            return call
        if tool is None:
            call.problem = f"There is no tool {self.tool_name} any more."
            return call
        try:
            call.given = tool.parse(asked.arguments)
        except ToolError as error:
            call.problem = str(error)
        begun = call.status == "running" and tool.executor == "worker"
        call.unknown = begun and call.side_effect and not call.external_task_id
        return call


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """A stored step with its calls."""

    id: int
    number: int
    action: StepAction
    output: Message
    """The model's output."""
    reminder: str
    """The reminder sent to the model after it; empty for none."""
    inherited: str
    """The briefing on the conversation that the model wrote for the run's sub-runs; empty for none."""
    is_open: bool
    """Whether some of its calls are not settled yet."""
    is_excluded: bool
    """Whether it is excluded from later prompts."""
    wait_strategy: WaitStrategy
    calls: list[RecordedCall]

    @property
    def searched(self) -> list[str]:
        """Returns the queries of its calls."""
        return [
            call.parameters.get("query", "")
            for call in self.calls
            if call.tool_name == SEARCH and call.status == "completed"
        ]

    def reopen(self, tools: Mapping[str, Tool]) -> OpenStep:
        """Returns the step to be settled: its calls with their results, or with their tools if they have none."""
        calls = [call.reopen(tools.get(call.tool_name)) for call in self.calls]
        return OpenStep(self.id, self.number, self.wait_strategy, calls, self.inherited)


@dataclass(frozen=True, slots=True, kw_only=True)
class _StepRow:
    id: int
    step_number: int
    action: StepAction
    llm_output: dict[str, Any]
    output_data: dict[str, Any] | None
    status: StepStatus
    discarded: bool
    wait_strategy: WaitStrategy | None
    calls: list[dict[str, Any]]


def _steps() -> Query[_StepRow]:
    fields: list[ColumnElement[Any]] = []
    for name in RecordedCall.__struct_fields__:
        fields += [literal_column(f"'{name}'"), getattr(ToolCallRow, name)]
    call = func.jsonb_build_object(*fields)
    calls = (
        select(
            func.coalesce(
                func.jsonb_agg(aggregate_order_by(call, ToolCallRow.id)), literal_column("'[]'::jsonb"), type_=JSONB
            )
        )
        .where(ToolCallRow.step_id == Step.id)
        .correlate(Step)
        .scalar_subquery()
    )
    return Query(
        select(*columns(_StepRow, Step, calls=calls))
        .where(Step.run_id == bindparam("run_id"))
        .order_by(Step.step_number),
        _StepRow,
    )


_STEPS = Query.deferred(_steps)


async def read_steps(pool: asyncpg.Pool, run_id: UUID, sources: Sources) -> list[RecordedStep]:
    """Returns a run's steps in order, and restores the sources that they found into `sources`."""
    steps = [_recorded(row) for row in await _STEPS.fetch_all(pool, run_id=run_id)]
    calls = [call for step in steps for call in step.calls]
    rendered = "\n".join(call.result or "" for call in calls)
    for call in calls:
        sources.restore(call.sources or (), rendered)
    return steps


def _recorded(row: _StepRow) -> RecordedStep:
    return RecordedStep(
        id=row.id,
        number=row.step_number,
        action=row.action,
        output=read_output(row.llm_output).message(),
        reminder=(row.output_data or {}).get("reminder", ""),
        inherited=(row.output_data or {}).get("inherited", ""),
        is_open=row.status == "running",
        is_excluded=row.discarded,
        wait_strategy=row.wait_strategy or "all",
        calls=msgspec.convert(row.calls, list[RecordedCall]),
    )
