"""

Generated from echomind/public/v1/evaluation_dataset_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from google.protobuf import field_mask_pb2
from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel, UpdateModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.evaluation import (
    EvaluationCase,
    EvaluationCasePatch,
    EvaluationDataset,
    EvaluationDatasetPatch,
)
from echomind_lib.pb.echomind.public.v1 import evaluation_dataset_service_pb2 as pb


class ListEvaluationDatasetsRequest(ProtoModel):
    """Request of ListEvaluationDatasets."""

    __proto__: ClassVar = pb.ListEvaluationDatasetsRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListEvaluationDatasetsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListEvaluationDatasetsRequest:
        """Makes a protobuf message."""
        return pb.ListEvaluationDatasetsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListEvaluationDatasetsResponse(ProtoModel):
    """Response of ListEvaluationDatasets."""

    __proto__: ClassVar = pb.ListEvaluationDatasetsResponse

    datasets: list[EvaluationDataset] = Field(default_factory=list, description="The datasets.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListEvaluationDatasetsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "datasets": [EvaluationDataset.read_pb(each) for each in message.datasets],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListEvaluationDatasetsResponse:
        """Makes a protobuf message."""
        return pb.ListEvaluationDatasetsResponse(
            datasets=[each.to_pb() for each in self.datasets],
            next_page_token=self.next_page_token,
        )


class GetEvaluationDatasetRequest(ProtoModel):
    """Request of GetEvaluationDataset."""

    __proto__: ClassVar = pb.GetEvaluationDatasetRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the dataset.")

    @classmethod
    def read_pb(cls, message: pb.GetEvaluationDatasetRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetEvaluationDatasetRequest:
        """Makes a protobuf message."""
        return pb.GetEvaluationDatasetRequest(
            id=self.id,
        )


class CreateEvaluationDatasetRequest(ProtoModel):
    """Request of CreateEvaluationDataset."""

    __proto__: ClassVar = pb.CreateEvaluationDatasetRequest

    dataset: EvaluationDataset = Field(description="The dataset; `name` is required.")

    @classmethod
    def read_pb(cls, message: pb.CreateEvaluationDatasetRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("dataset"):
            data["dataset"] = EvaluationDataset.read_pb(message.dataset)
        return data

    def to_pb(self) -> pb.CreateEvaluationDatasetRequest:
        """Makes a protobuf message."""
        return pb.CreateEvaluationDatasetRequest(
            dataset=None if self.dataset is None else self.dataset.to_pb(),
        )


class UpdateEvaluationDatasetRequest(UpdateModel):
    """Request of UpdateEvaluationDataset."""

    __proto__: ClassVar = pb.UpdateEvaluationDatasetRequest
    __resource__: ClassVar = ("dataset", EvaluationDatasetPatch)

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the dataset.")
    dataset: EvaluationDatasetPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "name",
            "description",
            "is_shared",
            "groups",
            "user_id",
            "user_name",
            "cases",
            "is_editable",
            "creation_date",
            "last_update",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateEvaluationDatasetRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("dataset"):
            data["dataset"] = EvaluationDataset.read_pb(message.dataset)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateEvaluationDatasetRequest:
        """Makes a protobuf message."""
        return pb.UpdateEvaluationDatasetRequest(
            id=self.id,
            dataset=None if self.dataset is None else self.dataset.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteEvaluationDatasetRequest(ProtoModel):
    """Request of DeleteEvaluationDataset."""

    __proto__: ClassVar = pb.DeleteEvaluationDatasetRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the dataset.")

    @classmethod
    def read_pb(cls, message: pb.DeleteEvaluationDatasetRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteEvaluationDatasetRequest:
        """Makes a protobuf message."""
        return pb.DeleteEvaluationDatasetRequest(
            id=self.id,
        )


class ListEvaluationCasesRequest(ProtoModel):
    """Request of ListEvaluationCases."""

    __proto__: ClassVar = pb.ListEvaluationCasesRequest

    dataset_id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the dataset.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListEvaluationCasesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "dataset_id": message.dataset_id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListEvaluationCasesRequest:
        """Makes a protobuf message."""
        return pb.ListEvaluationCasesRequest(
            dataset_id=self.dataset_id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListEvaluationCasesResponse(ProtoModel):
    """Response of ListEvaluationCases."""

    __proto__: ClassVar = pb.ListEvaluationCasesResponse

    cases: list[EvaluationCase] = Field(default_factory=list, description="The questions.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListEvaluationCasesResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "cases": [EvaluationCase.read_pb(each) for each in message.cases],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListEvaluationCasesResponse:
        """Makes a protobuf message."""
        return pb.ListEvaluationCasesResponse(
            cases=[each.to_pb() for each in self.cases],
            next_page_token=self.next_page_token,
        )


class AddEvaluationCasesRequest(ProtoModel):
    """Request of AddEvaluationCases."""

    __proto__: ClassVar = pb.AddEvaluationCasesRequest

    dataset_id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the dataset.")
    cases: Annotated[list[EvaluationCase], Field(min_length=1, max_length=500)] = Field(description="The questions.")

    @classmethod
    def read_pb(cls, message: pb.AddEvaluationCasesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "dataset_id": message.dataset_id,
            "cases": [EvaluationCase.read_pb(each) for each in message.cases],
        }
        return data

    def to_pb(self) -> pb.AddEvaluationCasesRequest:
        """Makes a protobuf message."""
        return pb.AddEvaluationCasesRequest(
            dataset_id=self.dataset_id,
            cases=[each.to_pb() for each in self.cases],
        )


class AddEvaluationCasesResponse(ProtoModel):
    """Response of AddEvaluationCases and AddRatedAnswers."""

    __proto__: ClassVar = pb.AddEvaluationCasesResponse

    cases: list[EvaluationCase] = Field(default_factory=list, description="The questions that were added, in order.")

    @classmethod
    def read_pb(cls, message: pb.AddEvaluationCasesResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "cases": [EvaluationCase.read_pb(each) for each in message.cases],
        }
        return data

    def to_pb(self) -> pb.AddEvaluationCasesResponse:
        """Makes a protobuf message."""
        return pb.AddEvaluationCasesResponse(
            cases=[each.to_pb() for each in self.cases],
        )


class AddRatedAnswersRequest(ProtoModel):
    """Request of AddRatedAnswers."""

    __proto__: ClassVar = pb.AddRatedAnswersRequest

    dataset_id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the dataset.")
    chat_session_id: Annotated[_t.Int32, Field(gt=0)] = Field(
        description="ID of a conversation that the caller may read."
    )

    @classmethod
    def read_pb(cls, message: pb.AddRatedAnswersRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "dataset_id": message.dataset_id,
            "chat_session_id": message.chat_session_id,
        }
        return data

    def to_pb(self) -> pb.AddRatedAnswersRequest:
        """Makes a protobuf message."""
        return pb.AddRatedAnswersRequest(
            dataset_id=self.dataset_id,
            chat_session_id=self.chat_session_id,
        )


class UpdateEvaluationCaseRequest(UpdateModel):
    """Request of UpdateEvaluationCase."""

    __proto__: ClassVar = pb.UpdateEvaluationCaseRequest
    __resource__: ClassVar = ("case", EvaluationCasePatch)

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the question.")
    case: EvaluationCasePatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "dataset_id",
            "question",
            "documents",
            "passages",
            "facts",
            "answer",
            "message_id",
            "creation_date",
            "last_update",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateEvaluationCaseRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("case"):
            data["case"] = EvaluationCase.read_pb(message.case)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateEvaluationCaseRequest:
        """Makes a protobuf message."""
        return pb.UpdateEvaluationCaseRequest(
            id=self.id,
            case=None if self.case is None else self.case.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteEvaluationCaseRequest(ProtoModel):
    """Request of DeleteEvaluationCase."""

    __proto__: ClassVar = pb.DeleteEvaluationCaseRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the question.")

    @classmethod
    def read_pb(cls, message: pb.DeleteEvaluationCaseRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteEvaluationCaseRequest:
        """Makes a protobuf message."""
        return pb.DeleteEvaluationCaseRequest(
            id=self.id,
        )


class EvaluationDatasetService(ABC):
    """Datasets of questions, to evaluate assistants with. Their owners change them, and those whom they are shared with read
    them.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["EvaluationDatasetService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method(
            "ListEvaluationDatasets",
            "list_evaluation_datasets",
            ListEvaluationDatasetsRequest,
            ListEvaluationDatasetsResponse,
        ),
        Method("GetEvaluationDataset", "get_evaluation_dataset", GetEvaluationDatasetRequest, EvaluationDataset),
        Method(
            "CreateEvaluationDataset", "create_evaluation_dataset", CreateEvaluationDatasetRequest, EvaluationDataset
        ),
        Method(
            "UpdateEvaluationDataset", "update_evaluation_dataset", UpdateEvaluationDatasetRequest, EvaluationDataset
        ),
        Method("DeleteEvaluationDataset", "delete_evaluation_dataset", DeleteEvaluationDatasetRequest, Empty),
        Method("ListEvaluationCases", "list_evaluation_cases", ListEvaluationCasesRequest, ListEvaluationCasesResponse),
        Method("AddEvaluationCases", "add_evaluation_cases", AddEvaluationCasesRequest, AddEvaluationCasesResponse),
        Method("AddRatedAnswers", "add_rated_answers", AddRatedAnswersRequest, AddEvaluationCasesResponse),
        Method("UpdateEvaluationCase", "update_evaluation_case", UpdateEvaluationCaseRequest, EvaluationCase),
        Method("DeleteEvaluationCase", "delete_evaluation_case", DeleteEvaluationCaseRequest, Empty),
    )

    @abstractmethod
    async def list_evaluation_datasets(
        self, request: ListEvaluationDatasetsRequest, call: CallContext
    ) -> ListEvaluationDatasetsResponse:
        """Lists the caller's datasets and those that are shared with them, newest first."""

    @abstractmethod
    async def get_evaluation_dataset(
        self, request: GetEvaluationDatasetRequest, call: CallContext
    ) -> EvaluationDataset:
        """Reads one dataset, without its questions. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_evaluation_dataset(
        self, request: CreateEvaluationDatasetRequest, call: CallContext
    ) -> EvaluationDataset:
        """Creates a dataset. Errors: ALREADY_EXISTS (the caller has one of this name), NOT_FOUND (a group)."""

    @abstractmethod
    async def update_evaluation_dataset(
        self, request: UpdateEvaluationDatasetRequest, call: CallContext
    ) -> EvaluationDataset:
        """Updates a dataset. Errors: NOT_FOUND, PERMISSION_DENIED (it is another person's, or it would be shared with people who
        may not read what its rated answers draw on: see AddRatedAnswers), ALREADY_EXISTS.
        """

    @abstractmethod
    async def delete_evaluation_dataset(self, request: DeleteEvaluationDatasetRequest, call: CallContext) -> Empty:
        """Deletes a dataset permanently, with its questions and everybody's evaluations with it. Errors: NOT_FOUND,
        PERMISSION_DENIED.
        """

    @abstractmethod
    async def list_evaluation_cases(
        self, request: ListEvaluationCasesRequest, call: CallContext
    ) -> ListEvaluationCasesResponse:
        """Lists the questions of a dataset, in the order in which they were added. Errors: NOT_FOUND."""

    @abstractmethod
    async def add_evaluation_cases(
        self, request: AddEvaluationCasesRequest, call: CallContext
    ) -> AddEvaluationCasesResponse:
        """Adds questions. Errors: NOT_FOUND, PERMISSION_DENIED, VALIDATION_FAILED (it would have more than 5000)."""

    @abstractmethod
    async def add_rated_answers(self, request: AddRatedAnswersRequest, call: CallContext) -> AddEvaluationCasesResponse:
        """Adds the questions of a conversation whose answers the caller has rated: for a helpful answer with the documents that
        it cites and its text as a right answer, otherwise without expectations, which somebody must add. Answers that the
        dataset has already are left out. A shared dataset takes helpful answers only if each group that it is shared with may
        read all documents that the conversation draws on, as their connectors are shared; permissions at the source do not
        count. Errors: NOT_FOUND, PERMISSION_DENIED (also: not everybody whom it is shared with may read these documents, which
        the message names, or sharing is switched off), VALIDATION_FAILED (no answer is rated).
        """

    @abstractmethod
    async def update_evaluation_case(self, request: UpdateEvaluationCaseRequest, call: CallContext) -> EvaluationCase:
        """Updates a question. Evaluations that have begun keep what it was. Errors: NOT_FOUND, PERMISSION_DENIED."""

    @abstractmethod
    async def delete_evaluation_case(self, request: DeleteEvaluationCaseRequest, call: CallContext) -> Empty:
        """Deletes a question; results of evaluations stay. Errors: NOT_FOUND, PERMISSION_DENIED."""
