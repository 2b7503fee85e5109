"""The rows of syncs: started by the scheduler or a user, continued page by page, and ended once."""

from dataclasses import dataclass
from typing import Any, Final

import msgspec
from sqlalchemy import (
    BigInteger,
    Float,
    Integer,
    String,
    Text,
    and_,
    bindparam,
    case,
    exists,
    func,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from echomind_lib.connectors.idle_status import IDLE_MESSAGE, IDLE_STATUS
from echomind_lib.db.models import Connector, ConnectorSync, ConnectorSyncFailure
from echomind_lib.db.statements import Command, Query, columns
from echomind_lib.jobs import CONNECTOR_SCOPE
from echomind_lib.jobs.lease import held_job
from echomind_lib.jobs.queue import requested

ACTIVE: Final = ("pending", "running", "waiting_for_confirmation")


class SyncState(msgspec.Struct, kw_only=True):
    """`connectors.state`: the state passed from one sync to the next."""

    cursor: dict[str, Any] | None = None
    """The cursor to continue from."""
    listing: int = 0
    """The sync in which the current full listing started; 0 if there is none."""
    is_complete: bool = True
    """Whether that listing has skipped nothing so far."""
    restarted: int = 0
    """The sync that was restarted because the source no longer knew its cursor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveSync:
    """The active sync of a connector, with its connector."""

    id: int
    kind: str
    status: str
    attempt: int
    pages: int
    may_remove: bool
    documents_seen: int
    documents_removed: int
    documents_failed: int
    failures: int
    is_begun: bool
    """Whether it has started already: it waits for its next slice, or for confirmation."""
    connector_id: int
    name: str
    type: str
    config: dict[str, Any]
    state: dict[str, Any]
    encrypted_credentials: str | None
    permission_mode: str
    refresh_freq_minutes: int | None
    sync_failures: int
    is_stopped: bool
    """Whether its connector was paused, disabled or removed."""
    forgets_readers: bool
    """Whether its connector's documents may have readers of an earlier permission mode, which a job forgets."""


_connector = bindparam("connector_id", type_=Integer)
_sync = bindparam("sync_id", type_=BigInteger)
_is_active = and_(ConnectorSync.connector_id == _connector, ConnectorSync.status.in_(ACTIVE))
_is_stopped = or_(Connector.paused_at.is_not(None), Connector.status == "disabled", Connector.deleted_date.is_not(None))
_forgets_readers = Connector.readers_forgotten_to.is_not(None)

FIND: Final = Query(
    select(
        *columns(
            ActiveSync,
            ConnectorSync,
            Connector,
            id=ConnectorSync.id,
            status=ConnectorSync.status,
            is_begun=ConnectorSync.started_at.is_not(None),
            is_stopped=_is_stopped,
            forgets_readers=_forgets_readers,
        )
    )
    .join(Connector, Connector.id == ConnectorSync.connector_id)
    .where(_is_active),
    ActiveSync,
)
"""Selects the active sync of a connector."""
_forgetful = select(Connector.id).where(Connector.id == _connector, _forgets_readers).cte("forgetful")
_forgetting = requested(CONNECTOR_SCOPE, _forgetful, _forgetful.c.id)
FORGET_READERS: Final = Command(select(_forgetful.c.id).add_cte(_forgetting))
"""Requests the job that forgets a connector's earlier readers, unless it waits or runs."""
_is_running = and_(ConnectorSync.id == _sync, ConnectorSync.status == "running")
MAY_CONTINUE: Final = Query(
    select(Connector.id)
    .join(ConnectorSync, ConnectorSync.connector_id == Connector.id)
    .where(Connector.id == _connector, ~_is_stopped, _is_running),
    int,
)
"""Selects whether a sync is still running, and its connector was not paused, disabled or removed."""

_held = held_job()
# Locked until the transaction ends: pausing or removing the connector, or cancelling the sync, happens before or
# after it.
GUARD: Final = Query(
    select(Connector.id)
    .join(ConnectorSync, ConnectorSync.connector_id == Connector.id)
    .where(Connector.id == _connector, ~_is_stopped, _is_running, exists(select(_held.c.id)))
    .with_for_update(read=True, of=[Connector, ConnectorSync]),
    int,
)
"""Locks a connector and its sync; no row if it may no longer be synced, or not by the job's worker."""
IS_HELD: Final = Query(select(_held.c.id), int)
"""Locks the job that a worker holds; no row if another worker holds it."""

_begun = (
    update(ConnectorSync)
    .where(ConnectorSync.id == _sync, ConnectorSync.status == "pending")
    .values(
        status="running",
        started_at=func.coalesce(ConnectorSync.started_at, func.now()),
        kind=bindparam("kind", type_=String),
        cursor_before=case(
            (ConnectorSync.started_at.is_(None), bindparam("cursor", type_=JSONB(none_as_null=True))),
            else_=ConnectorSync.cursor_before,
        ),
    )
    .returning(ConnectorSync.connector_id)
    .cte("begun")
)
BEGIN: Final = Command(
    update(Connector)
    .where(Connector.id == _begun.c.connector_id, Connector.status != "disabled")
    .values(status="syncing", status_message=null(), state=bindparam("state", type_=JSONB))
)
"""Starts a waiting sync."""
STORE_STATE: Final = Command(
    update(Connector).where(Connector.id == _connector).values(state=bindparam("state", type_=JSONB))
)
"""Stores the state for the next page, slice or sync."""
RESTART: Final = Command(update(ConnectorSync).where(ConnectorSync.id == _sync).values(kind="full"))
"""Makes a sync a full one."""


def _more(column: str) -> Any:
    return getattr(ConnectorSync, column) + bindparam(column.removeprefix("documents_"), type_=Integer)


_COUNTED: Final = ("documents_seen", "documents_added", "documents_updated", "documents_removed")
_counted = {column: _more(column) for column in _COUNTED}
# Counted in the table each time, as a page may be read twice.
_failures = select(func.count()).select_from(ConnectorSyncFailure).where(ConnectorSyncFailure.sync_id == _sync)
_failed = _failures.where(ConnectorSyncFailure.source_id != "").scalar_subquery()
COUNT: Final = Command(
    update(ConnectorSync)
    .where(ConnectorSync.id == _sync)
    .values(
        **_counted,
        documents_failed=_failed,
        failures=_failures.scalar_subquery(),
        pages=ConnectorSync.pages + bindparam("pages", type_=Integer),
        # The items seen that are neither new nor different; derived, as a page may be read twice.
        documents_unchanged=func.greatest(
            _counted["documents_seen"] - _counted["documents_added"] - _counted["documents_updated"] - _failed, 0
        ),
        attempt=case((bindparam("pages", type_=Integer) > 0, 0), else_=ConnectorSync.attempt),
    )
)
"""Adds to the counts of a sync. A stored page resets its attempts."""
RETRY: Final = Command(
    update(ConnectorSync)
    .where(ConnectorSync.id == _sync)
    .values(attempt=ConnectorSync.attempt + 1, warning=bindparam("message", type_=Text))
)
"""Records a failed attempt to read the source."""


_after = func.make_interval(0, 0, 0, 0, 0, 0, bindparam("after", type_=Float))
_ended = (
    update(ConnectorSync)
    .where(ConnectorSync.id == _sync, ConnectorSync.status.in_(ACTIVE))
    .values(
        status=bindparam("status", type_=String),
        error_kind=bindparam("error_kind", type_=String),
        error=bindparam("error", type_=Text),
        warning=bindparam("warning", type_=Text),
        completed_at=func.now(),
        cursor_after=bindparam("cursor", type_=JSONB(none_as_null=True)),
    )
    .returning(ConnectorSync.connector_id)
    .cte("ended")
)
_of_ended = update(Connector).where(Connector.id == _ended.c.connector_id)
COMPLETE: Final = Command(
    _of_ended.values(
        status=case(
            (Connector.status == "disabled", "disabled"),
            (bindparam("status", type_=String) == "completed", "active"),
            else_="needs_attention",
        ),
        status_message=bindparam("warning", type_=Text),
        last_sync_at=func.now(),
        next_sync_at=func.now() + _after,
        sync_failures=0,
        state=bindparam("state", type_=JSONB),
    )
)
"""Ends a sync as `completed` or `needs_attention`. Without `after`, only a user starts the next one."""
FAIL: Final = Command(
    _of_ended.values(
        status=case((Connector.status == "disabled", "disabled"), else_="error"),
        status_message=bindparam("error", type_=Text),
        next_sync_at=func.now() + _after,
        sync_failures=Connector.sync_failures + 1,
    )
)
"""Fails a sync. The next one continues at its last page."""
CANCEL: Final = Command(_of_ended.values(status=IDLE_STATUS, status_message=IDLE_MESSAGE))
"""Ends a sync whose connector was paused, disabled or removed, or whose removals were rejected."""
_waiting = (
    update(ConnectorSync)
    .where(ConnectorSync.id == _sync, ConnectorSync.status == "running")
    .values(status="waiting_for_confirmation", to_remove=bindparam("to_remove", type_=Integer))
    .returning(ConnectorSync.connector_id)
    .cte("waiting")
)
WAIT: Final = Command(
    update(Connector)
    .where(Connector.id == _waiting.c.connector_id)
    .values(status=IDLE_STATUS, status_message=bindparam("message", type_=Text))
)
"""Makes a sync wait until a user confirms or rejects its removals."""
