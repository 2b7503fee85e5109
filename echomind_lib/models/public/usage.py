"""

Generated from echomind/public/v1/usage.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import usage_pb2 as pb


class UsageGrouping(ProtoEnum):
    """How usage is grouped."""

    UNSPECIFIED = "USAGE_GROUPING_UNSPECIFIED", 0
    """By day."""
    LLM = "USAGE_GROUPING_LLM", 1
    """By chat model."""
    ASSISTANT = "USAGE_GROUPING_ASSISTANT", 2
    """By assistant."""
    USER = "USAGE_GROUPING_USER", 3
    """By user."""
    DAY_LLM = "USAGE_GROUPING_DAY_LLM", 4
    """By day and chat model."""
    KIND = "USAGE_GROUPING_KIND", 5
    """By kind of call."""


class UsageKind(ProtoEnum):
    """What a model was called for."""

    UNSPECIFIED = "USAGE_KIND_UNSPECIFIED", 0
    """Of any kind."""
    ANSWER = "USAGE_KIND_ANSWER", 1
    """To answer a question: runs, with everything that they took, such as rewriting a question before a search."""
    PLAIN_MODEL = "USAGE_KIND_PLAIN_MODEL", 2
    """By a program that uses a plain model, without an assistant."""
    TITLE = "USAGE_KIND_TITLE", 3
    """For the title of a conversation."""
    SUMMARY = "USAGE_KIND_SUMMARY", 4
    """For the summary of a conversation or a notebook."""
    LEARNING = "USAGE_KIND_LEARNING", 5
    """To learn from conversations."""
    JUDGEMENT = "USAGE_KIND_JUDGEMENT", 6
    """To judge answers of an evaluation."""
    EMBEDDING = "USAGE_KIND_EMBEDDING", 7
    """For vectors that a program asked for; their tokens are estimated."""


class Usage(ProtoModel):
    """Usage of models."""

    __proto__: ClassVar = pb.Usage
    __enums__: ClassVar = {
        "kind": UsageKind,
    }

    day: str = Field(
        default="", description="The day, as YYYY-MM-DD, when grouped by day, or by day and model; empty otherwise."
    )
    id: _t.Int32 = Field(
        default=0,
        description="ID of the chat model, assistant or user, depending on the grouping; 0 otherwise, and for calls without a model.",
    )
    name: str = Field(default="", description="Name of `id`, also if it was removed; empty if there is none.")
    questions: _t.Int64 = Field(default=0, description="Number of questions: root runs. Only answers have them.")
    failed_questions: _t.Int64 = Field(default=0, description="Number of questions that failed or timed out.")
    active_users: _t.Int32 = Field(default=0, description="Number of users who asked.")
    prompt_tokens: _t.Int64 = Field(default=0, description="Prompt tokens, including sub-runs.")
    completion_tokens: _t.Int64 = Field(default=0, description="Completion tokens, including sub-runs.")
    cost: _t.Float = Field(default=0.0, description="Cost in US dollars, of calls with a known price.")
    kind: UsageKind = Field(
        default=UsageKind.UNSPECIFIED, description="The kind of call, when grouped by it; unspecified otherwise."
    )

    @classmethod
    def read_pb(cls, message: pb.Usage) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "day": message.day,
            "id": message.id,
            "name": message.name,
            "questions": message.questions,
            "failed_questions": message.failed_questions,
            "active_users": message.active_users,
            "prompt_tokens": message.prompt_tokens,
            "completion_tokens": message.completion_tokens,
            "cost": message.cost,
            "kind": UsageKind.numbers.get(message.kind, message.kind),
        }
        return data

    def to_pb(self) -> pb.Usage:
        """Makes a protobuf message."""
        return pb.Usage(
            day=self.day,
            id=self.id,
            name=self.name,
            questions=self.questions,
            failed_questions=self.failed_questions,
            active_users=self.active_users,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cost=self.cost,
            kind=self.kind.number,
        )
