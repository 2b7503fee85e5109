"""What an export of one person holds, over the registry of their data: rows of their own, without some columns.

An erasure also deletes what others have left in things of the person; an export holds the person's own rows alone. A
test compares this with the schema: a new table, or a new column that may hold secrets or JSON, must be decided here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Column, ColumnElement, Table, and_, false, func, not_, or_, select

from echomind_api.privacy.registry import ACCOUNT, STORES, Store
from echomind_lib.db.models import Base

_SECRET: Final = "is a secret, or its hash"  # noqa: S105 - a sentence
_SOURCES: Final = "may hold passages of documents that the person may no longer read"
_INNER: Final = "is working state"
_OTHERS: Final = "may describe other people"

LEFT_OUT_COLUMNS: Final[Mapping[str, Mapping[str, str]]] = {
    "credentials": {"password_hash": _SECRET},
    "api_keys": {"sha256": _SECRET, "previous_sha256": _SECRET},
    "webhooks": {"encrypted_secret": _SECRET, "encrypted_previous_secret": _SECRET},
    "web_sessions": {"token_hash": _SECRET, "provider_session": _SECRET},
    "invitations": {"token_hash": _SECRET, "email": _OTHERS},
    "session_shares": {"token_hash": _SECRET},
    "connectors": {"encrypted_credentials": _SECRET, "state": _INNER},
    "documents": {"source_readers": _OTHERS},
    "chunk_feedback": {"snippet": _SOURCES},
    "chat_sessions": {"compressed_summary": _SOURCES, "context": _INNER, "important_steps": _SOURCES},
    "chat_messages": {"retrieval_context": _SOURCES, "tool_calls": _SOURCES},
    "chat_message_documents": {"title": _SOURCES, "snippet": _SOURCES, "url": _SOURCES},
    "checkpoints": {"session_state": _INNER},
    "runs": {
        "state": _INNER,
        "pending_input": _INNER,
        "caller": _INNER,
        "final_output": _SOURCES,
        "inherited_context": _SOURCES,
        "result_summary": _SOURCES,
    },
    "todos": {"result": _SOURCES},
    "evaluation_cases": {"passages": _SOURCES},
    "evaluation_results": {"expected": _SOURCES, "missing": _SOURCES},
    "notebook_notes": {"citations": _SOURCES},
    "knowledge_entities": {"metadata": _INNER},
    "audit_log": {"detail": _OTHERS},
}
"""Columns that an export leaves out, by table, with the reason."""

_SHORT: Final = "holds secrets alone, for minutes"
_ORGANIZATION: Final = "belongs to the organization"
_STEPS: Final = "holds prompts and passages that the person may no longer read"
_DERIVED: Final = "is made from what is in the export, for searches"
_INDEXING: Final = "is about how files are processed"
LEFT_OUT_TABLES: Final[Mapping[str, str]] = {
    "sign_in_tokens": _SHORT,
    "device_sign_ins": _SHORT,
    "device_code_failures": _SHORT,
    "connector_sign_ins": _SHORT,
    "legal_holds": "is seen by superadmins alone",
    "webhook_deliveries": "repeats events for other programs",
    "session_learnings": "says up to which message a conversation was read for memories",
    "chat_session_texts": _DERIVED,
    "rated_questions": _DERIVED,
    "run_events": "repeats messages, and " + _STEPS,
    "steps": _STEPS,
    "tool_calls": _STEPS,
    "quota_charges": "is a reservation; `usage_daily` and `quota_usage` have the figures",
    "notebook_summaries": _SOURCES,
    "connector_syncs": _INDEXING,
    "connector_sync_failures": _INDEXING,
    "connector_sync_seen": _INDEXING,
    "crawl_addresses": _INDEXING,
    "source_folders": _INDEXING,
    "index_documents": _INDEXING,
    "source_principals": "names other people",
    "source_members": "names other people",
    "source_aliases": "names other people",
    "document_acl": "names other people",
    "assistants": _ORGANIZATION,
    "assistant_versions": _ORGANIZATION,
    "erasures": "is about other people",
}
"""Tables with data of people that an export leaves out, with the reason."""


@dataclass(frozen=True, slots=True)
class Part:
    """One file of an export: rows of a table.

    Attributes:
        name: Its name in the archive, without ending.
        table: The table.
        rows: Returns the condition for the rows of a person.
        only: The columns it has; None for all that are not left out.
    """

    name: str
    table: Table
    rows: Callable[[int], ColumnElement[bool]]
    only: Sequence[str] | None = None

    @property
    def columns(self) -> Sequence[Column[object]]:
        """The columns that it has."""
        left_out = LEFT_OUT_COLUMNS.get(self.table.name, {})
        names = self.only or [column.name for column in self.table.columns]
        return [self.table.c[name] for name in names if name not in left_out]


def own_rows(name: str, user_id: int, *, handed_over: bool = True) -> ColumnElement[bool]:
    """Returns the condition for the rows of a table that are a person's own.

    Rows that name their person are of that person alone, whoever owns what they are in.

    Args:
        name: The table.
        user_id: The person.
        handed_over: Whether it includes things that others also use, of which the person is the owner.
    """
    rules = {"delete", "hand_over"} if handed_over else {"delete"}
    table = Base.metadata.tables[name]
    found = [_own_rows_of(store, table, user_id) for store in STORES if store.table == name and store.rule in rules]
    condition = or_(false(), *found)
    return and_(condition, _NARROWER[name](table, user_id)) if name in _NARROWER else condition


def _own_rows_of(store: Store, table: Table, user_id: int) -> ColumnElement[bool]:
    links = _LINKS.get(store.table, store.links)
    people = [table.c[column] == user_id for column, parent in links if parent == ACCOUNT]
    parents = (
        table.c[column].in_(
            select(Base.metadata.tables[parent].c.id).where(own_rows(parent, user_id, handed_over=False))
        )
        for column, parent in links
        if parent != ACCOUNT
    )
    condition = or_(*(people or parents))
    return condition if store.where is None else and_(condition, store.where(table, user_id))


def _is_not_of_others(table: Table, _: int) -> ColumnElement[bool]:
    """Questions of others in a copied conversation, and the copied answers to them, are not the person's."""
    question = table.alias("question")
    # A subquery with a value is one look-up for each row; for EXISTS the database would read the whole table.
    answered = select(question.c.author_kind).where(question.c.id == table.c.parent_message_id).scalar_subquery()
    is_copied_answer = and_(table.c.run_id.is_(None), func.coalesce(answered, "") == "foreign")
    return and_(table.c.author_kind != "foreign", not_(is_copied_answer))


_LINKS: Final[Mapping[str, Sequence[tuple[str, str]]]] = {"notebook_sources": (("user_id", ACCOUNT),)}
"""Links that say whose rows are, where the registry has only those by which they are deleted."""
_NARROWER: Final[Mapping[str, Callable[[Table, int], ColumnElement[bool]]]] = {
    "chat_messages": _is_not_of_others,
    "runs": lambda table, _: table.c.parent_run_id.is_(None),  # tasks of sub-agents are a model's words
    "webhooks": lambda table, _: not_(table.c.is_installation),
}


def parts() -> list[Part]:
    """Returns the files of an export, in their order."""
    names = dict.fromkeys(store.table for store in STORES if store.rule in {"delete", "hand_over"})
    tables = Base.metadata.tables
    found = [
        Part(name, tables[name], lambda user_id, name=name: own_rows(name, user_id))  # type: ignore[misc]
        for name in names
        if name not in LEFT_OUT_TABLES
    ]
    kept = {store.table: store for store in STORES if store.rule == "keep"}
    messages, log = kept["chat_messages"], kept["audit_log"]
    return [
        *found,
        Part(
            "messages_in_conversations_of_others",
            tables["chat_messages"],
            messages.rows,
            ("id", "content", "creation_date"),
        ),
        Part("audit_log", tables["audit_log"], log.rows),
    ]
