"""

Generated from echomind/public/v1/error_reason.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from echomind_lib.contract import ProtoEnum


class ErrorReason(ProtoEnum):
    """Why a call failed. In gRPC it is `google.rpc.ErrorInfo.reason` without the prefix, with domain
    `echomind`; in HTTP it is `error.reason`. Metadata keys are strings.
    """

    UNSPECIFIED = "ERROR_REASON_UNSPECIFIED", 0
    """Never sent."""
    VALIDATION_FAILED = "ERROR_REASON_VALIDATION_FAILED", 1
    """INVALID_ARGUMENT: the request violates a rule of the contract. Metadata: a key per field, with the violated rule as
    the value.
    """
    INVALID_PAGE_TOKEN = "ERROR_REASON_INVALID_PAGE_TOKEN", 2
    """INVALID_ARGUMENT: a page token is damaged or belongs to another query. Metadata: none."""
    UNAUTHENTICATED = "ERROR_REASON_UNAUTHENTICATED", 3
    """UNAUTHENTICATED: no credential was sent, or it is invalid or expired. Metadata: none."""
    PERMISSION_DENIED = "ERROR_REASON_PERMISSION_DENIED", 4
    """PERMISSION_DENIED: the caller may read the resource but not change it, or the call needs a higher role, a scope of
    the API key or a more recent sign-in. Metadata: `required`.
    """
    NOT_FOUND = "ERROR_REASON_NOT_FOUND", 5
    """NOT_FOUND: the resource does not exist, or the caller may not see it. Metadata: `resource`, `id`."""
    ALREADY_EXISTS = "ERROR_REASON_ALREADY_EXISTS", 6
    """ALREADY_EXISTS: a name or key is in use. Metadata: `resource`, `field`."""
    RUN_ACTIVE = "ERROR_REASON_RUN_ACTIVE", 7
    """FAILED_PRECONDITION: the session has an active run. Metadata: `run_id`."""
    RUN_STATE = "ERROR_REASON_RUN_STATE", 8
    """FAILED_PRECONDITION: the status of the run does not allow the action. Metadata: `run_id`, `status`, `action`."""
    GROUP_REQUIRED = "ERROR_REASON_GROUP_REQUIRED", 9
    """FAILED_PRECONDITION: the scope SCOPE_GROUP needs the name of a group of which the caller is a member. Metadata:
    `groups`.
    """
    CONNECTOR_TYPE_UNAVAILABLE = "ERROR_REASON_CONNECTOR_TYPE_UNAVAILABLE", 10
    """FAILED_PRECONDITION: connectors of this type cannot be created here. Metadata: `type`."""
    FILE_REJECTED = "ERROR_REASON_FILE_REJECTED", 11
    """INVALID_ARGUMENT: a file is empty, too large or of an unsupported type. Metadata: `name`, and `limit` if there is
    one.
    """
    DOCUMENT_NOT_READY = "ERROR_REASON_DOCUMENT_NOT_READY", 12
    """FAILED_PRECONDITION: the document's text is not ready. Metadata: `document_id`, `status`."""
    LLM_UNAVAILABLE = "ERROR_REASON_LLM_UNAVAILABLE", 13
    """FAILED_PRECONDITION: no suitable chat model: the assistant has none and there is no default, or the built-in model
    was asked to summarize or to work towards a goal. It fails runs, and calls that request a summary or set a goal.
    Metadata: `assistant_id`.
    """
    ENDPOINT_REFUSED = "ERROR_REASON_ENDPOINT_REFUSED", 14
    """INVALID_ARGUMENT: the address of an endpoint is not allowed (link-local and metadata addresses). Metadata:
    `endpoint`.
    """
    OVERLOADED = "ERROR_REASON_OVERLOADED", 15
    """RESOURCE_EXHAUSTED: too many requests or too much queued work. Metadata: `retry_after_seconds`."""
    DEPENDENCY_UNAVAILABLE = "ERROR_REASON_DEPENDENCY_UNAVAILABLE", 16
    """UNAVAILABLE: a server that EchoMind depends on does not answer; retry. Metadata: `dependency`."""
    SLOW_READER = "ERROR_REASON_SLOW_READER", 17
    """ABORTED: the reader of a stream was too slow; reconnect with the ID of the last event. Metadata: `after`."""
    UNIMPLEMENTED = "ERROR_REASON_UNIMPLEMENTED", 18
    """UNIMPLEMENTED: the call is not available over this transport. Metadata: none."""
    INTERNAL = "ERROR_REASON_INTERNAL", 19
    """INTERNAL: an error in EchoMind; see its log for the trace ID. Metadata: `trace_id`."""
    AUTH_MODE = "ERROR_REASON_AUTH_MODE", 20
    """FAILED_PRECONDITION: the call does not apply to the sign-in mode (passwords and links exist in local mode only).
    Metadata: `mode`.
    """
    ASSISTANT_UNAVAILABLE = "ERROR_REASON_ASSISTANT_UNAVAILABLE", 21
    """FAILED_PRECONDITION: the assistant of a conversation was deleted or hidden from the caller: choose another one with
    UpdateChatSession. It refuses questions, and fails a run that a worker claims after that. The conversation stays
    readable. Metadata: `chat_session_id`.
    """
    DATA_REJECTED = "ERROR_REASON_DATA_REJECTED", 22
    """INVALID_ARGUMENT: a file, a model or a tool returned data that cannot be stored, such as an invalid character or a
    number out of range. It fails the run or the processing of the document; a retry with the same data fails again.
    Metadata: `sqlstate`.
    """
    DISK_FULL = "ERROR_REASON_DISK_FULL", 23
    """RESOURCE_EXHAUSTED: not enough free disk space to store the data; reads work, and so does this call once there is
    space. Metadata: `disk`, and `free_bytes` and `reserve_bytes` if known.
    """
    AMBIGUOUS_INPUT = "ERROR_REASON_AMBIGUOUS_INPUT", 24
    """FAILED_PRECONDITION: several runs of the session wait for text, so a message to the session is ambiguous: name the
    run, with ProvideInput. Metadata: `chat_session_id`, `run_ids` (comma-separated).
    """
    CONNECTOR_STATE = "ERROR_REASON_CONNECTOR_STATE", 25
    """FAILED_PRECONDITION: the status or type of the connector does not allow the action: it is paused or disabled, has
    no credentials, or is not synced. Metadata: `connector_id`, `status`.
    """
    SIGN_IN_REFUSED = "ERROR_REASON_SIGN_IN_REFUSED", 26
    """FAILED_PRECONDITION: a sign-in at a provider was not completed: consent was denied, it expired, was already used or
    was started in another browser, or the provider refused the code. Start it again. Metadata: `provider` if known.
    """
    KNOWLEDGE_STATE = "ERROR_REASON_KNOWLEDGE_STATE", 27
    """FAILED_PRECONDITION: the state of a knowledge entity does not allow the action: it is not proposed, was changed
    since it was read, is already shared with everyone, or not everyone may read its source documents. Metadata:
    `knowledge_id`, `problem` (`not_proposed`, `proposed`, `changed`, `shared`, `individual`, `restricted_sources`).
    """
    EMBEDDING_MODEL_STATE = "ERROR_REASON_EMBEDDING_MODEL_STATE", 28
    """FAILED_PRECONDITION: the state of an embedding model does not allow the action: it is active, has no index, or
    another one is being filled. Metadata: `embedding_model_id`, `status`.
    """
    DELETION_HELD = "ERROR_REASON_DELETION_HELD", 29
    """FAILED_PRECONDITION: the organization has to keep it, so it cannot be deleted permanently, moved or shared now.
    Metadata: none.
    """
    CHANGED_SINCE_READ = "ERROR_REASON_CHANGED_SINCE_READ", 30
    """FAILED_PRECONDITION: it was changed since the caller read it: read it again. Metadata: `resource`, `id`."""
