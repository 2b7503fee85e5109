"""Notebooks: what several people ask together, of chosen sources."""

from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, Numeric, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, CreationDate, SoftDelete, at_least, one_of


class Notebook(Audit, SoftDelete, Base):
    """A notebook; its conversations are the `chat_sessions` that name it. `user_id` is who answers for it.

    The authors of its texts are set by a trigger, at each write. NULL means several, or that nobody knows.
    """

    __tablename__ = "notebooks"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    title: Mapped[str] = mapped_column(String(255))
    description: Mapped[str] = mapped_column(server_default=text("''"))
    instructions: Mapped[str] = mapped_column(server_default=text("''"))
    tools: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    title_author_id: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    instructions_author_id: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))

    __table_args__ = (
        Index("idx_notebooks_user_id", "user_id"),
        Index("idx_notebooks_deleted_date", "deleted_date", postgresql_where=text("deleted_date IS NOT NULL")),
    )


class NotebookSource(CreationDate, Base):
    """A connector with all its documents, or one document. It grants nobody the right to read them.

    `user_id` is who has added it.
    """

    __tablename__ = "notebook_sources"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    notebook_id: Mapped[int] = mapped_column(ForeignKey("notebooks.id", ondelete="CASCADE"))
    connector_id: Mapped[int | None] = mapped_column(ForeignKey("connectors.id", ondelete="CASCADE"))
    document_id: Mapped[int | None] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))

    __table_args__ = (
        CheckConstraint("num_nonnulls(connector_id, document_id) = 1", name="one"),
        UniqueConstraint("notebook_id", "connector_id"),
        UniqueConstraint("notebook_id", "document_id"),
        Index("idx_notebook_sources_connector_id", "connector_id", postgresql_where=text("connector_id IS NOT NULL")),
        Index("idx_notebook_sources_document_id", "document_id", postgresql_where=text("document_id IS NOT NULL")),
        Index("idx_notebook_sources_user_id", "user_id", postgresql_where=text("user_id IS NOT NULL")),
    )


class NotebookMember(CreationDate, Base):
    """A person in a notebook. Owners are members, too."""

    __tablename__ = "notebook_members"

    notebook_id: Mapped[int] = mapped_column(ForeignKey("notebooks.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    role: Mapped[words.NotebookRole] = mapped_column(String(20))

    __table_args__ = (
        one_of("role", words.NotebookRole),
        Index("idx_notebook_members_user_id", "user_id", "notebook_id"),
    )


class NotebookGroup(CreationDate, Base):
    """A group in a notebook: its people have the role for as long as they are in the group."""

    __tablename__ = "notebook_groups"

    notebook_id: Mapped[int] = mapped_column(ForeignKey("notebooks.id", ondelete="CASCADE"), primary_key=True)
    group_id: Mapped[int] = mapped_column(ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True)
    role: Mapped[words.NotebookGroupRole] = mapped_column(String(20))

    __table_args__ = (
        one_of("role", words.NotebookGroupRole),
        Index("idx_notebook_groups_group_id", "group_id"),
    )


class NotebookNote(Audit, Base):
    """A note in a notebook: an answer that was kept, with its citations as the contract has them, or written by hand.

    `user_id` is its author; `basis` and `other_tools` are the answer's.
    """

    __tablename__ = "notebook_notes"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    notebook_id: Mapped[int] = mapped_column(ForeignKey("notebooks.id", ondelete="CASCADE"))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    title: Mapped[str] = mapped_column(String(255))
    content: Mapped[str]
    citations: Mapped[list[Any]] = mapped_column(server_default=text("'[]'"))
    message_id: Mapped[int | None] = mapped_column(ForeignKey("chat_messages.id", ondelete="SET NULL"))
    basis: Mapped[words.AnswerBasis | None] = mapped_column(String(20))
    other_tools: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))

    __table_args__ = (
        one_of("basis", words.AnswerBasis),
        Index("idx_notebook_notes_notebook_id", "notebook_id", "id"),
        Index("idx_notebook_notes_user_id", "user_id"),
        Index("idx_notebook_notes_message_id", "message_id", postgresql_where=text("message_id IS NOT NULL")),
    )


class NotebookSummary(CreationDate, Base):
    """A summary of some documents of a notebook, or the failed attempt at it.

    `fingerprint` is the SHA-256 of these documents with their versions (`notebooks/notebook_summaries.py`): only who
    may read exactly these documents finds it. `error` is why the attempt failed; NULL if it did not.
    """

    __tablename__ = "notebook_summaries"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    notebook_id: Mapped[int] = mapped_column(ForeignKey("notebooks.id", ondelete="CASCADE"))
    fingerprint: Mapped[str] = mapped_column(String(64))
    documents: Mapped[int]
    content: Mapped[str] = mapped_column(server_default=text("''"))
    questions: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    model: Mapped[str] = mapped_column(String(255), server_default=text("''"))
    error: Mapped[str | None]
    prompt_tokens: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    completion_tokens: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    cost: Mapped[Decimal] = mapped_column(Numeric(14, 8), server_default=text("0"))

    __table_args__ = (
        at_least("documents", 1),
        at_least("prompt_tokens", 0),
        at_least("completion_tokens", 0),
        at_least("cost", 0),
        UniqueConstraint("notebook_id", "fingerprint"),
    )


class NotebookNoteSource(Base):
    """A document that the conversation of a saved answer has drawn on, as `ChatSessionSource`."""

    __tablename__ = "notebook_note_sources"

    note_id: Mapped[int] = mapped_column(ForeignKey("notebook_notes.id", ondelete="CASCADE"), primary_key=True)
    document_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    connector_id: Mapped[int | None]

    __table_args__ = (Index("idx_notebook_note_sources_document_id", "document_id"),)
