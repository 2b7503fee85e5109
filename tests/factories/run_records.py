"""Runs and models as workers see them, for tests that need no database."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from echomind_lib.llms.record import LlmRecord
from echomind_lib.runs.record import RunAssistant, RunLimits, RunMemory, RunRecord, RunSession, RunUsage


def new_model(**values: Any) -> LlmRecord:
    """Returns a model at an OpenAI-compatible server, with other values where they are given."""
    model = LlmRecord(
        id=1,
        provider="vllm",
        model_id="scripted",
        endpoint="http://127.0.0.1:1",
        api_key=None,
        max_tokens=None,
        context_tokens=None,
        temperature=None,
        input_price=None,
        output_price=None,
        last_update=None,
    )
    return replace(model, **values)


def new_run(
    *,
    session: Mapping[str, Any] | None = None,
    assistant: Mapping[str, Any] | None = None,
    config: Mapping[str, Any] | None = None,
    limits: Mapping[str, Any] | None = None,
    **values: Any,
) -> RunRecord:
    """Returns a run that answers a question, with other values where they are given; `config` is the assistant's.

    A sub-agent and a member have a parent.
    """
    if values.get("kind") in ("sub_agent", "member"):
        values = {"parent_run_id": UUID(int=1), **values}
    run = RunRecord(
        id=UUID("11111111-1111-1111-1111-111111111111"),
        user_id=1,
        kind="agent",
        parent_run_id=None,
        depth=0,
        input="What?",
        goal=None,
        inherited_context=None,
        auto_run=False,
        ask_clarifications=False,
        untrusted=False,
        wait_strategy=None,
        started_at=datetime(2026, 1, 2, tzinfo=UTC),
        attempt=1,
        retry_count=0,
        control_requested=None,
        message_id=9,
        question_id=8,
        assistant_version=None,
        requested_llm_id=None,
        stored_state={},
        first_token_ms=None,
        document_ids=(),
        has_knowledge=False,
        session=RunSession(
            id=5,
            mode="chat",
            goal=None,
            stored_steps=(),
            stored_summary=None,
            summarized_to=None,
            shows_generated=True,
            needs_title=False,
        ),
        assistant=RunAssistant(
            id=1,
            name="Assistant",
            system_prompt="",
            task_prompt="",
            config=config or {},
            is_usable=True,
            stored_members=(),
        ),
        model=new_model(),
        memory=RunMemory(is_on=False, has_any=False, ids=()),
        limits=RunLimits(steps=20, seconds=300, tokens=None, cost=None, depth=2, has_quotas=False),
        usage=RunUsage(steps=0, prompt_tokens=0, completion_tokens=0, cost=0.0, seconds=0.0),
    )
    return replace(
        run,
        session=replace(run.session, **session or {}),
        assistant=replace(run.assistant, **assistant or {}),
        limits=replace(run.limits, **limits or {}),
        **values,
    )
