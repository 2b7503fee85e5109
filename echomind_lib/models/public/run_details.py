"""

Generated from echomind/public/v1/run_details.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoModel
from echomind_lib.models.public.chat_message import Citation
from echomind_lib.models.public.llm import LlmProvider
from echomind_lib.models.public.run import Run
from echomind_lib.models.public.session_event import SessionEvent
from echomind_lib.models.public.step import PromptMessage
from echomind_lib.pb.echomind.public.v1 import run_details_pb2 as pb


class RunDetails(ProtoModel):
    """A run with its messages, events and citations, and those of each sub-run."""

    __proto__: ClassVar = pb.RunDetails
    __enums__: ClassVar = {
        "model_provider": LlmProvider,
    }

    run: Run | None = Field(default=None, description="The run.")
    model: str = Field(
        default="", description="Name of the model at its provider; empty until a worker claims the run."
    )
    model_provider: LlmProvider = Field(default=LlmProvider.UNSPECIFIED, description="Provider of the model.")
    content: str = Field(
        default="",
        description="The answer, for a root run as ListMessages shows it to the reader; empty if there is none yet, and for a sub-run that is not the reader's own.",
    )
    citations: list[Citation] = Field(default_factory=list, description="Citations of the answer, for a root run.")
    messages: list[PromptMessage] = Field(
        default_factory=list,
        description="All messages that the model was sent and answered, in order: instructions, earlier turns, the question, calls with their results, and the answer. Empty unless the run is the reader's own and they may use its assistant.",
    )
    events: list[SessionEvent] = Field(
        default_factory=list,
        description="Its stored events, without those of its sub-runs; for a very long run, the first 10,000 of the tree.",
    )
    member_responses: list[RunDetails] = Field(
        default_factory=list,
        description="Details of its sub-runs, team members and sub-agents, in the order in which they were started.",
    )

    @classmethod
    def read_pb(cls, message: pb.RunDetails) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "model": message.model,
            "model_provider": LlmProvider.numbers.get(message.model_provider, message.model_provider),
            "content": message.content,
            "citations": [Citation.read_pb(each) for each in message.citations],
            "messages": [PromptMessage.read_pb(each) for each in message.messages],
            "events": [SessionEvent.read_pb(each) for each in message.events],
            "member_responses": [RunDetails.read_pb(each) for each in message.member_responses],
        }
        if message.HasField("run"):
            data["run"] = Run.read_pb(message.run)
        return data

    def to_pb(self) -> pb.RunDetails:
        """Makes a protobuf message."""
        return pb.RunDetails(
            run=None if self.run is None else self.run.to_pb(),
            model=self.model,
            model_provider=self.model_provider.number,
            content=self.content,
            citations=[each.to_pb() for each in self.citations],
            messages=[each.to_pb() for each in self.messages],
            events=[each.to_pb() for each in self.events],
            member_responses=[each.to_pb() for each in self.member_responses],
        )
