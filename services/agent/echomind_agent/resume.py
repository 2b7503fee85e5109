"""What an earlier attempt at a run has recorded, for going on from there."""

from dataclasses import dataclass
from uuid import UUID

import asyncpg
import msgspec
from google.protobuf import json_format

from echomind_agent.sources import Sources
from echomind_lib.llms import Message, ToolCall
from echomind_lib.pb.echomind.public.v1.run_pb2 import RunEvent

_STEPS = """
SELECT steps.id, steps.action, steps.llm_output,
    COALESCE((SELECT jsonb_agg(jsonb_build_object('id', tool_call_id, 'name', tool_name, 'parameters', parameters,
            'status', tool_calls.status, 'result', result, 'error', tool_calls.error_message,
            'side_effect', side_effect) ORDER BY tool_calls.id)
        FROM tool_calls WHERE tool_calls.step_id = steps.id), '[]'::jsonb) AS calls
FROM steps WHERE steps.run_id = $1 AND NOT steps.discarded ORDER BY steps.step_number
"""
_SOURCES = "SELECT payload FROM run_events WHERE run_id = $1 AND payload ? 'sources' ORDER BY id"


@dataclass(slots=True)
class RecordedStep:
    """A step with the results that it has so far."""

    id: int
    action: str
    output: Message
    calls: list[ToolCall]
    results: dict[str, str]
    """What the model was, or is to be, told, by call. A call that is not here is to be made again."""
    unknown: list[str]
    """Calls with a side effect that were begun, and of which nobody knows whether they took effect."""


OUTCOME_UNKNOWN = "outcome_unknown. The call was begun, and whether it took effect is not known."
"""The error of a call with a side effect that an interruption cut off."""


async def read_steps(pool: asyncpg.Pool, run_id: UUID, sources: Sources) -> list[RecordedStep]:
    """Reads a run's steps in order, and takes the sources that they found back into `sources`.

    A call that was being made is made again, except one with a side effect: whether that happened nobody knows.
    """
    rows = await pool.fetch(_STEPS, run_id)
    rendered = "\n".join(call["result"] or "" for row in rows for call in row["calls"])
    for record in await pool.fetch(_SOURCES, run_id):
        sources.restore(
            json_format.ParseDict(record["payload"], RunEvent(), ignore_unknown_fields=True).sources, rendered
        )
    steps = []
    for row in rows:
        output = row["llm_output"]
        results, unknown = {}, []
        for call in row["calls"]:
            if call["status"] == "completed":
                results[call["id"]] = call["result"] or ""
            elif call["status"] not in ("pending", "running"):
                results[call["id"]] = f"Error: {call['error']}"
            elif call["side_effect"]:
                results[call["id"]] = f"Error: {OUTCOME_UNKNOWN}"
                unknown.append(call["id"])
        steps.append(
            RecordedStep(
                row["id"],
                row["action"],
                Message(
                    "assistant",
                    output["text"],
                    [msgspec.convert(call, ToolCall) for call in output["tool_calls"]],
                    provider_state=output["provider_state"],
                ),
                [
                    ToolCall(call["id"], call["name"], msgspec.json.encode(call["parameters"]).decode())
                    for call in row["calls"]
                ],
                results,
                unknown,
            )
        )
    return steps
