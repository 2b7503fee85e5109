"""The statements of deliveries: which are due, and what came of them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Float,
    Integer,
    Text,
    all_,
    bindparam,
    case,
    func,
    lateral,
    null,
    or_,
    select,
    true,
    update,
)

from echomind_lib.db.models import Webhook, WebhookDelivery
from echomind_lib.db.statements import Command, Query
from echomind_lib.db.words import WebhookEventType

AT_ONCE: Final = 4
"""Maximum number of deliveries that are sent to one webhook at once."""
_SLICE: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A delivery that is due, with its webhook."""

    id: int
    event_type: WebhookEventType
    data: dict[str, Any]
    creation_date: datetime
    attempts: int
    webhook_id: int
    url: str
    encrypted_secret: str
    encrypted_previous_secret: str | None
    """None once the overlap of the last rotation is over."""
    is_installation: bool
    user_id: int
    failures: int


def _after(seconds: str) -> Any:
    return func.now() + func.make_interval(0, 0, 0, 0, 0, 0, bindparam(seconds, type_=Float))


_is_due = (
    WebhookDelivery.webhook_id == Webhook.id,
    WebhookDelivery.status == "pending",
    WebhookDelivery.next_attempt_at <= func.now(),
)
_first = lateral(
    select(
        WebhookDelivery.id,
        WebhookDelivery.event_type,
        WebhookDelivery.data,
        WebhookDelivery.creation_date,
        WebhookDelivery.attempts,
    )
    .where(*_is_due, WebhookDelivery.id != all_(bindparam("sending", type_=ARRAY(BigInteger))))
    .order_by(WebhookDelivery.next_attempt_at, WebhookDelivery.id)
    .limit(AT_ONCE),
    name="first",
)
DUE: Final = Query(
    select(
        _first,
        Webhook.id.label("webhook_id"),
        Webhook.url,
        Webhook.encrypted_secret,
        case((Webhook.previous_secret_until > func.now(), Webhook.encrypted_previous_secret)).label(
            "encrypted_previous_secret"
        ),
        Webhook.is_installation,
        Webhook.user_id,
        Webhook.failures,
    )
    .join(_first, true())
    .where(
        Webhook.id != all_(bindparam("busy_webhooks", type_=ARRAY(Integer))),
        Webhook.user_id != all_(bindparam("busy_people", type_=ARRAY(Integer))),
        Webhook.is_enabled,
        or_(Webhook.held_until.is_(None), Webhook.held_until <= func.now()),
    )
    .order_by(
        func.row_number().over(partition_by=Webhook.user_id, order_by=(_first.c.attempts, _first.c.id)), _first.c.id
    )
    .limit(_SLICE),
    Due,
)
"""The deliveries to begin now, beside those that are being sent: of each person in turn those that were tried
least, so that nobody delays others."""
ANY_ENABLED: Final = Query(select(select(Webhook.id).where(Webhook.is_enabled).exists()), bool)
"""Whether there is anything to deliver to, now or later."""

_attempted = (
    WebhookDelivery.id == bindparam("delivery_id"),
    WebhookDelivery.status == "pending",
    WebhookDelivery.attempts == bindparam("attempts", type_=Integer),
)
_response = {
    "attempts": WebhookDelivery.attempts + 1,
    "response_status": bindparam("response_status", type_=Integer),
    "duration_ms": bindparam("duration_ms", type_=Integer),
}
DELIVERED: Final = Command(
    update(WebhookDelivery)
    .where(*_attempted)
    .values(_response | {"status": "delivered", "error": None, "next_attempt_at": None, "completed_at": func.now()})
)
WITHHELD: Final = Command(
    update(WebhookDelivery)
    .where(*_attempted)
    .values(status="withheld", error=bindparam("error"), next_attempt_at=None, completed_at=func.now())
)
_is_over = bindparam("again_after", type_=Float).is_(None)
FAILED: Final = Command(
    update(WebhookDelivery)
    .where(*_attempted)
    .values(
        _response
        | {
            "error": bindparam("error"),
            "status": case((_is_over, "failed"), else_="pending"),
            "next_attempt_at": case((_is_over, null()), else_=_after("again_after")),
            "completed_at": case((_is_over, func.now()), else_=null()),
        }
    )
)
RECOVERED: Final = Command(
    update(Webhook)
    .where(Webhook.id == bindparam("webhook_id"), Webhook.failures > 0)
    .values(failures=0, failing_since=None, held_until=None)
)
HELD: Final = Command(
    update(Webhook)
    .where(Webhook.id == bindparam("webhook_id"))
    .values(
        failures=Webhook.failures + 1,
        failing_since=func.coalesce(Webhook.failing_since, func.now()),
        held_until=_after("held_for"),
    )
)
DISABLED: Final = Command(
    update(Webhook)
    .where(
        Webhook.id == bindparam("webhook_id"),
        Webhook.is_enabled,
        or_(
            bindparam("at_once"),
            Webhook.failing_since < func.now() - func.make_interval(0, 0, 0, bindparam("days", type_=Integer)),
        ),
    )
    .values(is_enabled=False, disabled_reason=bindparam("reason", type_=Text))
)
"""Disables a webhook that has failed for so many days, or at once."""
