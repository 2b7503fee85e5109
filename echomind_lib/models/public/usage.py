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
    """What usage is summed by."""

    UNSPECIFIED = "USAGE_GROUPING_UNSPECIFIED", 0
    """By day."""
    LLM = "USAGE_GROUPING_LLM", 1
    """By chat model."""
    ASSISTANT = "USAGE_GROUPING_ASSISTANT", 2
    """By assistant."""
    USER = "USAGE_GROUPING_USER", 3
    """By person."""


class Usage(ProtoModel):
    """What runs took."""

    __proto__: ClassVar = pb.Usage

    day: str = Field(default="", description="The day, as YYYY-MM-DD, when grouped by day; empty otherwise.")
    id: _t.Int32 = Field(
        default=0,
        description="The chat model, assistant or person that it is grouped by; 0 otherwise, and for runs that never had a model.",
    )
    name: str = Field(default="", description="The name of `id`, also of what was removed; empty when there is none.")
    questions: _t.Int64 = Field(default=0, description="Questions that were asked: runs that no other run started.")
    failed_questions: _t.Int64 = Field(
        default=0, description="Those of the questions that ended as failed or timed out."
    )
    active_users: _t.Int32 = Field(default=0, description="People who asked.")
    prompt_tokens: _t.Int64 = Field(default=0, description="Tokens of prompts, those of sub-agents too.")
    completion_tokens: _t.Int64 = Field(default=0, description="Tokens of answers, those of sub-agents too.")
    cost: _t.Float = Field(default=0.0, description="US dollars, of the runs whose price is known.")

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
        )
