"""What an earlier attempt at a run has recorded, for going on from there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import asyncpg
import msgspec

from echomind_agent.evidence.sources import Sources
from echomind_agent.steps.call import Call, OpenStep, tool_message
from echomind_agent.tools.documents import SEARCH
from echomind_agent.toolset.registry import Tool, ToolError
from echomind_lib.db.words import WaitStrategy
from echomind_lib.llms import Message, ToolCall

_STEPS = """
SELECT steps.id, steps.step_number, steps.action, steps.llm_output, steps.output_data, steps.status, steps.discarded,
    steps.wait_strategy,
    COALESCE((SELECT jsonb_agg(jsonb_build_object('id', tool_call_id, 'name', tool_name, 'parameters', parameters,
            'status', tool_calls.status, 'result', result, 'error', tool_calls.error_message,
            'side_effect', side_effect, 'approval', approval, 'comment', approval_comment,
            'external_task_id', external_task_id, 'sources', sources)
            ORDER BY tool_calls.id)
        FROM tool_calls WHERE tool_calls.step_id = steps.id), '[]'::jsonb) AS calls
FROM steps WHERE steps.run_id = $1 ORDER BY steps.step_number
"""


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """A step with its calls as they are stored."""

    id: int
    number: int
    action: str
    output: Message
    """What the model said."""
    output_data: dict[str, Any]
    is_open: bool
    """Whether its calls are not settled yet."""
    discarded: bool
    wait_strategy: str
    calls: list[dict[str, Any]]

    @property
    def searched(self) -> list[str]:
        """What its calls have searched for."""
        return [
            row["parameters"].get("query", "")
            for row in self.calls
            if row["name"] == SEARCH and row["status"] == "completed"
        ]

    def reopen(self, tools: Mapping[str, Tool]) -> OpenStep:
        """The step as it is settled: its calls with their results, and those that have none with their tools."""
        strategy: WaitStrategy = self.wait_strategy  # type: ignore[assignment]  # the column's CHECK
        return OpenStep(self.id, self.number, strategy, [_reopened(row, tools.get(row["name"])) for row in self.calls])


def _reopened(row: dict[str, Any], tool: Tool | None) -> Call:
    asked = ToolCall(row["id"], row["name"], msgspec.json.encode(row["parameters"]).decode())
    call = Call(asked, tool, status=row["status"], side_effect=row["side_effect"], approval=row["approval"])
    call.external_task_id = row["external_task_id"] or ""
    call.comment = (row["comment"] or "") if row["approval"] == "granted" else ""
    if row["status"] not in ("pending", "running"):
        call.told = tool_message(row["status"], row["result"], row["error"])
        return call
    if tool is None:
        call.problem = f"There is no tool {row['name']} any more."
        return call
    try:
        call.given = tool.parse(asked.arguments)
    except ToolError as error:
        call.problem = str(error)
    begun = call.status == "running" and tool.executor == "worker"
    call.unknown = begun and call.side_effect and not call.external_task_id
    return call


async def read_steps(pool: asyncpg.Pool, run_id: UUID, sources: Sources) -> list[RecordedStep]:
    """Reads a run's steps in order, and takes the sources that they found back into `sources`."""
    rows = await pool.fetch(_STEPS, run_id)
    calls = [call for row in rows for call in row["calls"]]
    rendered = "\n".join(call["result"] or "" for call in calls)
    for call in calls:
        sources.restore(call["sources"] or (), rendered)
    return [
        RecordedStep(
            row["id"],
            row["step_number"],
            row["action"],
            Message(
                "assistant",
                row["llm_output"]["text"],
                [msgspec.convert(call, ToolCall) for call in row["llm_output"]["tool_calls"]],
                provider_state=row["llm_output"]["provider_state"],
            ),
            row["output_data"] or {},
            row["status"] == "running",
            row["discarded"],
            row["wait_strategy"] or "all",
            row["calls"],
        )
        for row in rows
    ]
