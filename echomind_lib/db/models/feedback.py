"""What people think of the passages that answers cite, and the questions that ranking knows it by."""

from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, SmallInteger, UniqueConstraint
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db.models.base import Audit, Base, CreationDate, at_least


class ChunkFeedback(Audit, Base):
    """A person's vote on a passage that an answer cites: 1 is helpful, -1 is not.

    `chunking_session`, `span_*` and `snippet` are copies of the citation's: they say which words were rated, also when
    the document was cut again since and no chunk has that `chunk_id`.
    """

    __tablename__ = "chunk_feedback"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    message_id: Mapped[int] = mapped_column(ForeignKey("chat_messages.id", ondelete="CASCADE"))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    chunk_id: Mapped[str]
    chunking_session: Mapped[UUID | None]
    span_start: Mapped[int | None]
    span_end: Mapped[int | None]
    snippet: Mapped[str]
    value: Mapped[int] = mapped_column(SmallInteger)
    feedback_text: Mapped[str | None]

    __table_args__ = (
        UniqueConstraint("message_id", "user_id", "chunk_id"),
        CheckConstraint("value IN (-1, 1)", name="value"),
        CheckConstraint("0 <= span_start AND span_start <= span_end", name="span"),
        Index("idx_chunk_feedback_document_id", "document_id", "user_id", "id"),
        Index("idx_chunk_feedback_user_id", "user_id"),
        Index("idx_chunk_feedback_creation_date", "creation_date", "id"),
    )


class RatedQuestion(CreationDate, Base):
    """What was searched for when an answer was found that has votes: the question, then the queries of its run.

    `vector` has the components as 16-bit floats, little-endian, of the model `model_id`; none where that model does not
    serve the question's language. `terms` are the numbers of its words, sorted. Votes on one answer share them; a
    trigger deletes them with the last of these votes.
    """

    __tablename__ = "rated_questions"

    message_id: Mapped[int] = mapped_column(ForeignKey("chat_messages.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    model_id: Mapped[str | None]
    vector: Mapped[bytes | None]
    terms: Mapped[list[int]] = mapped_column(ARRAY(BigInteger))

    __table_args__ = (
        at_least("number", 1),
        CheckConstraint("(model_id IS NULL) = (vector IS NULL)", name="vector"),
    )
