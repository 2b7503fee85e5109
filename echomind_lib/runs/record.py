"""A claimed run as its worker reads it: typed, read once, immutable.

Details that only some runs have are empty in the claim's row, or only flags, until `details` has read them.
Stored JSON is parsed at its first use, so that invalid JSON fails the run and not the claim.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final
from uuid import UUID

import msgspec

from echomind_lib.access.key_limits import read_limits
from echomind_lib.access.principal import KeyLimits
from echomind_lib.assistants.assistant_settings import AssistantSettings, read_settings
from echomind_lib.assistants.teams import MAX_DEPTH, TeamMember, read_members
from echomind_lib.db.words import ChatMode, RunControl, RunKind, WaitStrategy
from echomind_lib.events.statements import StoredIds
from echomind_lib.llms.record import LlmRecord
from echomind_lib.runs.caller import Caller


class ImportantStep(msgspec.Struct, frozen=True, rename="camel"):
    """A step to mention to later runs of the session, as stored in `chat_sessions.important_steps`."""

    run_id: str
    step_number: int
    text: str


class RunPointers(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """References of a run, as stored in `runs.state`."""

    message_id: int = 0
    """The root's message that a routed member writes in place of its leader; 0 for none."""
    turn: int = 0
    """The number of the member's first turn at that message, minus one; it is above the leader's turns until then."""
    tools: tuple[str, ...] = ()
    """The only tools that a sub-agent was given; empty for all of its assistant's."""
    only: tuple[str, ...] = ()
    """Names of the only tools that the question allows, also to its sub-runs, as patterns; empty for all."""
    connectors: tuple[int, ...] = ()
    """IDs of the only connectors that a sub-run searches and reads; empty for all that the person may."""
    leads: bool = False
    """Whether a sub-agent leads the team of its assistant."""
    pinned: bool = False
    """Whether it keeps the version of its assistant that it was asked for, also if there is a newer one."""


RUN_RETRIES: Final = 3
"""Maximum number of times that a run is tried again between two recorded steps, after a transient failure or the death
of its worker. Then it fails."""


@dataclass(frozen=True, kw_only=True)
class RunAssistant:
    """The assistant that a run answers for."""

    id: int
    name: str
    system_prompt: str
    task_prompt: str
    """Template of the prompt with the placeholders `{context}` and `{query}`; empty to send the question unchanged."""
    config: Mapping[str, Any]
    """As stored; `settings` is the parsed form."""
    is_usable: bool
    """Whether the asker may use it now; for a member, whether it still exists."""
    stored_members: Sequence[Mapping[str, Any]]
    """The members of its team, in order; `members` is the parsed form."""

    @cached_property
    def members(self) -> Sequence[TeamMember]:
        """The members of its team; empty unless it leads one."""
        return read_members(self.stored_members)

    @cached_property
    def settings(self) -> AssistantSettings:
        """Returns the settings of its assistant."""
        return read_settings(self.config)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunNotebook:
    """The notebook of a run's conversation."""

    id: int
    title: str
    instructions: str
    """Its editors' instructions for answers; may be empty."""
    tools: Sequence[str] = ()
    """Names of the tools that it allows besides those of its sources, as in `Notebook.tools`."""


@dataclass(frozen=True, kw_only=True)
class RunSession:
    """The conversation of a run, as it was when the run was claimed."""

    id: int
    mode: ChatMode
    goal: str | None
    stored_steps: Sequence[Mapping[str, Any]]
    """`chat_sessions.important_steps`; `important_steps` is the parsed form, if visible."""
    stored_summary: str | None
    """`chat_sessions.compressed_summary`; `summary` returns it if visible."""
    shows_generated: bool
    """Whether the asker may read all documents that it draws on, which summary and important steps may reveal."""
    summarized_to: int | None
    """The last message that the stored summary covers."""
    needs_title: bool
    """Whether the model is to be asked for a title."""
    limited_by: int | None = None
    """The API key with limits that began it."""
    limited_assistants: Sequence[int] | None = None
    """As stored, like the next; `limits` is the parsed form."""
    limited_connectors: Sequence[int] | None = None
    notebook: RunNotebook | None = None
    """Its notebook, whose sources are the only ones searched."""

    @cached_property
    def limits(self) -> KeyLimits | None:
        """All that its runs may use, if an API key with limits began it."""
        return read_limits(self.limited_by, self.limited_assistants, self.limited_connectors)

    @property
    def summary(self) -> str:
        """Summary of earlier messages; empty if there is none, or the asker may not see it."""
        return (self.stored_summary or "") if self.shows_generated else ""

    @cached_property
    def important_steps(self) -> Sequence[ImportantStep]:
        """Important steps of earlier runs, oldest first; empty if the asker may not see them."""
        return msgspec.convert(self.stored_steps, tuple[ImportantStep, ...]) if self.shows_generated else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMemory:
    """Memory settings of a run."""

    is_on: bool
    """Whether memories are read and written: enabled globally, for this person and in this session. False in a
    notebook, whose members read each other's answers."""
    has_any: bool
    """Whether the user has any memories."""
    ids: Sequence[int]
    """The memories in its prompt, as chosen by an earlier attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """Limits of a run. None means no limit."""

    steps: int
    seconds: int
    """Excluding waiting."""
    tokens: int | None
    """Sum of prompts and answers."""
    cost: float | None
    """In US dollars."""
    depth: int
    """Maximum nesting depth of sub-agents; `RunRecord.depth` is the depth of the run."""
    has_quotas: bool
    """Whether there are quotas, to which its model calls are charged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunUsage:
    """Usage of earlier attempts at a run, without its sub-agents."""

    steps: int
    prompt_tokens: int
    completion_tokens: int
    cost: float
    """In US dollars; only calls with a known price are counted."""
    seconds: float
    """Active seconds, excluding waiting."""


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
    """The question as stored; for a sub-run, the task written by its parent's model."""
    goal: str | None
    inherited_context: str | None
    """Context from its parent, for a sub-run."""
    auto_run: bool
    """Whether it is autonomous."""
    ask_clarifications: bool
    untrusted: bool
    """Whether it or an earlier run of its conversation has read untrusted text."""
    wait_strategy: WaitStrategy | None
    """Which results its steps wait for, unless the model chooses; None for the assistant's setting."""
    started_at: datetime
    """When it was first claimed."""
    attempt: int
    retry_count: int
    """Interruptions since the last recorded step."""
    control_requested: RunControl | None
    """A requested control that no worker has applied yet."""
    message_id: int | None
    """The message that it writes; None for a sub-run."""
    question_id: int | None
    """The message that it answers."""
    assistant_version: int | None
    requested_llm_id: int | None
    """The chat model chosen by the asker."""
    stored_state: Mapping[str, Any]
    """`runs.state`; `state` is the parsed form."""
    first_token_ms: int | None
    """Milliseconds from its first claim until its model began to answer; None if it has not."""
    document_ids: Sequence[int]
    """Documents attached to the question: searches look there first. Empty for sub-runs."""
    has_knowledge: bool
    """Whether the user may read any knowledge. False in a notebook, where only its sources are used, and in
    conversations of API keys with limits."""
    session: RunSession
    assistant: RunAssistant
    model: LlmRecord | None
    """None when no chat model is active."""
    memory: RunMemory
    limits: RunLimits
    usage: RunUsage
    stored_caller: Mapping[str, Any] | None = None
    """`runs.caller`; `caller` is the parsed form."""
    earlier: Sequence[Mapping[str, Any]] | None = None
    """The messages before its question, newest first, as `EarlierMessage` for the default number of earlier runs; None
    if they were not read with the run."""

    @property
    def caller(self) -> Caller | None:
        """Returns what the program that asks gave besides the question; None for questions of people."""
        return None if self.stored_caller is None else msgspec.convert(self.stored_caller, Caller)

    @property
    def connectors(self) -> tuple[int, ...]:
        """Returns the ids of the only connectors that it searches and reads; empty for all that the person may."""
        caller = self.caller
        return self.state.connectors or (() if caller is None else caller.connectors)

    @property
    def is_root(self) -> bool:
        """Returns whether it is a root run, which answers a person."""
        return self.parent_run_id is None

    @property
    def member_name(self) -> str:
        """Its name as a member of a team; empty for all other runs."""
        return self.assistant.name if self.kind == "member" else ""

    @property
    def wants_title(self) -> bool:
        """Returns whether to request a title after its answer. The built-in model only quotes, and cannot write one."""
        return self.session.needs_title and self.model is not None and not self.model.is_extractive

    @property
    def leads(self) -> bool:
        """Whether it may delegate to members: the root of a team, or a member or sub-agent with a team of its own."""
        is_leader = self.kind in ("team", "member") or self.state.leads
        return is_leader and bool(self.assistant.members) and self.depth < MAX_DEPTH

    @property
    def routes(self) -> bool:
        """Returns whether the member that it delegates to answers in place of it."""
        return self.leads and self.assistant.settings.mode == "route"

    @property
    def tool_names(self) -> Sequence[str]:
        """Names of its tools; empty for the default set."""
        return self.state.tools or self.assistant.settings.tools

    @property
    def state(self) -> RunPointers:
        """Returns its references."""
        return msgspec.convert(self.stored_state, RunPointers)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedRow(StoredIds):
    """The row of the claim statement (`lease.claim`)."""

    is_recovery: bool
    """Whether its worker died while executing it."""
    run: RunRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignedRow:
    """The row of a run that was claimed when its question was stored (`lease.begin_assigned`)."""

    run: RunRecord
