"""A run as the worker that has claimed it sees it: typed, read once, and never changed.

Stored JSON is parsed at its first use: what cannot be read ends the run that reads it, and not the claim.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

import msgspec

from echomind_lib.assistant_settings import AssistantSettings, read_settings
from echomind_lib.db.words import ChatMode, LlmProvider, RunControl, RunKind
from echomind_lib.events.statements import StoredIds
from echomind_lib.llms.record import LlmRecord


class ImportantStep(msgspec.Struct, frozen=True, rename="camel"):
    """A step that later runs of its session should know of, as `chat_sessions.important_steps` holds it."""

    run_id: str
    step_number: int
    text: str


@dataclass(frozen=True, kw_only=True)
class RunAssistant:
    """The assistant that a run answers for."""

    id: int
    system_prompt: str
    task_prompt: str
    """Template of a question with the places `{context}` and `{query}`; empty for the question as it is."""
    config: Mapping[str, Any]
    """As it is stored; `settings` has it parsed."""
    is_usable: bool
    """Whether the person who asked may use it at this moment."""

    @cached_property
    def settings(self) -> AssistantSettings:
        """How it works."""
        return read_settings(self.config)


@dataclass(frozen=True, kw_only=True)
class RunSession:
    """The conversation of a run, as it was when the run was claimed."""

    id: int
    mode: ChatMode
    goal: str | None
    stored_steps: Sequence[Mapping[str, Any]]
    """`chat_sessions.important_steps`; `important_steps` has them parsed."""
    summary: str | None
    """What earlier messages say in short; None when there is no summary."""
    summarized_to: int | None
    """The last message that the summary covers."""

    @cached_property
    def important_steps(self) -> Sequence[ImportantStep]:
        """What earlier runs did, oldest first."""
        return msgspec.convert(self.stored_steps, tuple[ImportantStep, ...])


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """What a run may use. None means no limit."""

    steps: int
    seconds: int
    """Without waiting."""
    tokens: int | None
    """Of prompts and answers together."""
    cost: float | None
    """In US dollars."""
    depth: int
    """How deep sub-agents may be nested; `RunRecord.depth` is the run's own place."""
    retries: int
    """How often it may be interrupted between two recorded steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunUsage:
    """What earlier attempts at a run have used, without its sub-agents."""

    steps: int
    prompt_tokens: int
    completion_tokens: int
    cost: float
    """In US dollars, of the calls whose price is known."""
    seconds: float
    """Seconds worked, without waiting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A claimed run with its session, assistant and model."""

    id: UUID
    user_id: int
    kind: RunKind
    parent_run_id: UUID | None
    depth: int
    """0 for a root run, 1 for its sub-agents, and so on."""
    input: str
    """The question as it was stored; for a sub-agent, what it is to reach."""
    goal: str | None
    inherited_context: str | None
    """What its parent knew, for a sub-agent."""
    auto_run: bool
    """Whether it works by itself until its goal is reached."""
    ask_clarifications: bool
    tainted: bool
    """Whether it, or an earlier run of its conversation, has read untrusted text."""
    started_at: datetime
    """When it was first claimed."""
    attempt: int
    retry_count: int
    """Interruptions since the last recorded step."""
    control_requested: RunControl | None
    """What a person asked for and no worker has done yet."""
    message_id: int | None
    """The message that it writes; None for a sub-agent, which writes none."""
    question_id: int | None
    """The message that it answers."""
    document_ids: Sequence[int]
    """What is attached to the question: searches look there first. None for a sub-agent."""
    session: RunSession
    assistant: RunAssistant
    model: LlmRecord | None
    """None when no chat model is active."""
    limits: RunLimits
    usage: RunUsage

    @property
    def is_root(self) -> bool:
        """Whether it answers a person rather than another run."""
        return self.parent_run_id is None

    @property
    def is_sub_agent(self) -> bool:
        """Whether another run has delegated its work to it."""
        return self.kind == "sub_agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedRow(StoredIds):
    """The columns of the claim statement (`lease.claim`), from which the record is made."""

    id: UUID
    user_id: int
    kind: RunKind
    parent_run_id: UUID | None
    depth: int
    input: str
    goal: str | None
    inherited_context: str | None
    auto_run: bool
    ask_clarifications: bool
    tainted: bool
    started_at: datetime
    attempt: int
    retry_count: int
    control_requested: RunControl | None
    message_id: int | None
    question_id: int | None
    document_ids: list[int]
    # The session.
    mode: ChatMode
    session_goal: str | None
    important_steps: list[dict[str, Any]]
    compressed_summary: str | None
    last_compressed_message_id: int | None
    # The assistant.
    assistant_id: int
    system_prompt: str
    task_prompt: str
    config: dict[str, Any]
    may_use_assistant: bool
    # Limits and usage.
    max_steps: int
    timeout_seconds: int
    max_run_tokens: int | None
    max_cost: float | None
    max_depth: int
    max_retries: int
    steps_executed: int
    prompt_tokens: int
    completion_tokens: int
    cost: float
    seconds_spent: float
    # The model; all are None when there is none.
    llm_id: int | None
    provider: LlmProvider | None
    model_id: str | None
    endpoint: str | None
    api_key: str | None
    max_tokens: int | None
    context_tokens: int | None
    temperature: float | None
    input_price: float | None
    output_price: float | None
    llm_last_update: datetime | None

    def record(self) -> RunRecord:
        """Returns the run."""
        return RunRecord(
            id=self.id,
            user_id=self.user_id,
            kind=self.kind,
            parent_run_id=self.parent_run_id,
            depth=self.depth,
            input=self.input,
            goal=self.goal,
            inherited_context=self.inherited_context,
            auto_run=self.auto_run,
            ask_clarifications=self.ask_clarifications,
            tainted=self.tainted,
            started_at=self.started_at,
            attempt=self.attempt,
            retry_count=self.retry_count,
            control_requested=self.control_requested,
            message_id=self.message_id,
            question_id=self.question_id,
            document_ids=self.document_ids,
            session=RunSession(
                id=self.chat_session_id,
                mode=self.mode,
                goal=self.session_goal,
                stored_steps=self.important_steps,
                summary=self.compressed_summary,
                summarized_to=self.last_compressed_message_id,
            ),
            assistant=RunAssistant(
                id=self.assistant_id,
                system_prompt=self.system_prompt,
                task_prompt=self.task_prompt,
                config=self.config,
                is_usable=self.may_use_assistant,
            ),
            model=self._model(),
            limits=RunLimits(
                steps=self.max_steps,
                seconds=self.timeout_seconds,
                tokens=self.max_run_tokens,
                cost=self.max_cost,
                depth=self.max_depth,
                retries=self.max_retries,
            ),
            usage=RunUsage(
                steps=self.steps_executed,
                prompt_tokens=self.prompt_tokens,
                completion_tokens=self.completion_tokens,
                cost=self.cost,
                seconds=self.seconds_spent,
            ),
        )

    def _model(self) -> LlmRecord | None:
        if self.llm_id is None or self.provider is None or self.model_id is None:
            return None
        return LlmRecord(
            id=self.llm_id,
            provider=self.provider,
            model_id=self.model_id,
            endpoint=self.endpoint,
            api_key=self.api_key,
            max_tokens=self.max_tokens,
            context_tokens=self.context_tokens,
            temperature=self.temperature,
            input_price=self.input_price,
            output_price=self.output_price,
            last_update=self.llm_last_update,
        )
