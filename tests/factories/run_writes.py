"""What workers write of a run, with values that most tests do not care about."""

from datetime import UTC, datetime
from typing import Any

from echomind_lib.runs.citation_rows import NewCitation
from echomind_lib.runs.steps import NewStep
from echomind_lib.runs.sub_runs import NewSubRun


def new_step(**changes: Any) -> NewStep:
    """Returns a step with a tool call that is begun."""
    values: dict[str, Any] = {
        "step_type": "action",
        "action": "call_tool",
        "status": "running",
        "llm_model": "m",
        "llm_input": [{"role": "user", "content": "hi"}],
        "llm_output": {"text": "", "tool_calls": [], "provider_state": ""},
        "started_at": datetime.now(UTC),
        "prompt_tokens": 10,
        "completion_tokens": 3,
    }
    return NewStep(**values | changes)


def new_sub_run(tool_call_id: str, assistant_id: int | None = None) -> NewSubRun:
    """Returns a sub-agent of a call."""
    return NewSubRun(
        tool_call_id=tool_call_id,
        kind="sub_agent",
        name="Assistant",
        assistant_id=assistant_id or 1,
        assistant_version=None,
        requested_llm_id=None,
        goal="Go.",
        input="Go.",
        inherited_context="",
        ask_clarifications=False,
        state={},
        max_steps=5,
        timeout_seconds=60,
        max_run_tokens=None,
        max_cost=None,
    )


def new_citation(**changes: Any) -> NewCitation:
    """Returns a citation of a document's beginning by an answer's."""
    values: dict[str, Any] = {
        "number": 1,
        "document_id": 1,
        "title": "T",
        "chunk_id": "c",
        "score": 0.5,
        "snippet": "snip",
        "supported": True,
        "page": None,
        "sentence_start": 0,
        "sentence_end": 5,
        "chunking_session": "11111111-1111-1111-1111-111111111111",
        "span_start": 0,
        "span_end": 4,
    }
    return NewCitation(**values | changes)
