"""

Generated from echomind/public/v1/webhook_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from google.protobuf import field_mask_pb2
from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel, UpdateModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.webhook import Webhook, WebhookDelivery, WebhookDeliveryStatus, WebhookPatch
from echomind_lib.pb.echomind.public.v1 import webhook_service_pb2 as pb


class ListWebhooksRequest(ProtoModel):
    """Request of ListWebhooks."""

    __proto__: ClassVar = pb.ListWebhooksRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    of_installation: bool = Field(default=False, description="Whether to list those of the installation.")

    @classmethod
    def read_pb(cls, message: pb.ListWebhooksRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "of_installation": message.of_installation,
        }
        return data

    def to_pb(self) -> pb.ListWebhooksRequest:
        """Makes a protobuf message."""
        return pb.ListWebhooksRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            of_installation=self.of_installation,
        )


class ListWebhooksResponse(ProtoModel):
    """Response of ListWebhooks."""

    __proto__: ClassVar = pb.ListWebhooksResponse

    webhooks: list[Webhook] = Field(default_factory=list, description="The webhooks, without their secrets.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListWebhooksResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "webhooks": [Webhook.read_pb(each) for each in message.webhooks],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListWebhooksResponse:
        """Makes a protobuf message."""
        return pb.ListWebhooksResponse(
            webhooks=[each.to_pb() for each in self.webhooks],
            next_page_token=self.next_page_token,
        )


class GetWebhookRequest(ProtoModel):
    """Request of GetWebhook."""

    __proto__: ClassVar = pb.GetWebhookRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the webhook.")

    @classmethod
    def read_pb(cls, message: pb.GetWebhookRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetWebhookRequest:
        """Makes a protobuf message."""
        return pb.GetWebhookRequest(
            id=self.id,
        )


class CreateWebhookRequest(ProtoModel):
    """Request of CreateWebhook."""

    __proto__: ClassVar = pb.CreateWebhookRequest

    webhook: Webhook = Field(description="The webhook; `url` and `event_types` are required.")

    @classmethod
    def read_pb(cls, message: pb.CreateWebhookRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("webhook"):
            data["webhook"] = Webhook.read_pb(message.webhook)
        return data

    def to_pb(self) -> pb.CreateWebhookRequest:
        """Makes a protobuf message."""
        return pb.CreateWebhookRequest(
            webhook=None if self.webhook is None else self.webhook.to_pb(),
        )


class CreateWebhookResponse(ProtoModel):
    """Response of CreateWebhook."""

    __proto__: ClassVar = pb.CreateWebhookResponse

    webhook: Webhook | None = Field(default=None, description="The webhook.")
    secret: str = Field(
        default="", description="The secret that signs its requests, `whsec_` and base64; returned only once."
    )

    @classmethod
    def read_pb(cls, message: pb.CreateWebhookResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "secret": message.secret,
        }
        if message.HasField("webhook"):
            data["webhook"] = Webhook.read_pb(message.webhook)
        return data

    def to_pb(self) -> pb.CreateWebhookResponse:
        """Makes a protobuf message."""
        return pb.CreateWebhookResponse(
            webhook=None if self.webhook is None else self.webhook.to_pb(),
            secret=self.secret,
        )


class UpdateWebhookRequest(UpdateModel):
    """Request of UpdateWebhook."""

    __proto__: ClassVar = pb.UpdateWebhookRequest
    __resource__: ClassVar = ("webhook", WebhookPatch)

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the webhook.")
    webhook: WebhookPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "url",
            "description",
            "event_types",
            "is_installation",
            "is_enabled",
            "disabled_reason",
            "failing_since",
            "previous_secret_until",
            "user_id",
            "user_name",
            "creation_date",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateWebhookRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("webhook"):
            data["webhook"] = Webhook.read_pb(message.webhook)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateWebhookRequest:
        """Makes a protobuf message."""
        return pb.UpdateWebhookRequest(
            id=self.id,
            webhook=None if self.webhook is None else self.webhook.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteWebhookRequest(ProtoModel):
    """Request of DeleteWebhook."""

    __proto__: ClassVar = pb.DeleteWebhookRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the webhook.")

    @classmethod
    def read_pb(cls, message: pb.DeleteWebhookRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteWebhookRequest:
        """Makes a protobuf message."""
        return pb.DeleteWebhookRequest(
            id=self.id,
        )


class RotateWebhookSecretRequest(ProtoModel):
    """Request of RotateWebhookSecret."""

    __proto__: ClassVar = pb.RotateWebhookSecretRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the webhook.")
    overlap_seconds: Annotated[_t.Int32, Field(le=604800, ge=0)] = Field(
        default=0,
        description="Seconds for which requests are also signed with the earlier secret, at most 7 days; 0 means not at all.",
    )

    @classmethod
    def read_pb(cls, message: pb.RotateWebhookSecretRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "overlap_seconds": message.overlap_seconds,
        }
        return data

    def to_pb(self) -> pb.RotateWebhookSecretRequest:
        """Makes a protobuf message."""
        return pb.RotateWebhookSecretRequest(
            id=self.id,
            overlap_seconds=self.overlap_seconds,
        )


class RotateWebhookSecretResponse(ProtoModel):
    """Response of RotateWebhookSecret."""

    __proto__: ClassVar = pb.RotateWebhookSecretResponse

    webhook: Webhook | None = Field(default=None, description="The webhook.")
    secret: str = Field(default="", description="The new secret; returned only once.")

    @classmethod
    def read_pb(cls, message: pb.RotateWebhookSecretResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "secret": message.secret,
        }
        if message.HasField("webhook"):
            data["webhook"] = Webhook.read_pb(message.webhook)
        return data

    def to_pb(self) -> pb.RotateWebhookSecretResponse:
        """Makes a protobuf message."""
        return pb.RotateWebhookSecretResponse(
            webhook=None if self.webhook is None else self.webhook.to_pb(),
            secret=self.secret,
        )


class TestWebhookRequest(ProtoModel):
    """Request of TestWebhook."""

    __proto__: ClassVar = pb.TestWebhookRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the webhook.")

    @classmethod
    def read_pb(cls, message: pb.TestWebhookRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.TestWebhookRequest:
        """Makes a protobuf message."""
        return pb.TestWebhookRequest(
            id=self.id,
        )


class ListWebhookDeliveriesRequest(ProtoModel):
    """Request of ListWebhookDeliveries."""

    __proto__: ClassVar = pb.ListWebhookDeliveriesRequest
    __enums__: ClassVar = {
        "status": WebhookDeliveryStatus,
    }

    webhook_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the webhook.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    status: WebhookDeliveryStatus = Field(
        default=WebhookDeliveryStatus.UNSPECIFIED, description="Lists only those with this status; unspecified for all."
    )

    @classmethod
    def read_pb(cls, message: pb.ListWebhookDeliveriesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "webhook_id": message.webhook_id,
            "page_size": message.page_size,
            "page_token": message.page_token,
            "status": WebhookDeliveryStatus.numbers.get(message.status, message.status),
        }
        return data

    def to_pb(self) -> pb.ListWebhookDeliveriesRequest:
        """Makes a protobuf message."""
        return pb.ListWebhookDeliveriesRequest(
            webhook_id=self.webhook_id,
            page_size=self.page_size,
            page_token=self.page_token,
            status=self.status.number,
        )


class ListWebhookDeliveriesResponse(ProtoModel):
    """Response of ListWebhookDeliveries."""

    __proto__: ClassVar = pb.ListWebhookDeliveriesResponse

    deliveries: list[WebhookDelivery] = Field(default_factory=list, description="The deliveries, newest first.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListWebhookDeliveriesResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "deliveries": [WebhookDelivery.read_pb(each) for each in message.deliveries],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListWebhookDeliveriesResponse:
        """Makes a protobuf message."""
        return pb.ListWebhookDeliveriesResponse(
            deliveries=[each.to_pb() for each in self.deliveries],
            next_page_token=self.next_page_token,
        )


class ReplayWebhookDeliveryRequest(ProtoModel):
    """Request of ReplayWebhookDelivery."""

    __proto__: ClassVar = pb.ReplayWebhookDeliveryRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the delivery.")

    @classmethod
    def read_pb(cls, message: pb.ReplayWebhookDeliveryRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.ReplayWebhookDeliveryRequest:
        """Makes a protobuf message."""
        return pb.ReplayWebhookDeliveryRequest(
            id=self.id,
        )


class WebhookService(ABC):
    """Webhooks of the caller, and for superadmins those of the installation. A key needs the scope `administer` to change
    the latter.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["WebhookService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListWebhooks", "list_webhooks", ListWebhooksRequest, ListWebhooksResponse),
        Method("GetWebhook", "get_webhook", GetWebhookRequest, Webhook),
        Method("CreateWebhook", "create_webhook", CreateWebhookRequest, CreateWebhookResponse),
        Method("UpdateWebhook", "update_webhook", UpdateWebhookRequest, Webhook),
        Method("DeleteWebhook", "delete_webhook", DeleteWebhookRequest, Empty),
        Method("RotateWebhookSecret", "rotate_webhook_secret", RotateWebhookSecretRequest, RotateWebhookSecretResponse),
        Method("TestWebhook", "test_webhook", TestWebhookRequest, WebhookDelivery),
        Method(
            "ListWebhookDeliveries",
            "list_webhook_deliveries",
            ListWebhookDeliveriesRequest,
            ListWebhookDeliveriesResponse,
        ),
        Method("ReplayWebhookDelivery", "replay_webhook_delivery", ReplayWebhookDeliveryRequest, WebhookDelivery),
    )

    @abstractmethod
    async def list_webhooks(self, request: ListWebhooksRequest, call: CallContext) -> ListWebhooksResponse:
        """Lists webhooks, oldest first: the caller's own, or those of the installation. Errors: PERMISSION_DENIED (of the
        installation, without `superadmin`).
        """

    @abstractmethod
    async def get_webhook(self, request: GetWebhookRequest, call: CallContext) -> Webhook:
        """Reads a webhook. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_webhook(self, request: CreateWebhookRequest, call: CallContext) -> CreateWebhookResponse:
        """Creates a webhook. The secret is returned by this call only. A person has at most 20, and so has the installation.
        Errors: PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`, `lasting_credential`), VALIDATION_FAILED
        (an address that is refused, no type, audit entries for a person, too many).
        """

    @abstractmethod
    async def update_webhook(self, request: UpdateWebhookRequest, call: CallContext) -> Webhook:
        """Updates a webhook. Enabling it sends what is pending at once. Errors: NOT_FOUND, PERMISSION_DENIED, VALIDATION_FAILED,
        as CreateWebhook.
        """

    @abstractmethod
    async def delete_webhook(self, request: DeleteWebhookRequest, call: CallContext) -> Empty:
        """Deletes a webhook with its deliveries. Errors: NOT_FOUND, PERMISSION_DENIED."""

    @abstractmethod
    async def rotate_webhook_secret(
        self, request: RotateWebhookSecretRequest, call: CallContext
    ) -> RotateWebhookSecretResponse:
        """Gives a webhook another secret, which is returned by this call only. Until the overlap is over, requests carry the
        signatures of both. Errors: NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def test_webhook(self, request: TestWebhookRequest, call: CallContext) -> WebhookDelivery:
        """Sends an event of the type `test` to a webhook; returns the delivery, which is sent in the background. Errors:
        NOT_FOUND, PERMISSION_DENIED, VALIDATION_FAILED (the webhook is disabled).
        """

    @abstractmethod
    async def list_webhook_deliveries(
        self, request: ListWebhookDeliveriesRequest, call: CallContext
    ) -> ListWebhookDeliveriesResponse:
        """Lists the deliveries of a webhook, newest first. Errors: NOT_FOUND."""

    @abstractmethod
    async def replay_webhook_delivery(
        self, request: ReplayWebhookDeliveryRequest, call: CallContext
    ) -> WebhookDelivery:
        """Sends a delivery again, with the same `webhook-id`, whatever became of it. Errors: NOT_FOUND, PERMISSION_DENIED,
        VALIDATION_FAILED (the webhook is disabled).
        """
