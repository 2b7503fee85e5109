"""The networks that API keys are used from: the first use from another one is in the audit log."""

import asyncio
from typing import Final

import structlog
from sqlalchemy import Integer, Text, all_, bindparam, case, func, insert, literal, select, update

from echomind_api.auth.addresses import network_of
from echomind_api.rows import credential_of
from echomind_lib.contract import CallContext
from echomind_lib.db.database import DATABASE_FAILURES, Database
from echomind_lib.db.models import ApiKey, AuditEntry
from echomind_lib.db.statements import Command

ACTION: Final = "ApiKey/NewNetwork"
_MAX_NETWORKS: Final = 100
"""Most networks that are remembered of a key; use from further ones is recorded again by every process."""
_MAX_SEEN: Final = 10_000
_FLUSH_SECONDS: Final = 60.0
_key_id, _network = bindparam("key_id", type_=Integer), bindparam("network", type_=Text)
_used = (
    update(ApiKey)
    .where(ApiKey.id == _key_id, _network != all_(ApiKey.networks))
    .values(
        networks=case(
            (func.cardinality(ApiKey.networks) < _MAX_NETWORKS, func.array_append(ApiKey.networks, _network)),
            else_=ApiKey.networks,
        )
    )
    .returning(ApiKey.user_id, func.cardinality(ApiKey.networks).label("networks"))
    .cte("used")
)
NOTE_NETWORK: Final = Command(
    insert(AuditEntry)
    .from_select(
        ["actor_id", "action", "target", "address", "credential"],
        select(
            _used.c.user_id,
            literal(ACTION),
            bindparam("credential", type_=Text),
            bindparam("address", type_=Text),
            bindparam("credential", type_=Text),
        ).where(_used.c.networks > 1),
    )
    .add_cte(_used)
)
"""Remembers a network of a key, and records it unless it is the first."""

log = structlog.get_logger(__name__)


class KeyUses:
    """Notices the first use of an API key from a network, and writes it down once a minute."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.seen: set[tuple[int, str]] = set()
        """Keys and addresses that this process has noticed."""
        self._new: list[CallContext] = []

    def notice(self, call: CallContext) -> None:
        """Notices a call with an API key and an address that are not in `seen`."""
        if len(self.seen) >= _MAX_SEEN:
            self.seen.clear()
        self.seen.add((call.principal.api_key_id, call.address))
        self._new.append(call)

    async def run(self) -> None:
        """Writes once a minute until it is cancelled, and once more then."""
        try:
            while True:
                await asyncio.sleep(_FLUSH_SECONDS)
                await self.flush()
        finally:
            await self.flush()

    async def flush(self) -> None:
        """Writes down what was noticed."""
        noticed, self._new = self._new, []
        for number, call in enumerate(noticed):
            try:
                await NOTE_NETWORK.execute(
                    self._database.pool,
                    key_id=call.principal.api_key_id,
                    network=network_of(call.address),
                    address=call.address,
                    credential=credential_of(call.principal),
                )
            except DATABASE_FAILURES as error:
                self._new = noticed[number:] + self._new
                log.warning("networks of API keys were not stored", error=repr(error))
                return
