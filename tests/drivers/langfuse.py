"""What Langfuse makes of spans: the table of its mapping, as its server applies it to what arrives."""

import json
from dataclasses import dataclass
from typing import Any

from tests.drivers.collector import ReceivedSpan

_TYPES = {"span", "generation", "event", "embedding", "agent", "tool", "chain", "retriever", "guardrail", "evaluator"}
_TYPE_OF_OPERATION = {
    "chat": "generation",
    "text_completion": "generation",
    "generate_content": "generation",
    "embeddings": "embedding",
    "invoke_agent": "agent",
    "create_agent": "agent",
    "execute_tool": "tool",
}
_WITHOUT_USAGE = {"invoke_agent", "create_agent"}


@dataclass(frozen=True, kw_only=True)
class Observation:
    """An observation in Langfuse."""

    id: str
    trace_id: str
    parent_id: str
    name: str
    type: str
    session_id: str | None
    user_id: str | None
    release: str | None
    environment: str
    tags: list[str]
    trace_name: str | None
    model: str | None
    input_tokens: int
    output_tokens: int
    cost: float
    completion_start: str | None
    is_error: bool
    input: str | None
    output: str | None


def observation(span: ReceivedSpan) -> Observation:
    """Returns what Langfuse stores for a span."""
    given = span.attributes
    operation = given.get("gen_ai.operation.name", "")
    counts = operation not in _WITHOUT_USAGE
    cost = json.loads(given.get("langfuse.observation.cost_details", "{}")) if counts else {}
    return Observation(
        id=span.span_id,
        trace_id=span.trace_id,
        parent_id=span.parent_id,
        name=span.name,
        type=_type(given, operation),
        session_id=_session(given),
        user_id=given.get("langfuse.user.id") or given.get("user.id"),
        release=given.get("langfuse.release") or span.resource.get("langfuse.release"),
        environment=given.get("langfuse.environment") or span.resource.get("deployment.environment.name") or "default",
        tags=list(given.get("langfuse.trace.tags", [])),
        trace_name=given.get("langfuse.trace.name"),
        model=given.get("gen_ai.response.model") or given.get("gen_ai.request.model"),
        input_tokens=given.get("gen_ai.usage.input_tokens", 0) if counts else 0,
        output_tokens=given.get("gen_ai.usage.output_tokens", 0) if counts else 0,
        cost=sum(cost.values()),
        completion_start=given.get("langfuse.observation.completion_start_time"),
        is_error=span.is_error,
        input=given.get("gen_ai.input.messages") or given.get("gen_ai.tool.call.arguments"),
        output=given.get("gen_ai.output.messages") or given.get("gen_ai.tool.call.result"),
    )


def _type(given: dict[str, Any], operation: str) -> str:
    explicit = given.get("langfuse.observation.type")
    if explicit in _TYPES:
        return str(explicit)
    if operation in _TYPE_OF_OPERATION:
        return _TYPE_OF_OPERATION[operation]
    if given.get("gen_ai.tool.name"):
        return "tool"
    return "generation" if given.get("gen_ai.request.model") else "span"


def _session(given: dict[str, Any]) -> str | None:
    for name in ("langfuse.session.id", "session.id", "gen_ai.conversation.id"):
        if value := given.get(name):
            return value if value.isascii() and len(value) <= 200 else None
    return None
