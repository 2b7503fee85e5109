"""What a crawl has found."""

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db.models.base import Base, at_least

_EMPTY = text("''")


class CrawlAddress(Base):
    """An address that the crawl of a connector has found, and what came of its last visit.

    A crawl visits the addresses by `id`, and those that it finds come behind them: its position is an `id`. `status` is
    that of HTTP, 0 before the first visit. `rules` is a digest of the settings that its links were read with.
    """

    __tablename__ = "crawl_addresses"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    connector_id: Mapped[int] = mapped_column(ForeignKey("connectors.id", ondelete="CASCADE"))
    url: Mapped[str] = mapped_column(Text(collation="C"))
    depth: Mapped[int]
    status: Mapped[int] = mapped_column(server_default=text("0"))
    etag: Mapped[str] = mapped_column(server_default=_EMPTY)
    last_modified: Mapped[str] = mapped_column(server_default=_EMPTY)
    version: Mapped[str] = mapped_column(server_default=_EMPTY)
    rules: Mapped[str] = mapped_column(server_default=_EMPTY)

    __table_args__ = (
        CheckConstraint("octet_length(url) BETWEEN 1 AND 2000", name="url"),
        at_least("depth", 0),
        UniqueConstraint("connector_id", "url"),
        Index("idx_crawl_addresses_position", "connector_id", "id"),
    )
