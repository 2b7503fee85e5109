"""One exception for each reason of the API's catalogue, `src/proto/echomind/public/v1/error_reason.proto`.

The catalogue says when each is raised and which metadata it carries.
"""

from typing import ClassVar, Self

_RETRYABLE = {"UNAVAILABLE", "RESOURCE_EXHAUSTED", "ABORTED"}


class EchoMindError(Exception):
    """An error that is reported to callers.

    Attributes:
        reason: Its name in the catalogue, without prefix.
        code: Name of its canonical status code, as in gRPC.
        retryable: Whether the same call may succeed later.
        message: What happened and what to do, for callers; without addresses, settings or driver messages.
        detail: Details for operators, in the log and for superadmins. No secrets.
        metadata: Details for programs; values are strings.
    """

    reason: ClassVar[str]
    code: ClassVar[str]
    retryable: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        cls.retryable = cls.code in _RETRYABLE

    def __init__(self, message: str, /, *, detail: str = "", **metadata: object) -> None:
        super().__init__(f"{message} {detail}" if detail else message)
        self.message = message
        self.detail = detail
        self.metadata = {key: str(value) for key, value in metadata.items() if value is not None}


class ValidationFailedError(EchoMindError):
    """The request breaks a rule of the contract."""

    reason = "VALIDATION_FAILED"
    code = "INVALID_ARGUMENT"

    @classmethod
    def of(cls, field: str, rule: str) -> Self:
        """Returns the error of a field that breaks a rule, for which both are its metadata.

        Args:
            field: The field's path in the request, as `connector.name`.
            rule: What holds for it, as the end of a sentence about it without a full stop: `must be positive`.
        """
        error = cls(f"{field}: {rule}")
        error.metadata = {field: rule}
        return error


class InvalidPageTokenError(EchoMindError):
    """A page token is damaged or belongs to another query."""

    reason = "INVALID_PAGE_TOKEN"
    code = "INVALID_ARGUMENT"


class UnauthenticatedError(EchoMindError):
    """No credential was sent, or it is not valid."""

    reason = "UNAUTHENTICATED"
    code = "UNAUTHENTICATED"


class PermissionDeniedError(EchoMindError):
    """The caller may see the resource but not do this, or needs a higher role."""

    reason = "PERMISSION_DENIED"
    code = "PERMISSION_DENIED"


class NotFoundError(EchoMindError):
    """The resource does not exist, or the caller may not see it."""

    reason = "NOT_FOUND"
    code = "NOT_FOUND"


class AlreadyExistsError(EchoMindError):
    """A name or key is taken."""

    reason = "ALREADY_EXISTS"
    code = "ALREADY_EXISTS"


class RunActiveError(EchoMindError):
    """The session has a run that is not finished."""

    reason = "RUN_ACTIVE"
    code = "FAILED_PRECONDITION"


class RunStateError(EchoMindError):
    """The run's state does not allow this."""

    reason = "RUN_STATE"
    code = "FAILED_PRECONDITION"


class GroupRequiredError(EchoMindError):
    """A scope of one group needs a group that the caller belongs to."""

    reason = "GROUP_REQUIRED"
    code = "FAILED_PRECONDITION"


class ConnectorTypeUnavailableError(EchoMindError):
    """This kind of connector cannot be created here."""

    reason = "CONNECTOR_TYPE_UNAVAILABLE"
    code = "FAILED_PRECONDITION"


class FileRejectedError(EchoMindError):
    """A file is empty, too large or of a kind that cannot be read."""

    reason = "FILE_REJECTED"
    code = "INVALID_ARGUMENT"


class DocumentNotReadyError(EchoMindError):
    """The document's text is not ready."""

    reason = "DOCUMENT_NOT_READY"
    code = "FAILED_PRECONDITION"


class LlmUnavailableError(EchoMindError):
    """No chat model can answer."""

    reason = "LLM_UNAVAILABLE"
    code = "FAILED_PRECONDITION"


class EndpointRefusedError(EchoMindError):
    """An endpoint's address may not be used."""

    reason = "ENDPOINT_REFUSED"
    code = "INVALID_ARGUMENT"


class DataRejectedError(EchoMindError):
    """A file, a model or a tool returned data that cannot be stored."""

    reason = "DATA_REJECTED"
    code = "INVALID_ARGUMENT"


class OverloadedError(EchoMindError):
    """Too many requests or too much queued work."""

    reason = "OVERLOADED"
    code = "RESOURCE_EXHAUSTED"


class DiskFullError(EchoMindError):
    """A disk has not enough space."""

    reason = "DISK_FULL"
    code = "RESOURCE_EXHAUSTED"


class DependencyUnavailableError(EchoMindError):
    """A part of the system does not respond."""

    reason = "DEPENDENCY_UNAVAILABLE"
    code = "UNAVAILABLE"


class SlowReaderError(EchoMindError):
    """A reader was too slow for a stream."""

    reason = "SLOW_READER"
    code = "ABORTED"


class UnimplementedError(EchoMindError):
    """The call is not available over this transport."""

    reason = "UNIMPLEMENTED"
    code = "UNIMPLEMENTED"


class InternalError(EchoMindError):
    """A fault in EchoMind."""

    reason = "INTERNAL"
    code = "INTERNAL"


class AuthModeError(EchoMindError):
    """The call is not available in this sign-in mode."""

    reason = "AUTH_MODE"
    code = "FAILED_PRECONDITION"


class AssistantUnavailableError(EchoMindError):
    """The assistant of a conversation was removed, or may not be used by the person who asks."""

    reason = "ASSISTANT_UNAVAILABLE"
    code = "FAILED_PRECONDITION"


class AmbiguousInputError(EchoMindError):
    """Several runs of a session wait for an answer, and the request does not say which one it answers."""

    reason = "AMBIGUOUS_INPUT"
    code = "FAILED_PRECONDITION"


class ConnectorStateError(EchoMindError):
    """The state or the type of the connector does not allow this."""

    reason = "CONNECTOR_STATE"
    code = "FAILED_PRECONDITION"


class SignInRefusedError(EchoMindError):
    """A sign-in at a provider was not completed."""

    reason = "SIGN_IN_REFUSED"
    code = "FAILED_PRECONDITION"


class KnowledgeStateError(EchoMindError):
    """The state of a knowledge entity does not allow this."""

    reason = "KNOWLEDGE_STATE"
    code = "FAILED_PRECONDITION"


class EmbeddingModelStateError(EchoMindError):
    """The state of the embedding model does not allow this."""

    reason = "EMBEDDING_MODEL_STATE"
    code = "FAILED_PRECONDITION"


class DeletionHeldError(EchoMindError):
    """It cannot be deleted permanently, because a legal hold keeps it."""

    reason = "DELETION_HELD"
    code = "FAILED_PRECONDITION"


class ChangedSinceReadError(EchoMindError):
    """It was changed since the caller read it, who said so."""

    reason = "CHANGED_SINCE_READ"
    code = "FAILED_PRECONDITION"


BY_REASON = {kind.reason: kind for kind in EchoMindError.__subclasses__()}
