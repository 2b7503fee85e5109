"""

Generated from echomind/public/v1/webhook.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import webhook_pb2 as pb


class WebhookEventType(ProtoEnum):
    """Type of an event. In the body of a request the type is written with a dot: `run.completed`."""

    UNSPECIFIED = "WEBHOOK_EVENT_TYPE_UNSPECIFIED", 0
    """Unspecified; not accepted."""
    RUN_COMPLETED = "WEBHOOK_EVENT_TYPE_RUN_COMPLETED", 1
    """A question was answered."""
    RUN_FAILED = "WEBHOOK_EVENT_TYPE_RUN_FAILED", 2
    """A run failed or exceeded its time."""
    RUN_CANCELLED = "WEBHOOK_EVENT_TYPE_RUN_CANCELLED", 3
    """A run was cancelled."""
    RUN_WAITING_FOR_INPUT = "WEBHOOK_EVENT_TYPE_RUN_WAITING_FOR_INPUT", 4
    """A run waits for an answer or an approval of a person."""
    DOCUMENT_READY = "WEBHOOK_EVENT_TYPE_DOCUMENT_READY", 5
    """A document, or a new version of it, can be searched."""
    DOCUMENT_FAILED = "WEBHOOK_EVENT_TYPE_DOCUMENT_FAILED", 6
    """A document could not be processed."""
    DOCUMENT_REMOVED = "WEBHOOK_EVENT_TYPE_DOCUMENT_REMOVED", 7
    """A document was removed."""
    SYNC_COMPLETED = "WEBHOOK_EVENT_TYPE_SYNC_COMPLETED", 8
    """A sync of a connector was completed."""
    SYNC_FAILED = "WEBHOOK_EVENT_TYPE_SYNC_FAILED", 9
    """A sync of a connector failed, or needs attention."""
    AUDIT_ENTRY = "WEBHOOK_EVENT_TYPE_AUDIT_ENTRY", 10
    """An entry was written to the audit log. Only for webhooks of the installation."""
    TEST = "WEBHOOK_EVENT_TYPE_TEST", 11
    """A test that somebody asked for. Sent to the one webhook whatever its types; not accepted in its list."""


class WebhookDeliveryStatus(ProtoEnum):
    """What became of a delivery."""

    UNSPECIFIED = "WEBHOOK_DELIVERY_STATUS_UNSPECIFIED", 0
    """Unspecified: in a filter, any."""
    PENDING = "WEBHOOK_DELIVERY_STATUS_PENDING", 1
    """It waits for its first or its next attempt."""
    DELIVERED = "WEBHOOK_DELIVERY_STATUS_DELIVERED", 2
    """The address answered with a status from 200 to 299."""
    FAILED = "WEBHOOK_DELIVERY_STATUS_FAILED", 3
    """All attempts failed; it can be replayed."""
    WITHHELD = "WEBHOOK_DELIVERY_STATUS_WITHHELD", 4
    """It was not sent, as the owner may not read what it is about any more, or is not active."""


class Webhook(ProtoModel):
    """An address to which events are sent by signed requests, as https://www.standardwebhooks.com defines them.

    A webhook of a person receives events of their own runs, and of the documents and syncs of connectors that they own;
    one of the installation of everybody's, and of the audit log. A request names ids and statuses, never content. It is
    sent at least once: receivers recognize a repeated one by its `webhook-id`. A failed delivery is tried 10 times within
    about three days; an address that has failed for 5 days, or answers 410, is disabled.
    """

    __proto__: ClassVar = pb.Webhook
    __enums__: ClassVar = {
        "event_types": WebhookEventType,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    url: Annotated[str, Field(max_length=2048), _r.SET_TEXT] = Field(
        description="Where requests are sent: an address with https:// or http://, without user name and password. Private addresses are refused unless the setting `ECHOMIND_FETCH__ALLOWED_HOSTS` has them; redirects are not followed."
    )
    description: Annotated[str, Field(max_length=255)] = Field(default="", description="What it is for.")
    event_types: Annotated[
        list[Annotated[WebhookEventType, _r.none_of(WebhookEventType.UNSPECIFIED, WebhookEventType.TEST)]],
        Field(max_length=20),
        _r.UNIQUE,
    ] = Field(default_factory=list, description="Types of events that it receives; at least one.")
    is_installation: bool = Field(
        default=False, description="Whether it belongs to the installation, which needs `superadmin`. Immutable."
    )
    is_enabled: bool | None = Field(
        default=None,
        description="Whether events are sent. Those of the time in which it is disabled are not sent later. Default when created: true.",
    )
    disabled_reason: str = Field(
        default="", description="Why it was disabled by the server; empty if it was not. Set by the server."
    )
    failing_since: _t.Timestamp | None = Field(
        default=None,
        description="Since when each delivery has failed; empty if the last one succeeded. Set by the server.",
    )
    previous_secret_until: _t.Timestamp | None = Field(
        default=None,
        description="Until when requests are also signed with the secret from before its last rotation; empty if they are not. Set by the server.",
    )
    user_id: _t.Int32 = Field(
        default=0,
        description="ID of its owner, with whose rights events are sent; of the installation's, the superadmin who last changed it. Set by the server.",
    )
    user_name: str = Field(default="", description="User name of its owner; set by the server.")
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time; set by the server.")

    @classmethod
    def read_pb(cls, message: pb.Webhook) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "url": message.url,
            "description": message.description,
            "event_types": [WebhookEventType.numbers.get(each, each) for each in message.event_types],
            "is_installation": message.is_installation,
            "disabled_reason": message.disabled_reason,
            "user_id": message.user_id,
            "user_name": message.user_name,
        }
        if message.HasField("is_enabled"):
            data["is_enabled"] = message.is_enabled
        if message.HasField("failing_since"):
            data["failing_since"] = message.failing_since.ToDatetime(UTC)
        if message.HasField("previous_secret_until"):
            data["previous_secret_until"] = message.previous_secret_until.ToDatetime(UTC)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.Webhook:
        """Makes a protobuf message."""
        return pb.Webhook(
            id=self.id,
            url=self.url,
            description=self.description,
            event_types=[each.number for each in self.event_types],
            is_installation=self.is_installation,
            is_enabled=self.is_enabled,
            disabled_reason=self.disabled_reason,
            failing_since=self.failing_since,
            previous_secret_until=self.previous_secret_until,
            user_id=self.user_id,
            user_name=self.user_name,
            creation_date=self.creation_date,
        )


class WebhookPatch(PatchModel, Webhook):
    """New values of Webhook: what is not given stays as it is, null resets to the default."""

    url: Annotated[str, Field(max_length=2048), _r.SET_TEXT] = Field(
        default="",
        description="Where requests are sent: an address with https:// or http://, without user name and password. Private addresses are refused unless the setting `ECHOMIND_FETCH__ALLOWED_HOSTS` has them; redirects are not followed.",
    )


class WebhookDelivery(ProtoModel):
    """An event that was, or is to be, sent to a webhook. Kept for 30 days."""

    __proto__: ClassVar = pb.WebhookDelivery
    __enums__: ClassVar = {
        "event_type": WebhookEventType,
        "status": WebhookDeliveryStatus,
    }

    id: _t.Int64 = Field(
        default=0, description="Identifier. The header `webhook-id` is `msg_` with it, also when it is sent again."
    )
    webhook_id: _t.Int32 = Field(default=0, description="ID of the webhook.")
    event_type: WebhookEventType = Field(default=WebhookEventType.UNSPECIFIED, description="What happened.")
    status: WebhookDeliveryStatus = Field(default=WebhookDeliveryStatus.UNSPECIFIED, description="What became of it.")
    attempts: _t.Int32 = Field(default=0, description="Number of attempts since it was first sent or last replayed.")
    response_status: _t.Int32 = Field(default=0, description="HTTP status of the last answer; 0 if there was none.")
    error: str = Field(default="", description="Why the last attempt failed, or why it was withheld; empty otherwise.")
    duration_ms: _t.Int32 = Field(
        default=0, description="Duration of the last attempt in milliseconds; 0 before the first."
    )
    payload: str = Field(
        default="",
        description="The body of the requests that were sent, as JSON; empty before the first one, and where it was withheld.",
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="When the event happened.")
    next_attempt_at: _t.Timestamp | None = Field(
        default=None, description="When the next attempt is due; empty if there is none."
    )
    completed_at: _t.Timestamp | None = Field(
        default=None, description="When it was delivered, given up or withheld; empty before."
    )

    @classmethod
    def read_pb(cls, message: pb.WebhookDelivery) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "webhook_id": message.webhook_id,
            "event_type": WebhookEventType.numbers.get(message.event_type, message.event_type),
            "status": WebhookDeliveryStatus.numbers.get(message.status, message.status),
            "attempts": message.attempts,
            "response_status": message.response_status,
            "error": message.error,
            "duration_ms": message.duration_ms,
            "payload": message.payload,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("next_attempt_at"):
            data["next_attempt_at"] = message.next_attempt_at.ToDatetime(UTC)
        if message.HasField("completed_at"):
            data["completed_at"] = message.completed_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.WebhookDelivery:
        """Makes a protobuf message."""
        return pb.WebhookDelivery(
            id=self.id,
            webhook_id=self.webhook_id,
            event_type=self.event_type.number,
            status=self.status.number,
            attempts=self.attempts,
            response_status=self.response_status,
            error=self.error,
            duration_ms=self.duration_ms,
            payload=self.payload,
            creation_date=self.creation_date,
            next_attempt_at=self.next_attempt_at,
            completed_at=self.completed_at,
        )
