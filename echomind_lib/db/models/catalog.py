"""What administrators set up: chat models, embedding models and assistants."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, Computed, ForeignKey, Index, Numeric, SmallInteger, String, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, CreationDate, SoftDelete, at_least, one_of

_LIVE = text("deleted_date IS NULL")


class Llm(Audit, SoftDelete, Base):
    """A chat model and where it is served; `api_key` is encrypted, `context_tokens` is what prompt and answer share.

    `input_price` and `output_price` are US dollars for a million tokens, in place of those of the price list; either
    both are set or neither.
    """

    __tablename__ = "llms"

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    provider: Mapped[words.LlmProvider] = mapped_column(String(50))
    model_id: Mapped[str] = mapped_column(String(255))
    endpoint: Mapped[str | None] = mapped_column(String)
    api_key: Mapped[str | None] = mapped_column(String)
    max_tokens: Mapped[int | None]
    context_tokens: Mapped[int | None]
    temperature: Mapped[float | None] = mapped_column(Numeric(3, 2, asdecimal=False))
    input_price: Mapped[float | None] = mapped_column(Numeric(12, 6, asdecimal=False))
    output_price: Mapped[float | None] = mapped_column(Numeric(12, 6, asdecimal=False))
    is_default: Mapped[bool] = mapped_column(server_default=text("false"))
    is_active: Mapped[bool] = mapped_column(server_default=text("true"))

    __table_args__ = (
        one_of("provider", words.LlmProvider),
        at_least("max_tokens", 1),
        at_least("context_tokens", 1),
        CheckConstraint("temperature BETWEEN 0 AND 2", name="temperature"),
        at_least("input_price", 0),
        at_least("output_price", 0),
        CheckConstraint("(input_price IS NULL) = (output_price IS NULL)", name="prices"),
        Index("idx_llms_name", "name", unique=True, postgresql_where=_LIVE),
        Index(
            "idx_llms_default", "is_default", unique=True, postgresql_where=text("is_default AND deleted_date IS NULL")
        ),
    )


class EmbeddingModel(Audit, SoftDelete, Base):
    """An index: an embedder, a sparse encoder and a chunker together, and the Qdrant collection that they fill.

    `index_state` is NULL of the active index, and of one that has no collection; `state_since` is when the state, or
    being active, began. `state_message` says why filling it does not continue.

    `endpoint` is NULL of a built-in embedder. Otherwise it is the URL of a server that speaks `protocol`; `api_key` is
    encrypted, the prefixes are put before each text, and `languages` are those that a test found it to serve.
    `calibration` is what that test measured of its vectors, see `echomind_lib.embeddings.calibrated`.
    """

    __tablename__ = "embedding_models"

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    model_id: Mapped[str] = mapped_column(String)
    model_name: Mapped[str] = mapped_column(String)
    model_dimension: Mapped[int]
    endpoint: Mapped[str | None] = mapped_column(String)
    protocol: Mapped[words.EmbeddingProtocol | None] = mapped_column(String(20))
    api_key: Mapped[str | None] = mapped_column(String)
    query_prefix: Mapped[str] = mapped_column(server_default=text("''"))
    passage_prefix: Mapped[str] = mapped_column(server_default=text("''"))
    languages: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    calibration: Mapped[dict[str, Any] | None]
    is_active: Mapped[bool] = mapped_column(server_default=text("false"))
    sparse_encoder: Mapped[str]
    chunker: Mapped[str]
    index_state: Mapped[words.IndexState | None] = mapped_column(String(20))
    state_since: Mapped[datetime | None]
    state_message: Mapped[str | None]
    collection: Mapped[str] = mapped_column(Computed("'chunks_' || id::text", persisted=True))

    __table_args__ = (
        at_least("model_dimension", 1),
        one_of("index_state", words.IndexState),
        CheckConstraint("NOT is_active OR index_state IS NULL", name="active_state"),
        one_of("protocol", words.EmbeddingProtocol),
        CheckConstraint("(endpoint IS NULL) = (protocol IS NULL)", name="endpoint"),
        CheckConstraint("(endpoint IS NULL) = (calibration IS NULL)", name="calibration"),
        Index(
            "idx_embedding_models_active",
            "is_active",
            unique=True,
            postgresql_where=text("is_active AND deleted_date IS NULL"),
        ),
    )


class Reranker(Audit, SoftDelete, Base):
    """A model of a server that orders the best passages of searches; `api_key` is encrypted.

    It compares the first `candidates` passages, for at most `timeout_ms`. At most one is active.
    """

    __tablename__ = "rerankers"

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    protocol: Mapped[words.RerankProtocol] = mapped_column(String(20))
    model_id: Mapped[str] = mapped_column(String(255))
    endpoint: Mapped[str]
    api_key: Mapped[str | None]
    candidates: Mapped[int]
    timeout_ms: Mapped[int]
    is_active: Mapped[bool] = mapped_column(server_default=text("false"))

    __table_args__ = (
        one_of("protocol", words.RerankProtocol),
        at_least("candidates", 1),
        at_least("timeout_ms", 1),
        Index("idx_rerankers_name", "name", unique=True, postgresql_where=_LIVE),
        Index(
            "idx_rerankers_active",
            "is_active",
            unique=True,
            postgresql_where=text("is_active AND deleted_date IS NULL"),
        ),
    )


class Assistant(Audit, SoftDelete, Base):
    """Instructions, tools and budgets for a chat model. `llm_id` NULL: the default model of the moment.

    A draft is what one person tries before they save it: of the assistant `draft_of_id`, or with NULL of a new one. It
    is hidden, its name need not be unique, and it has no versions.

    `groups` are the names of the groups whose members see it while it is visible; empty for everyone.
    `version` is the newest of `AssistantVersion`; 0 when there is none.
    """

    __tablename__ = "assistants"

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    description: Mapped[str] = mapped_column(server_default=text("''"))
    llm_id: Mapped[int | None] = mapped_column(ForeignKey("llms.id", ondelete="SET NULL"))
    system_prompt: Mapped[str] = mapped_column(server_default=text("''"))
    task_prompt: Mapped[str] = mapped_column(server_default=text("''"))
    starter_messages: Mapped[list[Any]] = mapped_column(server_default=text("'[]'"))
    config: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    is_default: Mapped[bool] = mapped_column(server_default=text("false"))
    is_visible: Mapped[bool] = mapped_column(server_default=text("true"))
    groups: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    display_priority: Mapped[int] = mapped_column(server_default=text("0"))
    created_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    is_draft: Mapped[bool] = mapped_column(server_default=text("false"))
    draft_of_id: Mapped[int | None] = mapped_column(ForeignKey("assistants.id", ondelete="CASCADE"))
    version: Mapped[int] = mapped_column(server_default=text("0"))

    __table_args__ = (
        CheckConstraint("NOT is_draft OR NOT (is_default OR is_visible)", name="is_draft"),
        CheckConstraint("NOT is_default OR groups = '{}'", name="groups"),
        CheckConstraint("is_draft OR draft_of_id IS NULL", name="draft_of_id"),
        Index(
            "idx_assistants_name", "name", unique=True, postgresql_where=text("deleted_date IS NULL AND NOT is_draft")
        ),
        Index(
            "idx_assistants_draft",
            "created_by",
            text("COALESCE(draft_of_id, 0)"),
            unique=True,
            postgresql_where=text("is_draft AND deleted_date IS NULL"),
        ),
        Index(
            "idx_assistants_default",
            "is_default",
            unique=True,
            postgresql_where=text("is_default AND deleted_date IS NULL"),
        ),
        Index("idx_assistants_is_visible", "is_visible", "display_priority", "id", postgresql_where=_LIVE),
    )


class AssistantVersion(CreationDate, Base):
    """An assistant as it was after a change.

    `config` holds the columns that people change, with the secrets of MCP servers encrypted as there.
    """

    __tablename__ = "assistant_versions"

    assistant_id: Mapped[int] = mapped_column(ForeignKey("assistants.id", ondelete="CASCADE"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    config: Mapped[dict[str, Any]]
    created_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    restored_version: Mapped[int | None]

    __table_args__ = (at_least("version", 1),)


class McpServerState(Base):
    """How an agent last fared with an MCP server of an assistant.

    `reached_at` is when the server last listed its tools, `failed_at` when it last did not, with why in `error`. They
    are exact to the minute, as what has not changed is stored that often.
    """

    __tablename__ = "mcp_server_states"

    assistant_id: Mapped[int] = mapped_column(
        SmallInteger, ForeignKey("assistants.id", ondelete="CASCADE"), primary_key=True
    )
    server_name: Mapped[str] = mapped_column(String(100), primary_key=True)
    reached_at: Mapped[datetime | None]
    failed_at: Mapped[datetime | None]
    error: Mapped[str] = mapped_column(server_default=text("''"))


class AssistantMember(CreationDate, Base):
    """A member of a team: the assistant `member_id` works for `assistant_id`, which leads.

    `role` says what it is there for, `position` is its place, from 1. `version` is the one that works; NULL for the
    latest.
    """

    __tablename__ = "assistant_members"

    assistant_id: Mapped[int] = mapped_column(
        SmallInteger, ForeignKey("assistants.id", ondelete="CASCADE"), primary_key=True
    )
    member_id: Mapped[int] = mapped_column(
        SmallInteger, ForeignKey("assistants.id", ondelete="CASCADE"), primary_key=True
    )
    role: Mapped[str] = mapped_column(server_default=text("''"))
    position: Mapped[int]
    version: Mapped[int | None]

    __table_args__ = (
        CheckConstraint("member_id <> assistant_id", name="member_id"),
        at_least("position", 1),
        at_least("version", 1),
        Index("idx_assistant_members_member_id", "member_id"),
    )
