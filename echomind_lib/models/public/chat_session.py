"""

Generated from echomind/public/v1/chat_session.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.run import RunError, RunOptions, RunStatus
from echomind_lib.pb.echomind.public.v1 import chat_session_pb2 as pb


class ChatMode(ProtoEnum):
    """What kind of conversation it is."""

    UNSPECIFIED = "CHAT_MODE_UNSPECIFIED", 0
    """As CHAT_MODE_CHAT."""
    CHAT = "CHAT_MODE_CHAT", 1
    """Several turns; earlier ones go into the prompt."""
    ONE_SHOT = "CHAT_MODE_ONE_SHOT", 2
    """Each question stands alone."""


class ChatSessionStatus(ProtoEnum):
    """How a session fares, by its latest run."""

    UNSPECIFIED = "CHAT_SESSION_STATUS_UNSPECIFIED", 0
    """Unspecified."""
    ACTIVE = "CHAT_SESSION_STATUS_ACTIVE", 1
    """Can be written to."""
    PAUSED = "CHAT_SESSION_STATUS_PAUSED", 2
    """Its run is paused."""
    CANCELLED = "CHAT_SESSION_STATUS_CANCELLED", 3
    """Its run was cancelled. It can be written to."""
    COMPLETED = "CHAT_SESSION_STATUS_COMPLETED", 4
    """Its goal is reached."""
    FAILED = "CHAT_SESSION_STATUS_FAILED", 5
    """Its goal was not reached; `error` says why."""
    ERROR = "CHAT_SESSION_STATUS_ERROR", 6
    """Its latest question, without a goal, ended by an error or its time limit; `error` says why. It can be written to."""


class ImportantStep(ProtoModel):
    """A step that later runs should know of."""

    __proto__: ClassVar = pb.ImportantStep

    run_id: str = Field(default="", description="The run.")
    step_number: _t.Int32 = Field(default=0, description="The step's place in it.")
    text: str = Field(default="", description="What was done, in one line.")

    @classmethod
    def read_pb(cls, message: pb.ImportantStep) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "run_id": message.run_id,
            "step_number": message.step_number,
            "text": message.text,
        }
        return data

    def to_pb(self) -> pb.ImportantStep:
        """Makes a protobuf message."""
        return pb.ImportantStep(
            run_id=self.run_id,
            step_number=self.step_number,
            text=self.text,
        )


class ChatSession(ProtoModel):
    """A conversation."""

    __proto__: ClassVar = pb.ChatSession
    __enums__: ClassVar = {
        "mode": ChatMode,
        "status": ChatSessionStatus,
        "run_status": RunStatus,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    user_id: _t.Int32 = Field(default=0, description="Its owner; set by the server.")
    assistant_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="The assistant that answers; 0 means the default one."
    )
    title: Annotated[str, Field(max_length=500)] = Field(
        default="",
        description="Its title: what a person called it, otherwise what the model called it after the first answer, otherwise the first question. One of the model is shown while the reader may read all that the session drew on. To write an empty one leaves it to the next question and to the model.",
    )
    mode: ChatMode = Field(default=ChatMode.UNSPECIFIED, description="What kind of conversation it is.")
    status: ChatSessionStatus = Field(
        default=ChatSessionStatus.UNSPECIFIED, description="How it fares; set by the server."
    )
    message_count: _t.Int32 = Field(default=0, description="How many messages it has; set by the server.")
    head_message_id: _t.Int64 | None = Field(
        default=None, description="The last message of the branch that is shown; empty before the first."
    )
    most_recent_run_id: str | None = Field(default=None, description="Its latest run; empty before the first.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When it began; set by the server.")
    last_update: _t.Timestamp | None = Field(default=None, description="When it last changed; empty when never.")
    last_message_at: _t.Timestamp | None = Field(
        default=None, description="When its newest message came; empty before the first."
    )
    goal: Annotated[str, Field(max_length=100000)] = Field(
        default="", description="What its runs work towards; empty when there is no goal."
    )
    initial_goal: str = Field(default="", description="The goal before it was changed; set by the server.")
    preferences: RunOptions | None = Field(
        default=None, description="How its runs are to work, where a question does not say it."
    )
    parent_session_id: _t.Int32 | None = Field(
        default=None, description="The session that it was forked from; empty otherwise."
    )
    forked_from_message_id: _t.Int64 | None = Field(
        default=None, description="The message of that session that it continues from; empty otherwise."
    )
    summary: str = Field(
        default="",
        description="What the messages up to `last_summarized_message_id` say in short; empty before the first summary, and while the reader may not read all that the session drew on.",
    )
    last_summarized_message_id: _t.Int64 | None = Field(
        default=None, description="The last message that the summary covers; empty before the first summary."
    )
    is_summarizing: bool = Field(default=False, description="Whether a summary was asked for, or is being made.")
    important_steps: list[ImportantStep] = Field(
        default_factory=list,
        description="What later runs should know of the steps of earlier ones, oldest first; empty while the reader may not read all that the session drew on.",
    )
    summary_prompt_tokens: _t.Int64 = Field(
        default=0, description="Tokens of the prompts that asked for its summaries and its title; they are in no run."
    )
    summary_completion_tokens: _t.Int64 = Field(
        default=0, description="Tokens that were written for its summaries and its title."
    )
    summary_cost: _t.Float = Field(
        default=0.0, description="Cost of its summaries and its title in US dollars, of the calls whose price is known."
    )
    error: RunError | None = Field(default=None, description="What ended its latest run early; empty otherwise.")
    pinned: bool = Field(default=False, description="Whether it stands before the others in its owner's list.")
    archived: bool = Field(
        default=False,
        description="Whether it is kept out of its owner's list. It can still be read and searched; a question in it brings it back.",
    )
    run_status: RunStatus = Field(
        default=RunStatus.UNSPECIFIED,
        description="The status of its latest run, or RUN_STATUS_WAITING_FOR_INPUT while any run of it waits for a person; unspecified before the first.",
    )
    notebook_id: Annotated[_t.Int64, Field(gt=0)] | None = Field(
        default=None, description="The notebook that it is in, which is said when it begins; empty for none."
    )
    without_memory: bool = Field(
        default=False,
        description="Whether memories are neither read nor written in it, nor anything else is learned from it.",
    )
    last_knowledge_extraction_at: _t.Timestamp | None = Field(
        default=None, description="When it was last read for knowledge; empty for never. Set by the server."
    )

    @classmethod
    def read_pb(cls, message: pb.ChatSession) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "user_id": message.user_id,
            "assistant_id": message.assistant_id,
            "title": message.title,
            "mode": ChatMode.numbers.get(message.mode, message.mode),
            "status": ChatSessionStatus.numbers.get(message.status, message.status),
            "message_count": message.message_count,
            "goal": message.goal,
            "initial_goal": message.initial_goal,
            "summary": message.summary,
            "is_summarizing": message.is_summarizing,
            "important_steps": [ImportantStep.read_pb(each) for each in message.important_steps],
            "summary_prompt_tokens": message.summary_prompt_tokens,
            "summary_completion_tokens": message.summary_completion_tokens,
            "summary_cost": message.summary_cost,
            "pinned": message.pinned,
            "archived": message.archived,
            "run_status": RunStatus.numbers.get(message.run_status, message.run_status),
            "without_memory": message.without_memory,
        }
        if message.HasField("head_message_id"):
            data["head_message_id"] = message.head_message_id
        if message.HasField("most_recent_run_id"):
            data["most_recent_run_id"] = message.most_recent_run_id
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        if message.HasField("last_message_at"):
            data["last_message_at"] = message.last_message_at.ToDatetime(UTC)
        if message.HasField("preferences"):
            data["preferences"] = RunOptions.read_pb(message.preferences)
        if message.HasField("parent_session_id"):
            data["parent_session_id"] = message.parent_session_id
        if message.HasField("forked_from_message_id"):
            data["forked_from_message_id"] = message.forked_from_message_id
        if message.HasField("last_summarized_message_id"):
            data["last_summarized_message_id"] = message.last_summarized_message_id
        if message.HasField("error"):
            data["error"] = RunError.read_pb(message.error)
        if message.HasField("notebook_id"):
            data["notebook_id"] = message.notebook_id
        if message.HasField("last_knowledge_extraction_at"):
            data["last_knowledge_extraction_at"] = message.last_knowledge_extraction_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.ChatSession:
        """Makes a protobuf message."""
        return pb.ChatSession(
            id=self.id,
            user_id=self.user_id,
            assistant_id=self.assistant_id,
            title=self.title,
            mode=self.mode.number,
            status=self.status.number,
            message_count=self.message_count,
            head_message_id=self.head_message_id,
            most_recent_run_id=self.most_recent_run_id,
            creation_date=self.creation_date,
            last_update=self.last_update,
            last_message_at=self.last_message_at,
            goal=self.goal,
            initial_goal=self.initial_goal,
            preferences=None if self.preferences is None else self.preferences.to_pb(),
            parent_session_id=self.parent_session_id,
            forked_from_message_id=self.forked_from_message_id,
            summary=self.summary,
            last_summarized_message_id=self.last_summarized_message_id,
            is_summarizing=self.is_summarizing,
            important_steps=[each.to_pb() for each in self.important_steps],
            summary_prompt_tokens=self.summary_prompt_tokens,
            summary_completion_tokens=self.summary_completion_tokens,
            summary_cost=self.summary_cost,
            error=None if self.error is None else self.error.to_pb(),
            pinned=self.pinned,
            archived=self.archived,
            run_status=self.run_status.number,
            notebook_id=self.notebook_id,
            without_memory=self.without_memory,
            last_knowledge_extraction_at=self.last_knowledge_extraction_at,
        )


class ChatSessionPatch(PatchModel, ChatSession):
    """New values of ChatSession: what is not given stays as it is, null resets to the default."""


class ChatSessionHit(ProtoModel):
    """A session that a search has found."""

    __proto__: ClassVar = pb.ChatSessionHit

    chat_session: ChatSession | None = Field(default=None, description="The session.")
    message_id: _t.Int64 = Field(
        default=0, description="Its newest message that says one of the words; 0 when only the title does."
    )
    excerpt: str = Field(
        default="",
        description="A part of that message around the word, on one line; empty when only the title says it.",
    )

    @classmethod
    def read_pb(cls, message: pb.ChatSessionHit) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "message_id": message.message_id,
            "excerpt": message.excerpt,
        }
        if message.HasField("chat_session"):
            data["chat_session"] = ChatSession.read_pb(message.chat_session)
        return data

    def to_pb(self) -> pb.ChatSessionHit:
        """Makes a protobuf message."""
        return pb.ChatSessionHit(
            chat_session=None if self.chat_session is None else self.chat_session.to_pb(),
            message_id=self.message_id,
            excerpt=self.excerpt,
        )
