"""

Generated from echomind/public/v1/evaluation_run_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.evaluation import EvaluationResult, EvaluationRun
from echomind_lib.pb.echomind.public.v1 import evaluation_run_service_pb2 as pb


class StartEvaluationRunRequest(ProtoModel):
    """Request of StartEvaluationRun."""

    __proto__: ClassVar = pb.StartEvaluationRunRequest

    dataset_id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the dataset.")
    assistant_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="ID of the assistant; 0 means the caller's usual one."
    )
    judge_llm_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0,
        description="ID of a chat model that judges the answers to questions with a right answer or facts; 0 for none.",
    )
    assistant_version: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0,
        description="Version of the assistant; 0 means the newest one. Superadmins choose older ones, of assistants that lead no team; a chat model that was removed meanwhile is replaced by the default one.",
    )

    @classmethod
    def read_pb(cls, message: pb.StartEvaluationRunRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "dataset_id": message.dataset_id,
            "assistant_id": message.assistant_id,
            "judge_llm_id": message.judge_llm_id,
            "assistant_version": message.assistant_version,
        }
        return data

    def to_pb(self) -> pb.StartEvaluationRunRequest:
        """Makes a protobuf message."""
        return pb.StartEvaluationRunRequest(
            dataset_id=self.dataset_id,
            assistant_id=self.assistant_id,
            judge_llm_id=self.judge_llm_id,
            assistant_version=self.assistant_version,
        )


class ListEvaluationRunsRequest(ProtoModel):
    """Request of ListEvaluationRuns."""

    __proto__: ClassVar = pb.ListEvaluationRunsRequest

    dataset_id: Annotated[_t.Int64, Field(ge=0)] = Field(default=0, description="ID of a dataset; 0 for all.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListEvaluationRunsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "dataset_id": message.dataset_id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListEvaluationRunsRequest:
        """Makes a protobuf message."""
        return pb.ListEvaluationRunsRequest(
            dataset_id=self.dataset_id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListEvaluationRunsResponse(ProtoModel):
    """Response of ListEvaluationRuns."""

    __proto__: ClassVar = pb.ListEvaluationRunsResponse

    runs: list[EvaluationRun] = Field(default_factory=list, description="The evaluations.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListEvaluationRunsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "runs": [EvaluationRun.read_pb(each) for each in message.runs],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListEvaluationRunsResponse:
        """Makes a protobuf message."""
        return pb.ListEvaluationRunsResponse(
            runs=[each.to_pb() for each in self.runs],
            next_page_token=self.next_page_token,
        )


class GetEvaluationRunRequest(ProtoModel):
    """Request of GetEvaluationRun."""

    __proto__: ClassVar = pb.GetEvaluationRunRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the evaluation.")

    @classmethod
    def read_pb(cls, message: pb.GetEvaluationRunRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetEvaluationRunRequest:
        """Makes a protobuf message."""
        return pb.GetEvaluationRunRequest(
            id=self.id,
        )


class ListEvaluationResultsRequest(ProtoModel):
    """Request of ListEvaluationResults."""

    __proto__: ClassVar = pb.ListEvaluationResultsRequest

    evaluation_run_id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the evaluation.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListEvaluationResultsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "evaluation_run_id": message.evaluation_run_id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListEvaluationResultsRequest:
        """Makes a protobuf message."""
        return pb.ListEvaluationResultsRequest(
            evaluation_run_id=self.evaluation_run_id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListEvaluationResultsResponse(ProtoModel):
    """Response of ListEvaluationResults."""

    __proto__: ClassVar = pb.ListEvaluationResultsResponse

    results: list[EvaluationResult] = Field(default_factory=list, description="The results.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListEvaluationResultsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "results": [EvaluationResult.read_pb(each) for each in message.results],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListEvaluationResultsResponse:
        """Makes a protobuf message."""
        return pb.ListEvaluationResultsResponse(
            results=[each.to_pb() for each in self.results],
            next_page_token=self.next_page_token,
        )


class CancelEvaluationRunRequest(ProtoModel):
    """Request of CancelEvaluationRun."""

    __proto__: ClassVar = pb.CancelEvaluationRunRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the evaluation.")

    @classmethod
    def read_pb(cls, message: pb.CancelEvaluationRunRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.CancelEvaluationRunRequest:
        """Makes a protobuf message."""
        return pb.CancelEvaluationRunRequest(
            id=self.id,
        )


class DeleteEvaluationRunRequest(ProtoModel):
    """Request of DeleteEvaluationRun."""

    __proto__: ClassVar = pb.DeleteEvaluationRunRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the evaluation.")

    @classmethod
    def read_pb(cls, message: pb.DeleteEvaluationRunRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteEvaluationRunRequest:
        """Makes a protobuf message."""
        return pb.DeleteEvaluationRunRequest(
            id=self.id,
        )


class EvaluationRunService(ABC):
    """Evaluations of assistants: the questions of a dataset are asked in the background with the rights of who started it,
    behind everybody's own questions, and what comes of them is measured. Everyone sees their own evaluations alone.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["EvaluationRunService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("StartEvaluationRun", "start_evaluation_run", StartEvaluationRunRequest, EvaluationRun),
        Method("ListEvaluationRuns", "list_evaluation_runs", ListEvaluationRunsRequest, ListEvaluationRunsResponse),
        Method("GetEvaluationRun", "get_evaluation_run", GetEvaluationRunRequest, EvaluationRun),
        Method(
            "ListEvaluationResults",
            "list_evaluation_results",
            ListEvaluationResultsRequest,
            ListEvaluationResultsResponse,
        ),
        Method("CancelEvaluationRun", "cancel_evaluation_run", CancelEvaluationRunRequest, EvaluationRun),
        Method("DeleteEvaluationRun", "delete_evaluation_run", DeleteEvaluationRunRequest, Empty),
    )

    @abstractmethod
    async def start_evaluation_run(self, request: StartEvaluationRunRequest, call: CallContext) -> EvaluationRun:
        """Starts an evaluation. Errors: NOT_FOUND (the dataset, the assistant, its version or the chat model),
        PERMISSION_DENIED (an older version, and the caller is no superadmin), VALIDATION_FAILED (the dataset has no question,
        the built-in model is to judge, or an older version of an assistant that leads a team).
        """

    @abstractmethod
    async def list_evaluation_runs(
        self, request: ListEvaluationRunsRequest, call: CallContext
    ) -> ListEvaluationRunsResponse:
        """Lists the caller's evaluations, newest first."""

    @abstractmethod
    async def get_evaluation_run(self, request: GetEvaluationRunRequest, call: CallContext) -> EvaluationRun:
        """Reads one evaluation. Errors: NOT_FOUND."""

    @abstractmethod
    async def list_evaluation_results(
        self, request: ListEvaluationResultsRequest, call: CallContext
    ) -> ListEvaluationResultsResponse:
        """Lists the results of an evaluation, in the order of its questions. Errors: NOT_FOUND."""

    @abstractmethod
    async def cancel_evaluation_run(self, request: CancelEvaluationRunRequest, call: CallContext) -> EvaluationRun:
        """Cancels an evaluation, and the questions that are being answered. One that has ended stays as it is. Errors:
        NOT_FOUND.
        """

    @abstractmethod
    async def delete_evaluation_run(self, request: DeleteEvaluationRunRequest, call: CallContext) -> Empty:
        """Deletes an evaluation with its results permanently. Errors: NOT_FOUND, VALIDATION_FAILED (it is running)."""
