"""Assistants, their models, and how well they do."""

from typing import Final

from echomind_lib.db import models as rows
from echomind_lib.models import public
from tests.factories.mapped.base import AUDIT, SOFT_DELETE, UPDATED_BY, UPDATED_BY_COLUMN, Mapped

MAPPED: Final = {
    "assistant_versions": Mapped(
        rows.AssistantVersion,
        public.AssistantVersion,
        internal={"config": "offered as `assistant`, without secrets"},
        derived={
            "assistant": "of `config`",
            "created_by_name": "of the account",
            "changed_fields": "of this version and the one before",
        },
    ),
    "assistants": Mapped(
        rows.Assistant,
        public.Assistant,
        internal={"created_by": "for administrators; stands in the audit log too", **UPDATED_BY_COLUMN, **SOFT_DELETE},
        derived={"members": "of `assistant_members`", **UPDATED_BY},
    ),
    "embedding_models": Mapped(
        rows.EmbeddingModel,
        public.EmbeddingModel,
        internal={
            "collection": "where the index is kept",
            "index_state": "part of `status`",
            "state_since": "`status_since`",
            "state_message": "part of the index's progress",
            "calibration": "what the test measured, for searches",
            **UPDATED_BY_COLUMN,
            **SOFT_DELETE,
        },
        derived={
            "has_api_key": "whether `api_key` is set",
            "status": "`is_active` and `index_state`",
            "status_since": "`state_since`",
            "standby_until": "a day after `state_since`",
            **UPDATED_BY,
        },
    ),
    "evaluation_cases": Mapped(rows.EvaluationCase, public.EvaluationCase, internal=AUDIT, derived={}),
    "evaluation_datasets": Mapped(
        rows.EvaluationDataset,
        public.EvaluationDataset,
        internal=AUDIT,
        derived={
            "user_name": "of `users`",
            "cases": "counted",
            "is_editable": "whether the reader is its owner",
        },
    ),
    "evaluation_results": Mapped(
        rows.EvaluationResult,
        public.EvaluationResult,
        internal={
            "error": "shown as `status_message`",
            "judge_prompt_tokens": "summed in the figures of the evaluation",
            "judge_completion_tokens": "summed in the figures of the evaluation",
        },
        derived={"status_message": "`error`"},
    ),
    "evaluation_runs": Mapped(
        rows.EvaluationRun,
        public.EvaluationRun,
        internal={
            "error": "shown as `status_message`",
            "completed_at": "shown as `completion_date`",
            "api_key_id": "the quotas of the key that started it are shown with the key",
        },
        derived={
            "dataset_name": "of `evaluation_datasets`",
            "assistant_name": "of `assistants`",
            "judge_llm_name": "of `llms`",
            "status_message": "`error`",
            "completion_date": "`completed_at`",
            "questions": "counted",
            "answered": "counted",
            "failed": "counted",
            "figures": "of `evaluation_results`",
        },
    ),
    "llms": Mapped(
        rows.Llm,
        public.Llm,
        internal={**UPDATED_BY_COLUMN, **SOFT_DELETE},
        derived={"has_api_key": "whether `api_key` is set", **UPDATED_BY},
    ),
    "rerankers": Mapped(
        rows.Reranker,
        public.Reranker,
        internal={**UPDATED_BY_COLUMN, **SOFT_DELETE},
        derived={"has_api_key": "whether `api_key` is set", **UPDATED_BY},
    ),
}
