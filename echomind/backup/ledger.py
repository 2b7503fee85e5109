"""The ledger of erasures, which a restore repeats: whoever was erased after the backup was made does not come back.

A backup has the ledger of its moment in its description. A newer one, or the list of `echomind users erasures --json`,
says who was erased since; a data folder that a restore takes the place of says it itself. An entry holds for the
account that had the id when it was erased: one that was created later has it by chance, as ids begin again after a
restore. Entries without an account are kept, as a backup that is restored later may have it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import asyncpg
import msgspec
from sqlalchemy import (
    ARRAY,
    DateTime,
    Integer,
    String,
    all_,
    any_,
    bindparam,
    column,
    func,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, insert

from echomind.backup.archive import ArchiveError, ArchiveReader
from echomind.backup.encryption import decrypting
from echomind.backup.manifest import MANIFEST, Erased, read_manifest
from echomind_lib.access.superadmins import can_sign_in
from echomind_lib.config import Settings
from echomind_lib.db.database import connect_once
from echomind_lib.db.models import Erasure, User
from echomind_lib.db.statements import Command, Query

_MAX_BYTES: Final = 64 * 1024 * 1024
_CANCELLED: Final = "ERASURE_STATE_CANCELLED"


class LedgerError(Exception):
    """A file has no ledger of erasures; the message says what to give instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Account:
    id: int
    user_name: str
    is_superadmin: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Superadmin:
    id: int
    can_sign_in: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recorded:
    user_id: int
    erased_at: datetime


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """What a restore has repeated of a ledger.

    Attributes:
        people: How many people are erased again, once services run.
        kept: User names of superadmins who are not, as nobody else could manage what is left.
    """

    people: int = 0
    kept: Sequence[str] = ()


# Older schemas have other columns, or no such table.
_IS_THERE: Final = Query(select(func.to_regclass("erasures").is_not(None)), bool)
_row = func.to_jsonb(literal_column("erasures"), type_=JSONB)
_RECORDED: Final = Query(
    select(Erasure.erased_user_id.label("user_id"), Erasure.creation_date.label("erased_at"))
    .where(or_(_row["completed_at"].astext.is_not(None), _row["attempted_at"].astext.is_not(None)))
    .order_by(Erasure.id),
    _Recorded,
)
_given = (
    func.unnest(bindparam("ids", type_=ARRAY(Integer)), bindparam("times", type_=ARRAY(DateTime(timezone=True))))
    .table_valued(column("id", Integer), column("erased_at", DateTime(timezone=True)), name="given")
    .render_derived()
)
_FOUND: Final = Query(
    select(
        User.id,
        func.coalesce(User.user_name, "", type_=String).label("user_name"),
        (any_(User.roles) == "superadmin").label("is_superadmin"),
    )
    .join(_given, _given.c.id == User.id)
    .where(User.creation_date < _given.c.erased_at)
    .distinct()
    .order_by(User.id),
    _Account,
)
_IDS: Final = bindparam("ids", type_=ARRAY(Integer))
_DEACTIVATE: Final = Command(update(User).where(User.id == any_(_IDS)).values(is_active=False))
_LONG_AGO: Final = func.to_timestamp(0)
_RESUME: Final = Command(
    update(Erasure)
    .where(Erasure.erased_user_id == any_(_IDS), Erasure.completed_at.is_(None))
    .values(attempted_at=_LONG_AGO, error=None)
)
_BEGIN: Final = Command(
    insert(Erasure).from_select(
        ["erased_user_id", "items", "attempted_at"],
        select(User.id, func.jsonb_build_array(), _LONG_AGO).where(
            User.id == any_(_IDS),
            ~select(Erasure.id).where(Erasure.erased_user_id == User.id, Erasure.completed_at.is_(None)).exists(),
        ),
    )
)
# One that is already there for the same person, or a later one of the same id, says as much.
_KEEP: Final = Command(
    insert(Erasure).from_select(
        ["erased_user_id", "items", "creation_date", "completed_at"],
        select(_given.c.id, func.jsonb_build_array(), func.max(_given.c.erased_at), func.now())
        .where(
            _given.c.id != all_(bindparam("erased", type_=ARRAY(Integer))),
            ~select(Erasure.id)
            .where(
                Erasure.erased_user_id == _given.c.id,
                Erasure.creation_date >= _given.c.erased_at,
                or_(Erasure.completed_at.is_not(None), Erasure.attempted_at.is_not(None)),
            )
            .exists(),
        )
        .group_by(_given.c.id)
        .order_by(_given.c.id),
    )
)


async def recorded(postgres_url: str) -> list[Erased]:
    """Returns the ledger of a database: erasures that are completed, or go on.

    Raises:
        DatabaseUnavailableError: It does not respond.
    """
    connection = await connect_once(postgres_url, "echomind-ledger")
    try:
        return await recorded_by(connection)
    finally:
        await connection.close()


async def recorded_by(connection: asyncpg.Connection) -> list[Erased]:
    """Returns the ledger of a database, as `recorded`."""
    if not await _IS_THERE.fetch_one(connection):
        return []
    found = await _RECORDED.fetch_all(connection)
    return [Erased(user_id=each.user_id, erased_at=each.erased_at.isoformat()) for each in found]


def read_ledger(file: Path, keys: Sequence[Any]) -> list[Erased]:
    """Returns the ledger of a newer backup, or of a list that `echomind users erasures --json` printed.

    Args:
        file: The file.
        keys: The keys that decrypt the backup.

    Raises:
        LedgerError: It is neither.
        EncryptionError: No key fits.
        OSError: It cannot be read.
    """
    with file.open("rb") as stream:
        start = stream.read(1)
        if start == b"{":
            return _listed(file, start + stream.read(_MAX_BYTES))
    try:
        with decrypting(file, keys) as stream:
            for member in ArchiveReader(stream).members():
                found = read_manifest(member.read_json()).erasures if member.name == MANIFEST else None
                if found is not None:
                    return found
                break
    except ArchiveError as error:
        raise LedgerError(
            f"{file} is neither a backup nor a list of `echomind users erasures --json`: {error}"
        ) from error
    raise LedgerError(
        f"{file} has no ledger of erasures, as an older version made it: give the output of "
        "`echomind users erasures --json`"
    )


def _listed(file: Path, content: bytes) -> list[Erased]:
    try:
        listed = msgspec.json.decode(content)["erasures"]
        found = [
            Erased(user_id=int(each["userId"]), erased_at=datetime.fromisoformat(each["creationDate"]).isoformat())
            for each in listed
            if each.get("state") != _CANCELLED
        ]
    except (msgspec.DecodeError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise LedgerError(
            f"{file} is not the output of `echomind users erasures --json`: it needs `erasures` with `userId` and "
            "`creationDate`"
        ) from error
    return found


async def repeat_erasures(connection: asyncpg.Connection, ledger: Sequence[Erased]) -> Repeated:
    """Deactivates the accounts of a ledger in a restored database, and stores their erasures, which services continue.

    The others of the ledger are stored as completed erasures. Erased superadmins stay if without them nobody could
    sign in to manage what is left: see `can_sign_in`.

    Args:
        connection: The database, in a transaction.
        ledger: Whom to erase.
    """
    ids, times = [each.user_id for each in ledger], [datetime.fromisoformat(each.erased_at) for each in ledger]
    found = await _FOUND.fetch_all(connection, ids=ids, times=times)
    kept: list[_Account] = []
    if not await _others_remain(connection, {each.id for each in found}):
        kept = [each for each in found if each.is_superadmin]
    erased = [each.id for each in found if each not in kept]
    for statement in (_DEACTIVATE, _RESUME, _BEGIN):
        await statement.execute(connection, ids=erased)
    await _KEEP.execute(connection, ids=ids, times=times, erased=[each.id for each in found])
    return Repeated(people=len(erased), kept=[each.user_name for each in kept])


async def _others_remain(connection: asyncpg.Connection, erased: Collection[int]) -> bool:
    """Returns whether a superadmin remains who can sign in; where nobody could before, an active one is enough."""
    auth = Settings().auth
    able = can_sign_in(auth.local_accounts, [provider.issuer for provider in auth.providers.values()])
    active = select(User.id, able.label("can_sign_in")).where(any_(User.roles) == "superadmin", User.is_active)
    superadmins = await Query(active, _Superadmin).fetch_all(connection)
    could = any(each.can_sign_in for each in superadmins)
    return any(each.id not in erased and (each.can_sign_in or not could) for each in superadmins)
