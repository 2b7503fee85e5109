"""Conversations and their runs."""

from typing import Final

from echomind_lib.db import models as rows
from echomind_lib.models import public
from tests.factories.mapped.base import AUDIT, SOFT_DELETE, Mapped

MAPPED: Final = {
    "chat": Mapped(
        rows.ChatSession,
        public.ChatSession,
        internal={
            "context": "the agent's own notes",
            "title_origin": "whether a title may be replaced",
            "generated_title": "offered as `title`, to those who may see it",
            "title_attempts": "how often the model is asked for a title",
            "compressed_summary": "offered as `summary`",
            "last_compressed_message_id": "offered as `last_summarized_message_id`",
            "is_compressing": "offered as `is_summarizing`",
            "compressing_started_at": "a lock of the agent's",
            "events_pruned_to": "streams tell of it",
            "unlisted": "such sessions are in no list",
            "imported_at": "for retention rules",
            "limited_by": "the API key with limits that began it",
            "limited_assistants": "limits of its runs, as those of its key",
            "limited_connectors": "limits of its runs, as those of its key",
            "metadata_": "offered as `metadata`, to its owner",
            **AUDIT,
            **SOFT_DELETE,
        },
        derived={
            "metadata": "of `metadata_`",
            "summary": "of `compressed_summary`",
            "last_summarized_message_id": "of `last_compressed_message_id`",
            "is_summarizing": "of `is_compressing`",
            "run_status": "of its runs",
        },
    ),
    "checkpoints": Mapped(rows.Checkpoint, public.Checkpoint, internal={}, derived={}),
    "runs": Mapped(
        rows.Run,
        public.Run,
        internal={
            "state": "the agent's own notes",
            "caller": "what the program that asked gave, which it has",
            "api_key_id": "the quotas of the key that asked are shown with the key",
            "untrusted": "seen at the tool calls that it holds back",
            "final_output": "the message, which is offered by its id, or `output`",
            "priority": "follows from `auto_run` of the run's root, and from how long it has waited",
            "slot": "a matter of the queue's",
            "worker_id": "which process has the run is for administrators",
            "retry_count": "counted in `attempt`",
            "max_retries": "a limit of the system's",
            "control_requested": "the status follows at once",
            "request_id": "the caller's own",
            "requested_llm_id": "`llm_id` is the one that works",
            "metadata_": "offered as `metadata`, to its user",
            "last_update": "the events say what happened when",
            **AUDIT,
        },
        derived={
            "metadata": "of `metadata_`",
            "tools": "of `state`",
            "assistant_name": "of the assistant",
            "message_id": "the message whose `run_id` it is",
            "output": "of `final_output`, for a run without a message",
            "decisions": "of the tool calls of its steps",
        },
    ),
    "session_shares": Mapped(
        rows.SessionShare,
        public.SessionShare,
        internal={
            "user_id": "everybody lists their own",
            "token_hash": "proves the link; `has_link` says whether there is one",
            "revoked_at": "a revoked share is not shown",
            "last_update": "of a share `shared_at` says it",
            **AUDIT,
        },
        derived={
            "status": "of the share, its session, its owner's rights and the installation's settings",
            "is_current": "of the session's head",
            "has_link": "of `token_hash`",
            "recipients": "rows of `session_share_recipients`",
        },
    ),
    "todos": Mapped(rows.Todo, public.Todo, internal=AUDIT, derived={}),
}
