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
    """INVALID_ARGUMENT: the request breaks a rule of the contract. Metadata: one key a field, its value the rule."""
    INVALID_PAGE_TOKEN = "ERROR_REASON_INVALID_PAGE_TOKEN", 2
    """INVALID_ARGUMENT: a page token is damaged or belongs to another query. Metadata: none."""
    UNAUTHENTICATED = "ERROR_REASON_UNAUTHENTICATED", 3
    """UNAUTHENTICATED: no credential was sent, or it is not valid (any more). Metadata: none."""
    PERMISSION_DENIED = "ERROR_REASON_PERMISSION_DENIED", 4
    """PERMISSION_DENIED: the resource may be read but not changed, or the call needs a higher role, a scope of the API key
    or another proof of who calls. Metadata: `required`.
    """
    NOT_FOUND = "ERROR_REASON_NOT_FOUND", 5
    """NOT_FOUND: there is no such resource, or the caller may not see it. Metadata: `resource`, `id`."""
    ALREADY_EXISTS = "ERROR_REASON_ALREADY_EXISTS", 6
    """ALREADY_EXISTS: a name or key is taken. Metadata: `resource`, `field`."""
    RUN_ACTIVE = "ERROR_REASON_RUN_ACTIVE", 7
    """FAILED_PRECONDITION: the session has a run that is not finished. Metadata: `run_id`."""
    RUN_STATE = "ERROR_REASON_RUN_STATE", 8
    """FAILED_PRECONDITION: the run's state does not allow this. Metadata: `run_id`, `status`, `action`."""
    GROUP_REQUIRED = "ERROR_REASON_GROUP_REQUIRED", 9
    """FAILED_PRECONDITION: a scope of one group needs the group's name, and the caller must be its member. Metadata: `groups`."""
    CONNECTOR_TYPE_UNAVAILABLE = "ERROR_REASON_CONNECTOR_TYPE_UNAVAILABLE", 10
    """FAILED_PRECONDITION: this kind of connector cannot be created here. Metadata: `type`."""
    FILE_REJECTED = "ERROR_REASON_FILE_REJECTED", 11
    """INVALID_ARGUMENT: a file is empty, too large or of a kind that cannot be read. Metadata: `name`, `limit` where there is one."""
    DOCUMENT_NOT_READY = "ERROR_REASON_DOCUMENT_NOT_READY", 12
    """FAILED_PRECONDITION: the document's text is not ready. Metadata: `document_id`, `status`."""
    LLM_UNAVAILABLE = "ERROR_REASON_LLM_UNAVAILABLE", 13
    """FAILED_PRECONDITION: no chat model can do it: the assistant names none and there is no default, or the built-in one
    was to summarize or to work towards a goal. It ends a run, and refuses a call for a summary or a goal. Metadata:
    `assistant_id`.
    """
    ENDPOINT_REFUSED = "ERROR_REASON_ENDPOINT_REFUSED", 14
    """INVALID_ARGUMENT: an endpoint's address may not be used (link-local and metadata addresses). Metadata: `endpoint`."""
    OVERLOADED = "ERROR_REASON_OVERLOADED", 15
    """RESOURCE_EXHAUSTED: too many requests or too much queued work. Metadata: `retry_after_seconds`."""
    DEPENDENCY_UNAVAILABLE = "ERROR_REASON_DEPENDENCY_UNAVAILABLE", 16
    """UNAVAILABLE: a part of the system does not answer; try again. Metadata: `dependency`."""
    SLOW_READER = "ERROR_REASON_SLOW_READER", 17
    """ABORTED: a reader was too slow for a stream; reconnect with the last event's id. Metadata: `after`."""
    UNIMPLEMENTED = "ERROR_REASON_UNIMPLEMENTED", 18
    """UNIMPLEMENTED: the call exists but not by this transport. Metadata: none."""
    INTERNAL = "ERROR_REASON_INTERNAL", 19
    """INTERNAL: a fault in EchoMind; the log has it under the trace id. Metadata: `trace_id`."""
    AUTH_MODE = "ERROR_REASON_AUTH_MODE", 20
    """FAILED_PRECONDITION: the call does not fit the sign-in mode (passwords and links exist in local mode only). Metadata: `mode`."""
    ASSISTANT_UNAVAILABLE = "ERROR_REASON_ASSISTANT_UNAVAILABLE", 21
    """FAILED_PRECONDITION: the assistant of a conversation was removed or hidden from the person who asks: choose another
    one for the conversation, with UpdateChatSession. It refuses questions, and ends a run that a worker takes after
    that. The conversation stays readable. Metadata: `chat_session_id`.
    """
    DATA_REJECTED = "ERROR_REASON_DATA_REJECTED", 22
    """INVALID_ARGUMENT: a file, a model or a tool gave something that cannot be stored, such as a character or a number
    that the database refuses. It ends a run or the processing of a document; the same data fails again. Metadata:
    `sqlstate`.
    """
    DISK_FULL = "ERROR_REASON_DISK_FULL", 23
    """RESOURCE_EXHAUSTED: a disk has no room for what would be stored; reading works, and so does the call once there is
    room. Metadata: `disk`, `free_bytes` and `reserve_bytes` where they are known.
    """
    AMBIGUOUS_INPUT = "ERROR_REASON_AMBIGUOUS_INPUT", 24
    """FAILED_PRECONDITION: several runs of the session wait for an answer, so a text for the session answers none of them:
    name the run, with ProvideInput. Metadata: `chat_session_id`, `run_ids` (separated by commas).
    """
    CONNECTOR_STATE = "ERROR_REASON_CONNECTOR_STATE", 25
    """FAILED_PRECONDITION: the connector's state or type does not allow this: it is paused or disabled, has no credentials,
    or is not synced. Metadata: `connector_id`, `status`.
    """
    SIGN_IN_REFUSED = "ERROR_REASON_SIGN_IN_REFUSED", 26
    """FAILED_PRECONDITION: a sign-in at a provider was not completed: consent was denied, it has expired, was used before or
    was begun in another browser, or the provider refused the code. Begin it again. Metadata: `provider` where it is known.
    """
    KNOWLEDGE_STATE = "ERROR_REASON_KNOWLEDGE_STATE", 27
    """FAILED_PRECONDITION: the state of a knowledge entity does not allow this: it is not proposed, was changed since it was
    read, belongs to everybody already, or not everybody may read the documents that it was drawn from. Metadata:
    `knowledge_id`, `problem` (`not_proposed`, `proposed`, `changed`, `shared`, `individual`, `restricted_sources`).
    """
