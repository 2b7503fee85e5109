"""

Generated from echomind/public/v1/evaluation.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import evaluation_pb2 as pb


class EvaluationStatus(ProtoEnum):
    """Status of an evaluation."""

    UNSPECIFIED = "EVALUATION_STATUS_UNSPECIFIED", 0
    """Unspecified."""
    RUNNING = "EVALUATION_STATUS_RUNNING", 1
    """Its questions are being asked."""
    COMPLETED = "EVALUATION_STATUS_COMPLETED", 2
    """Every question was asked."""
    CANCELLED = "EVALUATION_STATUS_CANCELLED", 3
    """It was cancelled."""
    FAILED = "EVALUATION_STATUS_FAILED", 4
    """It could not be continued; `status_message` says why."""


class EvaluationResultStatus(ProtoEnum):
    """Status of a question of an evaluation."""

    UNSPECIFIED = "EVALUATION_RESULT_STATUS_UNSPECIFIED", 0
    """Unspecified."""
    PENDING = "EVALUATION_RESULT_STATUS_PENDING", 1
    """It waits to be asked."""
    RUNNING = "EVALUATION_RESULT_STATUS_RUNNING", 2
    """It is being answered."""
    COMPLETED = "EVALUATION_RESULT_STATUS_COMPLETED", 3
    """It was answered."""
    FAILED = "EVALUATION_RESULT_STATUS_FAILED", 4
    """Its run failed; `status_message` says why."""
    CANCELLED = "EVALUATION_RESULT_STATUS_CANCELLED", 5
    """It was not asked, or its run was cancelled."""


class EvaluationDataset(ProtoModel):
    """Questions with what their answers should be based on and say, to measure assistants with."""

    __proto__: ClassVar = pb.EvaluationDataset

    id: _t.Int64 = Field(default=0, description="Identifier; set by the server.")
    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(description="Its name.")
    description: Annotated[str, Field(max_length=2000)] = Field(
        default="", description="What it is about; may be empty."
    )
    is_shared: bool = Field(
        default=False,
        description="Whether others read it and evaluate assistants with it: everyone, or the members of `groups`. Its owner alone changes it, and nobody sees another person's evaluations.",
    )
    groups: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=255), _r.NAME]], Field(max_length=50), _r.UNIQUE
    ] = Field(
        default_factory=list,
        description="Names of the groups that it is shared with; empty for everyone. Users give names of their own groups.",
    )
    user_id: _t.Int32 = Field(default=0, description="ID of its owner; set by the server.")
    user_name: str = Field(
        default="", description="First and last name of its owner, or else the user name; set by the server."
    )
    cases: _t.Int32 = Field(default=0, description="Number of its questions; set by the server.")
    is_editable: bool = Field(default=False, description="Whether the caller may change it; set by the server.")
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time; set by the server.")
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )

    @classmethod
    def read_pb(cls, message: pb.EvaluationDataset) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "name": message.name,
            "description": message.description,
            "is_shared": message.is_shared,
            "groups": list(message.groups),
            "user_id": message.user_id,
            "user_name": message.user_name,
            "cases": message.cases,
            "is_editable": message.is_editable,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.EvaluationDataset:
        """Makes a protobuf message."""
        return pb.EvaluationDataset(
            id=self.id,
            name=self.name,
            description=self.description,
            is_shared=self.is_shared,
            groups=self.groups,
            user_id=self.user_id,
            user_name=self.user_name,
            cases=self.cases,
            is_editable=self.is_editable,
            creation_date=self.creation_date,
            last_update=self.last_update,
        )


class EvaluationDatasetPatch(PatchModel, EvaluationDataset):
    """New values of EvaluationDataset: what is not given stays as it is, null resets to the default."""

    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(default="", description="Its name.")


class EvaluationCase(ProtoModel):
    """A question of a dataset, with what is expected. What is empty is not measured."""

    __proto__: ClassVar = pb.EvaluationCase

    id: _t.Int64 = Field(default=0, description="Identifier; set by the server.")
    dataset_id: _t.Int64 = Field(default=0, description="ID of its dataset; set by the server.")
    question: Annotated[str, Field(min_length=1, max_length=20000)] = Field(description="The question.")
    documents: Annotated[list[Annotated[str, Field(min_length=1, max_length=1000)]], Field(max_length=50)] = Field(
        default_factory=list,
        description="Documents that should be found: titles, file names, or addresses of web pages.",
    )
    passages: Annotated[list[Annotated[str, Field(min_length=1, max_length=5000)]], Field(max_length=50)] = Field(
        default_factory=list,
        description="Words of the passages that should be found. Case and white space do not matter.",
    )
    facts: Annotated[list[Annotated[str, Field(min_length=1, max_length=1000)]], Field(max_length=50)] = Field(
        default_factory=list,
        description="Facts that the answer should contain, each in words that stand in it. `30 days | thirty days` are two ways to say one fact. Case, white space and Markdown's marks do not matter.",
    )
    answer: Annotated[str, Field(max_length=100000)] = Field(
        default="", description="A right answer, which a model as judge compares with; may be empty."
    )
    message_id: _t.Int64 | None = Field(
        default=None,
        description="ID of the answer that it was made from; unset for others, and after the answer was deleted. Set by the server.",
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time; set by the server.")
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )

    @classmethod
    def read_pb(cls, message: pb.EvaluationCase) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "dataset_id": message.dataset_id,
            "question": message.question,
            "documents": list(message.documents),
            "passages": list(message.passages),
            "facts": list(message.facts),
            "answer": message.answer,
        }
        if message.HasField("message_id"):
            data["message_id"] = message.message_id
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.EvaluationCase:
        """Makes a protobuf message."""
        return pb.EvaluationCase(
            id=self.id,
            dataset_id=self.dataset_id,
            question=self.question,
            documents=self.documents,
            passages=self.passages,
            facts=self.facts,
            answer=self.answer,
            message_id=self.message_id,
            creation_date=self.creation_date,
            last_update=self.last_update,
        )


class EvaluationCasePatch(PatchModel, EvaluationCase):
    """New values of EvaluationCase: what is not given stays as it is, null resets to the default."""

    question: Annotated[str, Field(min_length=1, max_length=20000)] = Field(default="", description="The question.")


class EvaluationFigures(ProtoModel):
    """What was measured, over the questions that were asked. A question that failed counts as 0 in every share."""

    __proto__: ClassVar = pb.EvaluationFigures

    documents: _t.Float | None = Field(
        default=None,
        description="Mean share of the expected documents that were found, 0 to 1. Unset if no question expects any.",
    )
    reciprocal_rank: _t.Float | None = Field(
        default=None,
        description="Mean of 1 divided by the rank of the first expected document, 0 if none was found: the mean reciprocal rank.",
    )
    passages: _t.Float | None = Field(
        default=None,
        description="Mean share of the expected passages that were found, 0 to 1. Unset if no question expects any.",
    )
    facts: _t.Float | None = Field(
        default=None,
        description="Mean share of the expected facts in the answers, 0 to 1. Unset if no question expects any.",
    )
    citations: _t.Float | None = Field(
        default=None,
        description="Share of the cited sentences that their sources support, of all answers together, 0 to 1. Unset if nothing is cited.",
    )
    judge: _t.Float | None = Field(
        default=None, description="Mean of the judge's scores, 0 to 1. Unset if nothing was judged."
    )
    cost: _t.Float = Field(default=0.0, description="Cost of the answers in US dollars, of models with a known price.")
    judge_cost: _t.Float = Field(default=0.0, description="Cost of the judge in US dollars.")
    tokens: _t.Int64 = Field(default=0, description="Tokens of prompts and answers.")
    duration_ms: _t.Float | None = Field(
        default=None,
        description="Mean milliseconds from the start to the end of an answer. Unset before the first one.",
    )
    judge_tokens: _t.Int64 = Field(default=0, description="Tokens of the judge.")

    @classmethod
    def read_pb(cls, message: pb.EvaluationFigures) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "cost": message.cost,
            "judge_cost": message.judge_cost,
            "tokens": message.tokens,
            "judge_tokens": message.judge_tokens,
        }
        if message.HasField("documents"):
            data["documents"] = message.documents
        if message.HasField("reciprocal_rank"):
            data["reciprocal_rank"] = message.reciprocal_rank
        if message.HasField("passages"):
            data["passages"] = message.passages
        if message.HasField("facts"):
            data["facts"] = message.facts
        if message.HasField("citations"):
            data["citations"] = message.citations
        if message.HasField("judge"):
            data["judge"] = message.judge
        if message.HasField("duration_ms"):
            data["duration_ms"] = message.duration_ms
        return data

    def to_pb(self) -> pb.EvaluationFigures:
        """Makes a protobuf message."""
        return pb.EvaluationFigures(
            documents=self.documents,
            reciprocal_rank=self.reciprocal_rank,
            passages=self.passages,
            facts=self.facts,
            citations=self.citations,
            judge=self.judge,
            cost=self.cost,
            judge_cost=self.judge_cost,
            tokens=self.tokens,
            duration_ms=self.duration_ms,
            judge_tokens=self.judge_tokens,
        )


class EvaluationRun(ProtoModel):
    """An evaluation: the questions of a dataset asked of an assistant, with the rights of who started it, who alone sees it."""

    __proto__: ClassVar = pb.EvaluationRun
    __enums__: ClassVar = {
        "status": EvaluationStatus,
    }

    id: _t.Int64 = Field(default=0, description="Identifier.")
    dataset_id: _t.Int64 = Field(default=0, description="ID of its dataset.")
    dataset_name: str = Field(default="", description="Name of its dataset.")
    user_id: _t.Int32 = Field(default=0, description="ID of who started it.")
    assistant_id: _t.Int32 = Field(default=0, description="ID of the assistant.")
    assistant_name: str = Field(default="", description="Name of the assistant, also if it was removed.")
    assistant_version: _t.Int32 = Field(
        default=0,
        description="Version of the assistant; 0 for one that was never changed. If an assistant that was never changed, or that leads a team, is changed meanwhile, its evaluation fails; others continue with their version.",
    )
    judge_llm_id: _t.Int32 = Field(default=0, description="ID of the chat model that judges; 0 for none.")
    judge_llm_name: str = Field(default="", description="Name of the chat model that judges; empty for none.")
    status: EvaluationStatus = Field(default=EvaluationStatus.UNSPECIFIED, description="Status.")
    status_message: str = Field(default="", description="Why it failed; empty otherwise.")
    questions: _t.Int32 = Field(default=0, description="Number of questions.")
    answered: _t.Int32 = Field(default=0, description="Number of questions that were answered.")
    failed: _t.Int32 = Field(default=0, description="Number of questions whose run failed.")
    figures: EvaluationFigures | None = Field(default=None, description="What was measured so far.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When it was started.")
    completion_date: _t.Timestamp | None = Field(default=None, description="When it ended; empty before.")

    @classmethod
    def read_pb(cls, message: pb.EvaluationRun) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "dataset_id": message.dataset_id,
            "dataset_name": message.dataset_name,
            "user_id": message.user_id,
            "assistant_id": message.assistant_id,
            "assistant_name": message.assistant_name,
            "assistant_version": message.assistant_version,
            "judge_llm_id": message.judge_llm_id,
            "judge_llm_name": message.judge_llm_name,
            "status": EvaluationStatus.numbers.get(message.status, message.status),
            "status_message": message.status_message,
            "questions": message.questions,
            "answered": message.answered,
            "failed": message.failed,
        }
        if message.HasField("figures"):
            data["figures"] = EvaluationFigures.read_pb(message.figures)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("completion_date"):
            data["completion_date"] = message.completion_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.EvaluationRun:
        """Makes a protobuf message."""
        return pb.EvaluationRun(
            id=self.id,
            dataset_id=self.dataset_id,
            dataset_name=self.dataset_name,
            user_id=self.user_id,
            assistant_id=self.assistant_id,
            assistant_name=self.assistant_name,
            assistant_version=self.assistant_version,
            judge_llm_id=self.judge_llm_id,
            judge_llm_name=self.judge_llm_name,
            status=self.status.number,
            status_message=self.status_message,
            questions=self.questions,
            answered=self.answered,
            failed=self.failed,
            figures=None if self.figures is None else self.figures.to_pb(),
            creation_date=self.creation_date,
            completion_date=self.completion_date,
        )


class EvaluationResult(ProtoModel):
    """A question of an evaluation: what was expected when it started, and what came of it."""

    __proto__: ClassVar = pb.EvaluationResult
    __enums__: ClassVar = {
        "status": EvaluationResultStatus,
    }

    id: _t.Int64 = Field(default=0, description="Identifier.")
    evaluation_run_id: _t.Int64 = Field(default=0, description="ID of the evaluation.")
    case_id: _t.Int64 = Field(
        default=0,
        description="ID of the question in its dataset; 0 after it was deleted there. Evaluations of a dataset are compared by it.",
    )
    expected: EvaluationCase | None = Field(
        default=None, description="The question with what was expected, as it was when the evaluation was started."
    )
    status: EvaluationResultStatus = Field(default=EvaluationResultStatus.UNSPECIFIED, description="Status.")
    status_message: str = Field(default="", description="Why it failed; empty otherwise.")
    answer: str = Field(default="", description="The answer, in Markdown.")
    rank: _t.Int32 = Field(
        default=0,
        description="Rank of the first expected document among those that were found, 1 for the first; 0 if none was found.",
    )
    document_share: _t.Float | None = Field(
        default=None,
        description="Share of the expected documents that were found; unset if none is expected, or before it was asked.",
    )
    passage_share: _t.Float | None = Field(
        default=None, description="Share of the expected passages that were found; unset likewise."
    )
    fact_share: _t.Float | None = Field(
        default=None, description="Share of the expected facts in the answer; unset likewise."
    )
    missing: list[str] = Field(
        default_factory=list, description="The expected documents, passages and facts that are missing."
    )
    citations: _t.Int32 = Field(default=0, description="Number of cited sentences.")
    supported_citations: _t.Int32 = Field(
        default=0, description="Number of cited sentences that their source supports."
    )
    judge_score: _t.Float | None = Field(
        default=None,
        description="The judge's score, 0 to 1: 1 for correct, 0.5 for partly correct, 0 for wrong. Unset if it was not judged.",
    )
    judge_reason: str = Field(default="", description="The judge's reason, or why it could not judge.")
    judge_cost: _t.Float = Field(default=0.0, description="Cost of the judge in US dollars.")
    tokens: _t.Int64 = Field(default=0, description="Tokens of prompts and answer.")
    cost: _t.Float | None = Field(default=None, description="Cost of the answer in US dollars; unset if unknown.")
    duration_ms: _t.Int64 = Field(default=0, description="Milliseconds from the start to the end of the answer.")
    run_id: str = Field(
        default="", description="ID of its run; empty before it was asked, and after the conversation was purged."
    )

    @classmethod
    def read_pb(cls, message: pb.EvaluationResult) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "evaluation_run_id": message.evaluation_run_id,
            "case_id": message.case_id,
            "status": EvaluationResultStatus.numbers.get(message.status, message.status),
            "status_message": message.status_message,
            "answer": message.answer,
            "rank": message.rank,
            "missing": list(message.missing),
            "citations": message.citations,
            "supported_citations": message.supported_citations,
            "judge_reason": message.judge_reason,
            "judge_cost": message.judge_cost,
            "tokens": message.tokens,
            "duration_ms": message.duration_ms,
            "run_id": message.run_id,
        }
        if message.HasField("expected"):
            data["expected"] = EvaluationCase.read_pb(message.expected)
        if message.HasField("document_share"):
            data["document_share"] = message.document_share
        if message.HasField("passage_share"):
            data["passage_share"] = message.passage_share
        if message.HasField("fact_share"):
            data["fact_share"] = message.fact_share
        if message.HasField("judge_score"):
            data["judge_score"] = message.judge_score
        if message.HasField("cost"):
            data["cost"] = message.cost
        return data

    def to_pb(self) -> pb.EvaluationResult:
        """Makes a protobuf message."""
        return pb.EvaluationResult(
            id=self.id,
            evaluation_run_id=self.evaluation_run_id,
            case_id=self.case_id,
            expected=None if self.expected is None else self.expected.to_pb(),
            status=self.status.number,
            status_message=self.status_message,
            answer=self.answer,
            rank=self.rank,
            document_share=self.document_share,
            passage_share=self.passage_share,
            fact_share=self.fact_share,
            missing=self.missing,
            citations=self.citations,
            supported_citations=self.supported_citations,
            judge_score=self.judge_score,
            judge_reason=self.judge_reason,
            judge_cost=self.judge_cost,
            tokens=self.tokens,
            cost=self.cost,
            duration_ms=self.duration_ms,
            run_id=self.run_id,
        )
