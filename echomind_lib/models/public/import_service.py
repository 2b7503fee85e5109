"""

Generated from echomind/public/v1/import_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Method, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.chat_session import ChatSession
from echomind_lib.pb.echomind.public.v1 import import_service_pb2 as pb


class ImportChatSessionRequest(ProtoModel):
    """Request of ImportChatSession."""

    __proto__: ClassVar = pb.ImportChatSessionRequest

    content: Annotated[str, Field(min_length=2, max_length=33000000)] = Field(
        description="The conversation: the JSON object of one conversation, as it is in the export. Over gRPC at most 4 MiB, over HTTP 32 MiB."
    )

    @classmethod
    def read_pb(cls, message: pb.ImportChatSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "content": message.content,
        }
        return data

    def to_pb(self) -> pb.ImportChatSessionRequest:
        """Makes a protobuf message."""
        return pb.ImportChatSessionRequest(
            content=self.content,
        )


class ImportChatSessionResponse(ProtoModel):
    """Response of ImportChatSession and ImportUserChatSession."""

    __proto__: ClassVar = pb.ImportChatSessionResponse

    chat_session: ChatSession | None = Field(
        default=None, description="The session; not set by ImportUserChatSession, as it is another person's."
    )
    is_new: bool = Field(
        default=False, description="Whether it was created by this call; false if it was imported before."
    )
    source: str = Field(
        default="",
        description="The program that the conversation is from: `chatgpt`, `open-webui`, `librechat`, `onyx`, `anythingllm` or `traces`.",
    )
    omitted_parts: _t.Int32 = Field(
        default=0,
        description="Number of parts that were left out, as they are not text: pictures, files, calls of tools and their results, hidden messages. 0 if it was imported before.",
    )
    ratings: _t.Int32 = Field(
        default=0,
        description="Number of ratings that are the feedback of the session's person now. 0 if it was imported before.",
    )
    omitted_ratings: _t.Int32 = Field(
        default=0,
        description="Number of ratings that were left out: others gave them by the file, or they are neither helpful nor unhelpful. 0 if it was imported before.",
    )
    merged_steps: _t.Int32 = Field(
        default=0,
        description="Number of steps of traces that are together in the last step of their run, as a run has at most 10,000; nothing of them is left out. 0 if it was imported before.",
    )
    user_id: _t.Int32 = Field(default=0, description="The account whose session it is.")

    @classmethod
    def read_pb(cls, message: pb.ImportChatSessionResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "is_new": message.is_new,
            "source": message.source,
            "omitted_parts": message.omitted_parts,
            "ratings": message.ratings,
            "omitted_ratings": message.omitted_ratings,
            "merged_steps": message.merged_steps,
            "user_id": message.user_id,
        }
        if message.HasField("chat_session"):
            data["chat_session"] = ChatSession.read_pb(message.chat_session)
        return data

    def to_pb(self) -> pb.ImportChatSessionResponse:
        """Makes a protobuf message."""
        return pb.ImportChatSessionResponse(
            chat_session=None if self.chat_session is None else self.chat_session.to_pb(),
            is_new=self.is_new,
            source=self.source,
            omitted_parts=self.omitted_parts,
            ratings=self.ratings,
            omitted_ratings=self.omitted_ratings,
            merged_steps=self.merged_steps,
            user_id=self.user_id,
        )


class ImportUserChatSessionRequest(ProtoModel):
    """Request of ImportUserChatSession."""

    __proto__: ClassVar = pb.ImportUserChatSessionRequest

    content: Annotated[str, Field(min_length=2, max_length=33000000)] = Field(
        description="The conversation, as in ImportChatSessionRequest."
    )
    email: Annotated[str, Field(min_length=3, max_length=255), _r.NAME] = Field(
        description="The e-mail address of its person, in any case."
    )

    @classmethod
    def read_pb(cls, message: pb.ImportUserChatSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "content": message.content,
            "email": message.email,
        }
        return data

    def to_pb(self) -> pb.ImportUserChatSessionRequest:
        """Makes a protobuf message."""
        return pb.ImportUserChatSessionRequest(
            content=self.content,
            email=self.email,
        )


class ImportService(ABC):
    """Imports of what people have in other programs."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["ImportService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ImportChatSession", "import_chat_session", ImportChatSessionRequest, ImportChatSessionResponse),
        Method(
            "ImportUserChatSession", "import_user_chat_session", ImportUserChatSessionRequest, ImportChatSessionResponse
        ),
    )

    @abstractmethod
    async def import_chat_session(
        self, request: ImportChatSessionRequest, call: CallContext
    ) -> ImportChatSessionResponse:
        """Imports one conversation of an export of ChatGPT, Open WebUI or LibreChat for the caller, with its branches and
        the times of its messages; or one that a client has read of a file of Onyx or AnythingLLM, or of a database of
        traces, whose runs and steps are imported too. Ratings of answers become the caller's, unless the file names
        another person. Its texts are untrusted: the questions have an unknown author, and nothing is learned from them.
        A conversation that the caller has imported before and not removed is left as it is. Errors: VALIDATION_FAILED
        (it is not a conversation of these programs, or has no text), NOT_FOUND (there is no assistant that the caller
        may use).
        """

    @abstractmethod
    async def import_user_chat_session(
        self, request: ImportUserChatSessionRequest, call: CallContext
    ) -> ImportChatSessionResponse:
        """Imports one conversation as ImportChatSession does, for the person whose verified e-mail address is given: so
        whoever moves another program's installation here brings each conversation to its person, who alone has it then.
        Ratings become that person's, unless the file names another one. What the person has removed stays removed. Needs
        `superadmin`; a key needs the scope `administer`; audited. Errors: those of ImportChatSession for that person,
        PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`), NOT_FOUND (metadata `resource`: `user`; no
        active account of a person has the address, or it is not verified).
        """
