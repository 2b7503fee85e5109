"""The keys that encrypt stored secrets: superadmins list, rotate and retire them while everything runs."""

import time
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from sqlalchemy import func, select
from typing_extensions import override

from echomind_api.auth.credentials import hold
from echomind_api.rows import audit, lock_table
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db.database import Database
from echomind_lib.db.deletion_lock import deletion_lock
from echomind_lib.db.models import Assistant
from echomind_lib.encrypted_columns import ENCRYPTED, encrypt_page, stored_tokens
from echomind_lib.errors import DependencyUnavailableError, ValidationFailedError
from echomind_lib.models.public import (
    ListSecretKeysResponse,
    ReencryptSecretsResponse,
    RetireSecretKeysResponse,
    SecretKey,
    SecretKeyService,
    SecretKeySource,
)
from echomind_lib.secrets import Secrets

_CALL_SECONDS: Final = 5.0
"""How long one call encrypts; at least a page."""
_PAUSE_SECONDS: Final = 60.0
"""How long after a call the next one continues where it has stopped; later ones go through all again."""
_SETTLED: Final = timedelta(minutes=1)
"""How long after a change of the file keys are retired: no service is storing what it encrypted before any more."""
_LOCK: Final = 0x6563_736B
"""`ecsk`: the key of the advisory lock under which the key file is changed."""


@dataclass(frozen=True, slots=True)
class _Pause:
    """Where a call has stopped, from which the next one continues.

    Another gateway goes through all from the first, or from where it has stopped itself.

    Attributes:
        primary: The id of the key that encrypts.
        position: Index in `ENCRYPTED`.
        last: The primary key of the last row that is done there; None before the first.
        at: When, in seconds of the monotonic clock.
    """

    primary: str
    position: int
    last: tuple[Any, ...] | None
    at: float


class SecretKeys(SecretKeyService):
    """The service `SecretKeyService`."""

    def __init__(self, database: Database, secrets: Secrets) -> None:
        self._database = database
        self._secrets = secrets
        self._pause: _Pause | None = None

    @override
    async def list_secret_keys(self, request: Empty, call: CallContext) -> ListSecretKeysResponse:
        require_role(call.principal, "superadmin")
        keys, unreadable = await self._counted()
        source = SecretKeySource.ENVIRONMENT if self._secrets.file is None else SecretKeySource.FILE
        return ListSecretKeysResponse(secret_keys=keys, unreadable_count=unreadable, source=source)

    @override
    async def create_secret_key(self, request: Empty, call: CallContext) -> SecretKey:
        require_role(call.principal, "superadmin")
        self._require_file()
        async with deletion_lock(self._database.pool) as no_backup, self._database.session() as session:
            if not no_backup:
                raise DependencyUnavailableError(
                    "A backup is being made, which has the keys of its beginning: create the key when it has ended.",
                    dependency="postgres",
                )
            await hold(session, call.principal)
            await session.execute(select(func.pg_advisory_xact_lock(_LOCK)))
            key = self._secrets.create_key()
            audit(session, call, f"secret-keys/{key}")
        return SecretKey(id=key, is_primary=True)

    @override
    async def reencrypt_secrets(self, request: Empty, call: CallContext) -> ReencryptSecretsResponse:
        require_role(call.principal, "superadmin")
        self._secrets.refresh()
        primary, *_ = self._secrets.key_ids
        began = time.monotonic()
        position, last = 0, None
        if (pause := self._pause) and pause.primary == primary and began - pause.at < _PAUSE_SECONDS:
            position, last = pause.position, pause.last
        changed = 0

        def replace(token: str) -> str:
            if token not in new:
                key = self._secrets.key_of(token)
                new[token] = token if key in {None, primary} else self._secrets.encrypt(self._secrets.decrypt(token))
            return new[token]

        while position < len(ENCRYPTED):
            group = ENCRYPTED[position]
            new: dict[str, str] = {}
            async with self._database.session() as session:
                if group[0].table is Assistant:
                    await lock_table(session, Assistant)  # as who changes them does, in the same order
                last = await encrypt_page(session, group, last, replace)
                changed += (in_page := sum(before != after for before, after in new.items()))
                if in_page:
                    audit(session, call, f"secret-keys/{primary}", column=group[0].name, count=in_page)
            if last is None:
                position += 1
            now = time.monotonic()
            if position < len(ENCRYPTED) and now - began >= _CALL_SECONDS:
                self._pause = _Pause(primary, position, last, now)
                return ReencryptSecretsResponse(reencrypted_count=changed)
        self._pause = None
        return ReencryptSecretsResponse(reencrypted_count=changed, is_complete=True)

    @override
    async def retire_secret_keys(self, request: Empty, call: CallContext) -> RetireSecretKeysResponse:
        require_role(call.principal, "superadmin")
        file = self._require_file()
        async with self._database.session() as session:
            await hold(session, call.principal)
            await session.execute(select(func.pg_advisory_xact_lock(_LOCK)))
            if time.time() - file.stat().st_mtime < _SETTLED.total_seconds():
                return RetireSecretKeysResponse()
            keys, _ = await self._counted()
            unused = [key for key in keys if not key.is_primary and not key.secret_count]
            if unused:
                self._secrets.remove_keys([key.id for key in unused])
            for key in unused:
                audit(session, call, f"secret-keys/{key.id}")
        return RetireSecretKeysResponse(secret_keys=unused)

    async def _counted(self) -> tuple[list[SecretKey], int]:
        """Returns the keys with their numbers of stored secrets, and the number of secrets that none decrypts."""
        self._secrets.refresh()
        counts: Counter[str | None] = Counter()
        async for page in stored_tokens(self._database):
            counts.update(map(self._secrets.key_of, page))
        ids = self._secrets.key_ids
        keys = [SecretKey(id=each, is_primary=each == ids[0], secret_count=counts[each]) for each in ids]
        return keys, counts[None]

    def _require_file(self) -> Path:
        if self._secrets.file is None:
            rule = "come from ECHOMIND_SECRETS__KEYS of each service: change it there, and restart the services"
            raise ValidationFailedError(f"The keys {rule}.", keys=rule)
        return self._secrets.file
