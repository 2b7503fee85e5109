"""

Generated from echomind/public/v1/web_session_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.web_session import WebSession
from echomind_lib.pb.echomind.public.v1 import web_session_service_pb2 as pb


class ListWebSessionsRequest(ProtoModel):
    """Request of ListWebSessions."""

    __proto__: ClassVar = pb.ListWebSessionsRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListWebSessionsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListWebSessionsRequest:
        """Makes a protobuf message."""
        return pb.ListWebSessionsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListWebSessionsResponse(ProtoModel):
    """Response of ListWebSessions."""

    __proto__: ClassVar = pb.ListWebSessionsResponse

    web_sessions: list[WebSession] = Field(default_factory=list, description="The sessions, newest first.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListWebSessionsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "web_sessions": [WebSession.read_pb(each) for each in message.web_sessions],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListWebSessionsResponse:
        """Makes a protobuf message."""
        return pb.ListWebSessionsResponse(
            web_sessions=[each.to_pb() for each in self.web_sessions],
            next_page_token=self.next_page_token,
        )


class DeleteWebSessionRequest(ProtoModel):
    """Request of DeleteWebSession."""

    __proto__: ClassVar = pb.DeleteWebSessionRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the session.")

    @classmethod
    def read_pb(cls, message: pb.DeleteWebSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteWebSessionRequest:
        """Makes a protobuf message."""
        return pb.DeleteWebSessionRequest(
            id=self.id,
        )


class WebSessionService(ABC):
    """Web sessions: the browsers in which the caller is signed in."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["WebSessionService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListWebSessions", "list_web_sessions", ListWebSessionsRequest, ListWebSessionsResponse),
        Method("DeleteWebSession", "delete_web_session", DeleteWebSessionRequest, Empty),
        Method("DeleteOtherWebSessions", "delete_other_web_sessions", Empty, Empty),
    )

    @abstractmethod
    async def list_web_sessions(self, request: ListWebSessionsRequest, call: CallContext) -> ListWebSessionsResponse:
        """Lists the caller's web sessions, newest first."""

    @abstractmethod
    async def delete_web_session(self, request: DeleteWebSessionRequest, call: CallContext) -> Empty:
        """Signs out one of the caller's browsers. A key needs the scope `administer`. Errors: NOT_FOUND, PERMISSION_DENIED
        (metadata `required`: `administer`).
        """

    @abstractmethod
    async def delete_other_web_sessions(self, request: Empty, call: CallContext) -> Empty:
        """Signs out all of the caller's browsers except that of this call, and ends all sign-in links of the caller. A key
        needs the scope `administer`. Errors: PERMISSION_DENIED (metadata `required`: `administer`).
        """
