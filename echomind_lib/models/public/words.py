"""The values of the enums in requests as the words that people type, generated from the contract.

They are imported without Pydantic and protobuf, because the command line needs them before it knows the command.
"""

from enum import StrEnum


class ApiKeyScope(StrEnum):
    """What an API key may do, within the permissions of its owner. Each method declares the scope that it needs; what a
    scope allows, the others do not, except that `administer` includes `read`, `ask`, `ingest` and `manage`.
    """

    ADMINISTER = "administer"
    READ = "read"
    ASK = "ask"
    INGEST = "ingest"
    MANAGE = "manage"


class McpTransport(StrEnum):
    """Transport of an MCP server."""

    STDIO = "stdio"
    STREAMABLE_HTTP = "streamable_http"


class TeamMode(StrEnum):
    """How an assistant works with its members."""

    COORDINATE = "coordinate"
    ROUTE = "route"
    COLLABORATE = "collaborate"


class ChatMode(StrEnum):
    """Kind of a conversation."""

    CHAT = "chat"
    ONE_SHOT = "one_shot"


class ChatSessionStatus(StrEnum):
    """Status of a session, by its latest run."""

    ACTIVE = "active"
    PAUSED = "paused"
    CANCELLED = "cancelled"
    COMPLETED = "completed"
    FAILED = "failed"
    ERROR = "error"


class ExportFormat(StrEnum):
    """Format of an export."""

    MARKDOWN = "markdown"
    JSON = "json"


class Scope(StrEnum):
    """Who may read the documents of a connector."""

    USER = "user"
    GROUP = "group"
    ORG = "org"


class Role(StrEnum):
    """Role of a user; each role includes the previous one."""

    USER = "user"
    ADMIN = "admin"
    SUPERADMIN = "superadmin"


class AccountKind(StrEnum):
    """Kind of an account."""

    PERSON = "person"
    SERVICE = "service"


class ConnectorType(StrEnum):
    """The kind of source of a connector."""

    TEAMS = "teams"
    GOOGLE_DRIVE = "google_drive"
    ONEDRIVE = "onedrive"
    WEB = "web"
    FILE = "file"
    STORAGE = "storage"


class PermissionMode(StrEnum):
    """Which permissions apply to the documents of a connector."""

    SCOPE = "scope"
    SOURCE = "source"


class DocumentStatus(StrEnum):
    """Status of a document."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "ready"
    FAILED = "failed"


class DocumentKind(StrEnum):
    """Kind of a file, by its MIME type."""

    PDF = "pdf"
    TEXT = "text"
    WEB_PAGE = "web_page"
    WORD = "word"
    SPREADSHEET = "spreadsheet"
    PRESENTATION = "presentation"
    EMAIL = "email"
    IMAGE = "image"
    OTHER = "other"
    ARCHIVE = "archive"


class DocumentSort(StrEnum):
    """Sort order of documents."""

    ADDED = "added"
    TITLE = "title"
    SIZE = "size"


class TextForm(StrEnum):
    """Format of a document's text."""

    PLAIN = "plain"
    MARKDOWN = "markdown"


class EmbeddingProtocol(StrEnum):
    """What the server of an embedding model speaks."""

    OPENAI = "openai"
    TEI = "tei"


class FeedbackSubject(StrEnum):
    """What feedback is about."""

    ANSWER = "answer"
    PASSAGE = "passage"


class EmailTrust(StrEnum):
    """Which e-mail addresses of a provider count as verified."""

    CLAIM = "claim"
    DOMAINS = "domains"
    NEVER = "never"


class KnowledgeLevel(StrEnum):
    """Who can find an entity."""

    PUBLIC = "public"
    ORGANIZATION = "organization"
    INDIVIDUAL = "individual"


class KnowledgeSourceType(StrEnum):
    """Origin of an entity."""

    CONVERSATION = "conversation"
    DOCUMENT = "document"
    MANUAL = "manual"
    ANSWER = "answer"


class KnowledgeOrder(StrEnum):
    """Sort order of entities."""

    NEWEST = "newest"
    MOST_USED = "most_used"
    CONFIDENCE = "confidence"


class LlmProvider(StrEnum):
    """The protocol of a model provider."""

    TGI = "tgi"
    VLLM = "vllm"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    OLLAMA = "ollama"


class MemoryType(StrEnum):
    """Type of a memory."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


class NotebookRole(StrEnum):
    """Role of a member of a notebook; owners can do what editors can, and editors what viewers can."""

    OWNER = "owner"
    EDITOR = "editor"
    VIEWER = "viewer"


class NotebookTemplate(StrEnum):
    """A predefined question to start with in a notebook."""

    SUMMARY = "summary"
    BRIEFING = "briefing"
    COMPARISON = "comparison"
    TABLE = "table"


class Language(StrEnum):
    """Language of the web UI."""

    UNSPECIFIED = "browser"
    EN = "en"
    DE = "de"


class Theme(StrEnum):
    """Color theme of the web UI."""

    UNSPECIFIED = "system"
    LIGHT = "light"
    DARK = "dark"


class Density(StrEnum):
    """Row spacing of the web UI."""

    UNSPECIFIED = "comfortable"
    COMPACT = "compact"


class SendKey(StrEnum):
    """The key that sends a question."""

    UNSPECIFIED = "enter"
    CTRL_ENTER = "ctrl-enter"


class QuotaScope(StrEnum):
    """Whom a quota binds."""

    ORGANIZATION = "organization"
    GROUP = "group"
    MEMBER = "member"
    USER = "user"
    KEY = "key"


class QuotaPeriod(StrEnum):
    """After which time the use begins again at 0, or what is done at a time."""

    DAY = "day"
    MONTH = "month"
    MINUTE = "minute"


class RerankProtocol(StrEnum):
    """What the server of a reranker speaks."""

    COHERE = "cohere"
    JINA = "jina"
    VLLM = "vllm"
    TEI = "tei"


class RetentionData(StrEnum):
    """What is deleted because of its age."""

    CHAT_SESSIONS = "chat_sessions"
    REMOVED_CHAT_SESSIONS = "removed_chat_sessions"
    UNLISTED_CHAT_SESSIONS = "unlisted_chat_sessions"
    RUN_STEPS = "run_steps"
    RUN_EVENTS = "run_events"
    AUDIT_ENTRIES = "audit_entries"
    WEBHOOK_DELIVERIES = "webhook_deliveries"


class RunStatus(StrEnum):
    """Status of a run."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING_FOR_INPUT = "waiting_for_input"
    WAITING_FOR_CHILDREN = "waiting_for_children"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"


class SearchMode(StrEnum):
    """How passages are searched."""

    HYBRID = "hybrid"
    DENSE = "dense"
    LEXICAL = "lexical"


class SetupStepKind(StrEnum):
    """A step of the first-run setup."""

    PROFILE = "profile"
    PASSWORD = "password"
    MODEL = "model"
    DOCUMENTS = "documents"
    QUESTION = "question"


class SourcePersonMapping(StrEnum):
    """How a person of a source is mapped to an account."""

    EMAIL = "email"
    ALIAS = "alias"
    NO_ACCOUNT = "no_account"
    UNVERIFIED = "unverified"
    AMBIGUOUS = "ambiguous"
    ACCOUNT_DELETED = "account_deleted"


class WaitStrategy(StrEnum):
    """Which results a step with several calls waits for; calls that are no longer needed are cancelled. A step with a call
    that has a side effect waits for all of them.
    """

    ALL = "all"
    ANY = "any"
    MAJORITY = "majority"


class LinkSharing(StrEnum):
    """Who can open share links."""

    ANYONE = "anyone"
    SIGNED_IN = "signed-in"
    NOBODY = "nobody"


class TodoStatus(StrEnum):
    """Status of a todo."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"


class UsageGrouping(StrEnum):
    """How usage is grouped."""

    UNSPECIFIED = "day"
    LLM = "model"
    ASSISTANT = "assistant"
    USER = "user"
    DAY_LLM = "day-model"
    KIND = "kind"


class UsageKind(StrEnum):
    """What a model was called for."""

    ANSWER = "answer"
    PLAIN_MODEL = "plain-model"
    TITLE = "title"
    SUMMARY = "summary"
    LEARNING = "learning"
    JUDGEMENT = "judgement"
    EMBEDDING = "embedding"


class AccessKind(StrEnum):
    """What a person has access to."""

    CONNECTOR = "connector"
    DOCUMENT = "document"
    ASSISTANT = "assistant"
    NOTEBOOK = "notebook"
    KNOWLEDGE = "knowledge"


class UserState(StrEnum):
    """State of an account."""

    ACTIVE = "active"
    DEACTIVATED = "deactivated"


class UserOrder(StrEnum):
    """Sort order of accounts."""

    USER_NAME = "user_name"
    EMAIL = "email"
    LAST_LOGIN = "last_login"


class WebhookEventType(StrEnum):
    """Type of an event. In the body of a request the type is written with a dot: `run.completed`."""

    RUN_COMPLETED = "run_completed"
    RUN_FAILED = "run_failed"
    RUN_CANCELLED = "run_cancelled"
    RUN_WAITING_FOR_INPUT = "run_waiting_for_input"
    DOCUMENT_READY = "document_ready"
    DOCUMENT_FAILED = "document_failed"
    DOCUMENT_REMOVED = "document_removed"
    SYNC_COMPLETED = "sync_completed"
    SYNC_FAILED = "sync_failed"
    AUDIT_ENTRY = "audit_entry"
    TEST = "test"


class WebhookDeliveryStatus(StrEnum):
    """What became of a delivery."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    WITHHELD = "withheld"
