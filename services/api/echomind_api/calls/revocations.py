"""Revoked credentials on all replicas: a message makes each forget what it has cached and check its open streams."""

import asyncio

import structlog
from nats.aio.msg import Msg

from echomind_api.calls.authentication import Authentication
from echomind_api.calls.limits import Limits
from echomind_api.calls.recheck import recheck
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.messaging import ACCOUNT_CHANGED, Bus
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import AccountChanged

log = structlog.get_logger(__name__)


class Revocations:
    """Announces changed accounts to all replicas, and applies what they announce. `run` must run beside it."""

    def __init__(self, bus: Bus, limits: Limits, authentication: Authentication) -> None:
        self._bus = bus
        self._limits = limits
        self._authentication = authentication

    async def publish(self, user_id: int) -> None:
        """Announces, after the transaction, that credentials or rights of an account were revoked.

        A lost message is harmless: the caches expire, and streams are checked periodically.
        """
        self._authentication.principals.forget(user_id)
        await self._bus.publish(ACCOUNT_CHANGED, AccountChanged(user_id=user_id))

    async def run(self) -> None:
        """Applies the announcements of all replicas until it is cancelled."""
        async with await self._bus.subscribe(ACCOUNT_CHANGED, self._on_changed):
            await asyncio.Event().wait()

    async def _on_changed(self, message: Msg) -> None:
        user_id = AccountChanged.FromString(message.data).user_id
        self._authentication.principals.forget(user_id)
        try:
            await recheck(self._limits, self._authentication, user_id)
        except DATABASE_FAILURES as error:
            log.warning("credentials of open streams were not looked at", error=repr(error))
