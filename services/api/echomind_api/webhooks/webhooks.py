"""Webhooks of people and of the installation, and their deliveries."""

import base64
import secrets as random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.auth.credentials import hold
from echomind_api.rows import audit, missing, reload
from echomind_lib.access import Principal, require_role, require_scope, webhooks
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import ValidationFailedError
from echomind_lib.jobs import DELIVER_WEBHOOKS, enqueue_in, wake
from echomind_lib.mappers import webhook_deliveries
from echomind_lib.mappers import webhooks as mapper
from echomind_lib.messaging import Bus
from echomind_lib.models.public import (
    CreateWebhookRequest,
    CreateWebhookResponse,
    DeleteWebhookRequest,
    GetWebhookRequest,
    ListWebhookDeliveriesRequest,
    ListWebhookDeliveriesResponse,
    ListWebhooksRequest,
    ListWebhooksResponse,
    ReplayWebhookDeliveryRequest,
    RotateWebhookSecretRequest,
    RotateWebhookSecretResponse,
    TestWebhookRequest,
    UpdateWebhookRequest,
    Webhook,
    WebhookDelivery,
    WebhookDeliveryStatus,
    WebhookService,
)
from echomind_lib.network.fetching import AllowedHosts, FetchError, parse_address
from echomind_lib.secrets import Secrets

LIMIT: Final = 20
"""Maximum number of webhooks of a person, and of the installation."""
_SECRET_BYTES: Final = 32
_NEW_FIELDS: Final = ("url", "description", "event_types", "is_enabled")


class Webhooks(WebhookService):
    """The service `WebhookService`."""

    def __init__(self, database: Database, bus: Bus, secrets: Secrets, allowed: AllowedHosts) -> None:
        """Initializes the service.

        Args:
            database: The database.
            bus: Wakes the worker that sends events.
            secrets: Encrypts the secrets of webhooks.
            allowed: Non-public hosts that webhooks may have.
        """
        self._database, self._bus, self._secrets, self._allowed = database, bus, secrets, allowed

    @override
    async def list_webhooks(self, request: ListWebhooksRequest, call: CallContext) -> ListWebhooksResponse:
        principal: Principal = call.principal
        if request.of_installation:
            require_role(principal, "superadmin")
        page = read_page(request.page_size, request.page_token, tuple[int], "webhooks", principal.user_id)
        kind = rows.Webhook.is_installation.is_(request.of_installation)
        query = page.select(_named().where(webhooks().where(rows.Webhook), kind), rows.Webhook.id)
        async with self._database.session() as session:
            found = (await session.execute(query, webhooks().values(principal))).all()
        found, token = page.cut(found, lambda row: (row[0].id,))
        return ListWebhooksResponse(webhooks=[_model(row) for row in found], next_page_token=token)

    @override
    async def get_webhook(self, request: GetWebhookRequest, call: CallContext) -> Webhook:
        async with self._database.session() as session:
            return await _read(session, await _find(session, request.id, call.principal))

    @override
    async def create_webhook(self, request: CreateWebhookRequest, call: CallContext) -> CreateWebhookResponse:
        given, principal = request.webhook, call.principal
        if given.is_installation:
            _require_administration(principal)
        if given.is_enabled is None:
            given = given.model_copy(update={"is_enabled": True})
        columns = mapper.to_columns(given, _NEW_FIELDS)
        secret = _new_secret()
        row = rows.Webhook(
            user_id=principal.user_id,
            is_installation=given.is_installation,
            encrypted_secret=self._secrets.encrypt(secret),
            **columns,
        )
        self._check(row)
        async with self._database.session() as session:
            (await hold(session, principal)).require_lasting("A webhook")
            await _require_room(session, row)
            session.add(row)
            await session.flush()
            audit(session, call, f"webhooks/{row.id}", **_detail(row))
            await enqueue_in(session, DELIVER_WEBHOOKS)
            await reload(session, row)
            created = await _read(session, row)
        await wake(self._bus, DELIVER_WEBHOOKS)
        return CreateWebhookResponse(webhook=created, secret=secret)

    @override
    async def update_webhook(self, request: UpdateWebhookRequest, call: CallContext) -> Webhook:
        async with self._database.session() as session:
            (await hold(session, call.principal)).require_lasting("A webhook")
            row = await _locked(session, request.id, call.principal)
            columns = mapper.to_columns(request.webhook, request.update_mask)
            if columns.get("is_enabled") or "url" in columns:
                columns |= {"failures": 0, "failing_since": None, "held_until": None, "disabled_reason": None}
            for name, value in columns.items():
                setattr(row, name, value)
            self._check(row)
            if row.is_installation:
                row.user_id = call.principal.user_id
            row.user_id_last_update = call.principal.user_id
            audit(session, call, f"webhooks/{row.id}", **_detail(row))
            await enqueue_in(session, DELIVER_WEBHOOKS)
            await reload(session, row)
            updated = await _read(session, row)
        await wake(self._bus, DELIVER_WEBHOOKS)
        return updated

    @override
    async def delete_webhook(self, request: DeleteWebhookRequest, call: CallContext) -> Empty:
        async with self._database.session() as session:
            await hold(session, call.principal)
            row = await _locked(session, request.id, call.principal)
            audit(session, call, f"webhooks/{row.id}", **_detail(row))
            await session.delete(row)
        return Empty()

    @override
    async def rotate_webhook_secret(
        self, request: RotateWebhookSecretRequest, call: CallContext
    ) -> RotateWebhookSecretResponse:
        secret, overlap = _new_secret(), timedelta(seconds=request.overlap_seconds)
        async with self._database.session() as session:
            await hold(session, call.principal)
            row = await _locked(session, request.id, call.principal)
            row.encrypted_previous_secret = row.encrypted_secret if overlap else None
            row.previous_secret_until = datetime.now(UTC) + overlap if overlap else None
            row.encrypted_secret = self._secrets.encrypt(secret)
            row.user_id_last_update = call.principal.user_id
            audit(session, call, f"webhooks/{row.id}", overlap_seconds=request.overlap_seconds)
            await reload(session, row)
            return RotateWebhookSecretResponse(webhook=await _read(session, row), secret=secret)

    @override
    async def test_webhook(self, request: TestWebhookRequest, call: CallContext) -> WebhookDelivery:
        async with self._database.session() as session:
            row = await _locked(session, request.id, call.principal)
            _send_at_once(row)
            delivery = rows.WebhookDelivery(webhook_id=row.id, event_type="test", data={"webhook_id": row.id})
            session.add(delivery)
            await enqueue_in(session, DELIVER_WEBHOOKS)
            await reload(session, delivery)
            sent = webhook_deliveries.to_model(delivery)
        await wake(self._bus, DELIVER_WEBHOOKS)
        return sent

    @override
    async def list_webhook_deliveries(
        self, request: ListWebhookDeliveriesRequest, call: CallContext
    ) -> ListWebhookDeliveriesResponse:
        row, status = rows.WebhookDelivery, request.status
        page = read_page(
            request.page_size, request.page_token, tuple[int], "webhook_deliveries", request.webhook_id, status.value
        )
        query = select(row).where(row.webhook_id == request.webhook_id)
        if status is not WebhookDeliveryStatus.UNSPECIFIED:
            query = query.where(row.status == status.word)
        async with self._database.session() as session:
            await _find(session, request.webhook_id, call.principal)
            found = (await session.scalars(page.select(query, row.id, descending=True))).all()
        found, token = page.cut(found, lambda each: (each.id,))
        shown = [webhook_deliveries.to_model(each) for each in found]
        return ListWebhookDeliveriesResponse(deliveries=shown, next_page_token=token)

    @override
    async def replay_webhook_delivery(
        self, request: ReplayWebhookDeliveryRequest, call: CallContext
    ) -> WebhookDelivery:
        async with self._database.session() as session:
            of = select(rows.WebhookDelivery.webhook_id).where(rows.WebhookDelivery.id == request.id)
            webhook = await _visible(session, await session.scalar(of) or 0, call.principal, lock=True)
            delivery = await session.get(rows.WebhookDelivery, request.id, with_for_update=True)
            if webhook is None or delivery is None:
                raise missing("webhook delivery", request.id)
            _require_change(webhook, call.principal)
            _send_at_once(webhook)
            delivery.status, delivery.attempts, delivery.next_attempt_at = "pending", 0, datetime.now(UTC)
            delivery.error = delivery.response_status = delivery.completed_at = delivery.duration_ms = None
            await enqueue_in(session, DELIVER_WEBHOOKS)
            await reload(session, delivery)
            sent = webhook_deliveries.to_model(delivery)
        await wake(self._bus, DELIVER_WEBHOOKS)
        return sent

    def _check(self, row: rows.Webhook) -> None:
        """Raises `ValidationFailedError` for an address or types that a webhook may not have."""
        try:
            parse_address(row.url, self._allowed)
        except FetchError as error:
            raise ValidationFailedError.of("url", str(error)) from None
        if not row.event_types:
            raise ValidationFailedError.of("event_types", "must name at least one type")
        if "audit_entry" in row.event_types and not row.is_installation:
            raise ValidationFailedError.of("event_types", "audit entries are for webhooks of the installation")


def _named() -> Any:
    return select(rows.Webhook, rows.User.user_name).join(rows.User, rows.User.id == rows.Webhook.user_id)


def _model(found: Any) -> Webhook:
    return mapper.to_model(found[0], user_name=found.user_name)


async def _read(session: AsyncSession, row: rows.Webhook) -> Webhook:
    owner = select(rows.User.user_name).where(rows.User.id == row.user_id)
    return mapper.to_model(row, user_name=(await session.scalars(owner)).one())


async def _visible(
    session: AsyncSession, webhook_id: int, principal: Principal, *, lock: bool = False
) -> rows.Webhook | None:
    """Returns a webhook that the caller sees; None if there is none."""
    query = select(rows.Webhook).where(rows.Webhook.id == webhook_id, webhooks().where(rows.Webhook))
    values = webhooks().values(principal)
    return (await session.scalars(query.with_for_update(key_share=True) if lock else query, values)).one_or_none()


async def _find(session: AsyncSession, webhook_id: int, principal: Principal, *, lock: bool = False) -> rows.Webhook:
    row = await _visible(session, webhook_id, principal, lock=lock)
    if row is None:
        raise missing("webhook", webhook_id)
    return row


async def _locked(session: AsyncSession, webhook_id: int, principal: Principal) -> rows.Webhook:
    """Returns a webhook that the caller may change, locked."""
    row = await _find(session, webhook_id, principal, lock=True)
    _require_change(row, principal)
    return row


def _require_change(row: rows.Webhook, principal: Principal) -> None:
    if row.is_installation:
        _require_administration(principal)


def _require_administration(principal: Principal) -> None:
    require_role(principal, "superadmin")
    require_scope(principal, "administer")


async def _require_room(session: AsyncSession, row: rows.Webhook) -> None:
    """Raises `ValidationFailedError` if there are as many webhooks as there may be."""
    same = rows.Webhook.is_installation if row.is_installation else ~rows.Webhook.is_installation
    query = select(func.count()).select_from(rows.Webhook).where(same)
    if not row.is_installation:
        query = query.where(rows.Webhook.user_id == row.user_id)
    if (await session.scalar(query) or 0) >= LIMIT:
        raise ValidationFailedError.of("webhook", f"there are {LIMIT} already: remove one first")


def _send_at_once(row: rows.Webhook) -> None:
    """Ends the rest of a webhook that failed; raises `ValidationFailedError` for one that is disabled."""
    if not row.is_enabled:
        raise ValidationFailedError.of("id", "the webhook is disabled: enable it first")
    row.held_until = None


def _new_secret() -> str:
    return f"whsec_{base64.b64encode(random.token_bytes(_SECRET_BYTES)).decode()}"


def _detail(row: rows.Webhook) -> dict[str, Any]:
    """Returns what the audit log says of a webhook; of its address only the host, as the rest may hold a token."""
    types: Sequence[str] = row.event_types
    host = urlsplit(row.url).hostname
    return {"host": host, "types": list(types), "installation": row.is_installation, "enabled": row.is_enabled}
