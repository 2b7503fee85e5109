"""Who works, and what waits to be done beside runs, documents and syncs."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Index, String, func, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, one_of


class Worker(Base):
    """A running process that takes work, alive as long as its row is there.

    The other workers remove it when its lock is free or `heartbeat_at` is too old: `echomind_lib.runtime.membership`.
    """

    __tablename__ = "workers"

    id: Mapped[UUID] = mapped_column(primary_key=True, server_default=func.uuidv7())
    service: Mapped[str] = mapped_column(String(50))
    host: Mapped[str]
    started_at: Mapped[datetime] = mapped_column(server_default=func.now())
    heartbeat_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (Index("idx_workers_heartbeat_at", heartbeat_at),)


class BackgroundJob(Audit, Base):
    """Work that no one waits for: `echomind_lib.jobs`.

    `unique_key` says what it means, so it can be requested twice and is done once. `run_after` is when it is due; while
    it runs, when its lease expires.
    """

    __tablename__ = "background_jobs"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    kind: Mapped[str] = mapped_column(String(50))
    subject_id: Mapped[str]
    unique_key: Mapped[str] = mapped_column(unique=True)
    payload: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    status: Mapped[words.JobStatus] = mapped_column(String(20), server_default=text("'pending'"))
    attempt: Mapped[int] = mapped_column(server_default=text("0"))
    worker_id: Mapped[UUID | None]
    run_after: Mapped[datetime] = mapped_column(server_default=func.now())
    error: Mapped[str | None]
    claimed_at: Mapped[datetime | None]
    requested_at: Mapped[datetime] = mapped_column(server_default=func.now())
    discarded_at: Mapped[datetime | None]
    """When an administrator discarded its failure; a later failure counts again."""

    __table_args__ = (
        one_of("status", words.JobStatus),
        Index("idx_background_jobs_due", "run_after", "id", postgresql_where=text("status IN ('pending', 'running')")),
        Index("idx_background_jobs_failed", "kind", "last_update", postgresql_where=text("status = 'failed'")),
    )
