"""Sources, notebooks, and what was learned."""

from typing import Final

from echomind_lib.db import models as rows
from echomind_lib.models import public
from tests.factories.mapped.base import AUDIT, SOFT_DELETE, UPDATED_BY, UPDATED_BY_COLUMN, Mapped

MAPPED: Final = {
    "connector_syncs": Mapped(
        rows.ConnectorSync,
        public.ConnectorSync,
        internal={
            "attempt": "fences workers",
            "pages": "of the engine",
            "may_remove": "`status` says whether it waits",
            "cursor_before": "shown as `cursor_at_begin`",
            "cursor_after": "shown as `cursor_at_end`",
            "user_id_last_update": "shown as `requested_by`",
            "last_update": "of the engine",
        },
        derived={
            "requested_by": "`user_id_last_update`",
            "cursor_at_begin": "`cursor_before`",
            "cursor_at_end": "`cursor_after`",
        },
    ),
    "connectors": Mapped(
        rows.Connector,
        public.Connector,
        internal={
            "state": "where the next sync continues",
            "encrypted_credentials": "secret",
            "sync_failures": "for the scheduler",
            "is_owner_erased": "for the deletion in the background",
            "readers_forgotten_to": "for the ingestor: how far a change of the permission mode has come",
            **UPDATED_BY_COLUMN,
            **SOFT_DELETE,
        },
        derived={
            "type_name": "the column `type`, of which `type` has only EchoMind's own words",
            "credentials": "only written",
            "has_credentials": "whether `encrypted_credentials` is set",
            "sync": "the newest row of `connector_syncs`",
            "signed_in_by_name": "of the account",
            **UPDATED_BY,
        },
    ),
    "documents": Mapped(
        rows.Document,
        public.Document,
        internal={
            "container_id": "the uploaded or synced file that contains it, over all levels",
            "url": "where the bytes are kept",
            "processing_session": "which attempt may publish its chunks",
            "index_id": "the index to which its chunks were written",
            "worker_id": "the worker whose attempt it is",
            "source_name": "for syncs: the name that the source gave it last",
            "source_version": "for syncs: the version whose content is stored",
            "folder_source_id": "for syncs: the source's id of its folder",
            "parent_source_id": "for syncs: the source's id of the document that it belongs to",
            "source_readers": "for access: who may read it at the source",
            "readers_changed_at": "for the ingestor: whether chunks carry who may read it",
            **UPDATED_BY_COLUMN,
            **SOFT_DELETE,
        },
        derived={"kind": "by `content_type`", "file_name": "by `source_name` and `source_id`", **UPDATED_BY},
    ),
    "knowledge": Mapped(
        rows.KnowledgeEntity,
        public.KnowledgeEntity,
        internal=AUDIT
        | {
            "prior_alpha": "clients see the confidence that comes of it",
            "prior_beta": "clients see the confidence that comes of it",
            "alpha": "clients see the confidence that comes of it",
            "beta": "clients see the confidence that comes of it",
            "evidence_at": "clients see the confidence that comes of it",
            "embedding_id": "its point in the vector index",
            "metadata_": "offered as `source_message_ids`",
        },
        derived={
            "user_name": "of the account",
            "sources": "rows of `knowledge_sources`",
            "confidence": "by the counts and their age",
            "confidence_bound": "by the counts and their age",
            "is_verified": "by `review_after`",
            "my_feedback": "a row of `knowledge_feedback`",
            "helpful_count": "counted in `knowledge_feedback`",
            "not_helpful_count": "counted in `knowledge_feedback`",
            "can_manage": "whether the caller may change it",
            "source_message_ids": "of `metadata`",
        },
    ),
    "knowledge_revisions": Mapped(
        rows.KnowledgeRevision,
        public.KnowledgeRevision,
        internal={"knowledge_id": "named in the request"},
        derived={
            "user_name": "of the account",
            "differences": "compared with the revision before",
        },
    ),
    "memories": Mapped(
        rows.AgentMemory,
        public.Memory,
        internal={
            "user_id": "the caller's",
            "embedding_id": "names the point in the vector index",
            **UPDATED_BY_COLUMN,
        },
        derived={"updated_by": "`user_id_last_update`; 0 for NULL"},
    ),
    "notebook_notes": Mapped(
        rows.NotebookNote,
        public.NotebookNote,
        internal=UPDATED_BY_COLUMN,
        derived={
            "user_name": "of `users`",
            "is_editable": "by the reader's role in the notebook",
            **UPDATED_BY,
        },
    ),
    "notebooks": Mapped(
        rows.Notebook,
        public.Notebook,
        internal=UPDATED_BY_COLUMN | {"title_author_id": "part of `is_written_by_caller`"},
        derived={
            "instructions_author_name": "of `users`",
            "is_written_by_caller": "`title_author_id` and `instructions_author_id`",
            "role": "of `notebook_members`",
            "user_name": "of `users`",
            "source_count": "counted in `notebook_sources`",
            "member_count": "counted in `notebook_members`",
            "session_count": "counted in `chat_sessions`",
            **UPDATED_BY,
        },
    ),
}
