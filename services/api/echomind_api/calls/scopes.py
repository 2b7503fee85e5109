"""The scope that an API key needs for each call."""

from collections.abc import Mapping, Sequence
from typing import Final

from google.protobuf.descriptor import MethodDescriptor

from echomind_lib.access.principal import SCOPES, KeyScope
from echomind_lib.contract import CallContext
from echomind_lib.contract.binding import Service, descriptor_of, full_name
from echomind_lib.errors import PermissionDeniedError
from echomind_lib.models.public import ApiKeyScope
from echomind_lib.pb.echomind.public.v1 import required_scope_pb2

HANDWRITTEN: Final[Mapping[str, KeyScope]] = {
    "DocumentService/DownloadDocument": "read",
    "DocumentService/UploadDocuments": "ingest",
    "EmbeddingModelService/Embed": "ask",
    "Health/GetMetrics": "read",
    "Health/GetReadiness": "read",
    "McpService/Serve": "read",
    "SessionShareService/OpenSharedPage": "read",
    "UserService/ExportUser": "manage",
}
"""Of calls of handwritten routes that are no methods of the contract."""


WITHIN_LIMITS: Final = frozenset(
    f"echomind.public.v1.{service}/{method}"
    for service, methods in {
        "ApiKeyService": ("CreateApiKey", "DeleteApiKey", "RotateApiKey"),
        "AssistantService": ("GetAssistant", "ListAssistants"),
        "ChatMessageService": (
            "EditMessage",
            "GetMessage",
            "ListCitations",
            "ListMessages",
            "RegenerateMessage",
            "SendMessage",
            "StreamMessage",
        ),
        "ChatSessionService": (
            "CancelChatSession",
            "CreateChatSession",
            "DeleteChatSession",
            "ExportChatSession",
            "ForkChatSession",
            "GetChatSession",
            "ListChatSessions",
            "PauseChatSession",
            "ResumeChatSession",
        ),
        "ConnectorService": ("GetConnector", "ListConnectors"),
        "DocumentService": (
            "CountDocuments",
            "DeleteDocument",
            "DownloadDocument",
            "GetDocument",
            "GetDocumentText",
            "ListDocumentChunks",
            "ListDocumentFolders",
            "ListDocuments",
            "RetryDocument",
            "UploadDocument",
            "UploadDocuments",
        ),
        "EmbeddingModelService": ("Embed",),
        "McpService": ("Serve",),
        "RunService": (
            "ApproveToolCall",
            "CancelRun",
            "GetRun",
            "GetRunTree",
            "ListRunEvents",
            "ListRuns",
            "ListSteps",
            "PauseRun",
            "ProvideInput",
            "ResumeRun",
            "StreamSessionEvents",
        ),
        "SearchService": ("Search",),
        "SystemService": ("GetAbout",),
        "UserService": ("GetCurrentUser",),
    }.items()
    for method in methods
)
"""The calls of keys with limits: those that check them, or are about nothing that a key is limited to.

Whatever is not listed is refused to such a key."""


def require_open_to_limits(call: CallContext) -> None:
    """Returns if the credential of a call has no limits, or the call checks them.

    Raises:
        PermissionDeniedError: The key has limits, which this call does not check.
    """
    if call.principal.limits is not None and call.method not in WITHIN_LIMITS:
        raise PermissionDeniedError(
            "Keys for some assistants or connectors only may ask, search, and read what is theirs: use a key without "
            "such limits.",
            required="key_without_limits",
        )


def required_scopes(services: Sequence[Service]) -> dict[str, KeyScope]:
    """Returns the scope of every call, by the full name of its method.

    Raises:
        ValueError: A method declares none.
    """
    scopes = {f"echomind.public.v1.{name}": scope for name, scope in HANDWRITTEN.items()}
    for service in services:
        for method in service.__methods__:
            scopes[full_name(service, method)] = required_scope(descriptor_of(service, method))
    return scopes


def required_scope(method: MethodDescriptor) -> KeyScope:
    """Returns the scope that a method declares.

    Raises:
        ValueError: It declares none.
    """
    word = ApiKeyScope.numbers[method.GetOptions().Extensions[required_scope_pb2.required_scope]].word
    for scope in SCOPES:
        if scope == word:
            return scope
    raise ValueError(f"{method.full_name} declares no required_scope")
