"""The settings' sections. Only `main` modules read the environment; other code receives values as arguments."""

from pathlib import Path
from typing import Annotated, Final, Literal

import platformdirs
from pydantic import BaseModel, Field, SecretStr, StringConstraints, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from echomind_lib.config.media import DescriptionSettings, TranscriptionSettings
from echomind_lib.config.providers import ProviderSettings
from echomind_lib.config.verify import VerifySettings
from echomind_lib.config.web_search import WebSearchSettings

_ORIGINS: Final = r"^(https?://[^\s/?#*@,]+(, *|$))*$"


class PostgresSettings(BaseModel):
    """The database."""

    url: SecretStr = SecretStr("postgresql://echomind@127.0.0.1:5432/echomind")
    """`postgresql://user:password@host:port/database`."""
    pool_size: int = Field(default=10, ge=2, le=500)
    """Maximum connections of a process: a deletion takes two. `echomind up` with its own PostgreSQL: 3 more than
    processors, at most 10."""
    schema_wait_seconds: float = Field(default=0.0, ge=0, le=86_400)
    """Time that a service waits at its start until another process has migrated the database; then it fails."""


class NatsSettings(BaseModel):
    """The message server."""

    url: SecretStr = SecretStr("nats://127.0.0.1:4222")
    """`nats://user:password@host:port`; separate several by commas."""
    replicas: int = Field(default=1, ge=1, le=5)
    """Copies of each stream; 3 for a cluster. Use the same value for all services."""


class QdrantSettings(BaseModel):
    """The vector database."""

    url: str = "http://127.0.0.1:6334"
    """Address of its gRPC port; `https` turns TLS on."""
    api_key: SecretStr | None = None
    """Sent with every call; none if the server requires none."""


class S3Settings(BaseModel):
    """The object store."""

    endpoint: str = "http://127.0.0.1:9000"
    """Address; `https` turns TLS on."""
    access_key: str = ""
    """Name of the key."""
    secret_key: SecretStr = SecretStr("")
    """The key's secret."""
    bucket: str = "echomind"
    """The bucket of all files; created if missing."""
    region: str = "us-east-1"
    """The region for signing requests."""


class EmbeddingSettings(BaseModel):
    """The embedding process."""

    url: str = "127.0.0.1:50061"
    """`host:port` on which it listens and at which the other services reach it."""
    api_key: SecretStr | None = None
    """Sent with every call and required by the embedding process; may be omitted only on a loopback address."""

    @property
    def key(self) -> str | None:
        """Returns the key as text; None if there is none."""
        return self.api_key.get_secret_value() if self.api_key else None

    threads: int = Field(default=1, ge=1, le=64)
    """Threads per model call. One uses the least processor time; more of them speed up large imports."""


DEFAULT_PROVIDER: Final = "default"
"""Name of the provider that the settings describe without a name."""


class AuthSettings(BaseModel):
    """Sign-in."""

    mode: Literal["local"] = "local"
    """`local`: accounts in the database, beside those of `providers`."""
    local_accounts: bool | None = None
    """Whether people sign in with passwords, links and invitations of EchoMind beside providers. Without it,
    superadmins decide under *Administration › Single sign-on*; with it, that setting has no effect."""
    providers: dict[Annotated[str, StringConstraints(pattern="^[a-z][a-z0-9_]{0,39}$")], ProviderSettings] = {}
    """OpenID providers by names of your choice, each with the settings below."""
    issuer: str = ""
    """Issuer of a provider named `default`, with the settings below; empty means none. `providers` takes several, and
    more settings of each."""
    client_id: str = ""
    """Client id of the provider `default`."""
    client_secret: SecretStr = SecretStr("")
    """Its secret."""
    audience: str = ""
    """Audience of its access tokens that programs may send as bearer tokens; empty accepts none. Another one than the
    client id."""
    role_groups: dict[str, Literal["admin", "superadmin"]] = {}
    """Roles by the groups of the provider `default`, as JSON: `{"echomind-admins": "superadmin"}`."""
    cookie_secure: bool = False
    """Whether the session cookie is always restricted to HTTPS; turn it on behind TLS if none of
    `api.trusted_proxies` sends `X-Forwarded-Proto`."""
    directory: Literal["everyone", "groups"] = "everyone"
    """Whom users who are not admins find when they share something: everyone, or people of their groups. Whoever knows
    a user name or e-mail address in full finds that person in either case."""
    audit_days: int = Field(default=400, ge=0, le=36_500)
    """Retention of audit log entries in days; 0 keeps them forever."""

    @field_validator("providers")
    @classmethod
    def _are_different(cls, providers: dict[str, ProviderSettings]) -> dict[str, ProviderSettings]:
        return _with_different_issuers(providers)

    @model_validator(mode="after")
    def _has_default(self) -> "AuthSettings":
        if self.issuer and DEFAULT_PROVIDER not in self.providers:
            default = ProviderSettings(
                issuer=self.issuer,
                client_id=self.client_id,
                client_secret=self.client_secret,
                audience=self.audience,
                roles=self.role_groups,
            )
            self.providers = _with_different_issuers({**self.providers, DEFAULT_PROVIDER: default})
        return self


def _with_different_issuers(providers: dict[str, ProviderSettings]) -> dict[str, ProviderSettings]:
    issuers = [provider.issuer for provider in providers.values()]
    if twice := next((issuer for issuer in issuers if issuers.count(issuer) > 1), None):
        raise ValueError(f"two providers have the issuer {twice}: its people would be the same accounts")
    return providers


class SecretsSettings(BaseModel):
    """Keys that stored secrets are encrypted with."""

    keys: SecretStr = SecretStr("")
    """Fernet keys, separated by commas; the first encrypts, all decrypt. Empty means a key file in the data folder."""


class TelemetrySettings(BaseModel):
    """Logs, traces, metrics."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Minimum severity of log entries."""
    log_format: Literal["json", "console"] = "json"
    """One JSON object per line, or text for a terminal."""
    host: str = "127.0.0.1"
    """Address on which each service's health port listens. In a pod `0.0.0.0`, so that Prometheus and probes reach it:
    it is for operators, so do not expose it through an ingress or load balancer."""
    otlp_endpoint: str = ""
    """OTLP/HTTP address of a collector for all spans, such as `http://collector:4318/v1/traces`; empty means none."""
    headers: SecretStr = SecretStr("")
    """Headers for it, `name=value`, separated by commas."""
    langfuse_url: str = ""
    """Address of Langfuse for the spans of agents, models, tools and searches, and for feedback as scores; empty means
    none."""
    langfuse_public_key: str = ""
    """Public key of its project."""
    langfuse_secret_key: SecretStr = SecretStr("")
    """Secret key of its project."""
    content: bool = False
    """Whether traces contain what people, models and tools write, without secrets. Otherwise only names, sizes, times
    and costs."""
    sample_ratio: float = Field(default=1.0, ge=0.0, le=1.0)
    """Share of the traces that is exported. Use the same value for all processes."""
    environment: str = Field(default="", pattern=r"^[a-z0-9_-]{0,40}$")
    """Name of this installation among several that export to the same place, such as `staging`; lower case."""
    release: str = Field(default="", max_length=200)
    """Release that traces belong to; empty means EchoMind's version."""
    tags: str = ""
    """Tags of all traces, separated by commas."""

    @property
    def has_traces(self) -> bool:
        """Returns whether traces are exported."""
        return bool(self.otlp_endpoint or self.langfuse_url)

    @property
    def parsed_headers(self) -> dict[str, str]:
        """Returns the headers for the collector."""
        pairs = (pair.split("=", 1) for pair in self.headers.get_secret_value().split(",") if "=" in pair)
        return {name.strip(): value for name, value in pairs}

    @property
    def all_tags(self) -> tuple[str, ...]:
        """Returns the tags of all traces."""
        return tuple(filter(None, (tag.strip() for tag in self.tags.split(","))))

    @model_validator(mode="after")
    def _suits_langfuse(self) -> "TelemetrySettings":
        if self.environment.startswith("langfuse"):
            raise ValueError("environment: must not begin with `langfuse`, which Langfuse reserves")
        if self.langfuse_url and not (self.langfuse_public_key and self.langfuse_secret_key.get_secret_value()):
            raise ValueError("langfuse_url: set langfuse_public_key and langfuse_secret_key, too")
        return self


class ApiSettings(BaseModel):
    """The gateway."""

    host: str = "127.0.0.1"
    """Address to listen on."""
    http_port: int = Field(default=8080, ge=0, le=65535)
    """HTTP port."""
    grpc_port: int = Field(default=50051, ge=0, le=65535)
    """gRPC port."""
    health_port: int = Field(default=0, ge=0, le=65535)
    """Port of `/healthz`, `/readyz`, `/metrics` for operators, at the telemetry section's address; 0 means none."""
    max_upload_bytes: int = Field(default=200 * 1024 * 1024, ge=1)
    """Maximum size of an uploaded file."""
    upload_buffer_bytes: int = Field(default=768 * 1024 * 1024, ge=1)
    """Maximum size of all uploads that a process receives at a time, in its memory and temporary folder; one request
    may have half of it. Where it is less than `max_upload_bytes`, that counts instead."""
    max_connections: int = Field(default=10_000, ge=1)
    """Maximum number of concurrent HTTP connections, including WebSockets; the process needs as many open files."""
    max_connections_per_address: int = Field(default=2_500, ge=1)
    """Maximum number per client address; `trusted_proxies` are exempt from it."""
    owner_password: SecretStr = SecretStr("")
    """Password of the account `owner`, of at least 12 characters, stored at a start if it has none yet: for servers
    where nobody can open the sign-in link of the first start."""
    owner_files: bool = True
    """Whether an API key of the owner and a sign-in link are written to the data folder at each start, for commands on
    this machine."""
    guide: bool = True
    """Whether the pages of the guide are stored as documents that everyone may read and are renewed at each start, so
    that a new installation can answer questions about itself. Stored pages stay when it is turned off."""
    plain_models: bool = False
    """Whether everyone may use the chat models as they are, as `llm/NAME` at `/v1`: for titles and other small tasks of
    chat front ends. Their requests are not stored; what they use is counted, also for quotas."""
    unlisted_days: int = Field(default=30, ge=0)
    """Days after which conversations that programs have not asked to store at `/v1` are deleted permanently; 0 keeps
    them."""
    event_days: int = Field(default=0, ge=0, le=36_500)
    """Days after which the events of ended runs are deleted, except the last one of each run; 0 keeps them. Messages,
    steps, tool calls and citations stay."""
    web_dir: Path | None = None
    """Folder of the built web UI; none means the installed one."""
    public_url: str = ""
    """Public address of the gateway, with its path if a proxy serves it under one, such as
    `https://tools.example.org/echomind`; empty means `http://host:http_port`. If it is set, browsers are answered under
    its host, `localhost` and IP addresses only."""
    trusted_proxies: str = ""
    """Proxies in front of the gateway whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted: IP addresses or
    networks such as `10.1.0.0/16`, separated by commas. Empty means none."""
    cors_origins: str = Field(default="", pattern=_ORIGINS)
    """Origins of other sites, such as `https://chat.example.org`, whose pages may call `/v1`, `/api` and `/mcp` with an
    API key, separated by commas; the cookie of a sign-in is never accepted from them. Empty means none."""


class AgentSettings(BaseModel):
    """The agent worker."""

    concurrency: int = Field(default=128, ge=1, le=10_000)
    """Maximum number of concurrent runs per process."""
    runs_per_person: int = Field(default=8, ge=1, le=10_000)
    """Maximum number of concurrent root runs per person, in all processes; others wait. Use the same value for all
    processes."""
    evaluation_concurrency: int = Field(default=2, ge=1, le=1000)
    """Maximum number of questions of evaluations that are answered concurrently, in all processes. They wait while a
    question of a person waits. Use the same value for all processes."""
    idle_minutes: float = Field(default=10.0, ge=0, le=10_000)
    """Minutes without messages in a conversation before memories and knowledge are extracted from it."""
    health_port: int = Field(default=0, ge=0, le=65535)
    """Port of `/healthz`, `/readyz`, `/metrics` for operators, at the telemetry section's address; 0 means none."""


class FetchSettings(BaseModel):
    """Fetching of web pages that people, models and other pages name."""

    allowed_hosts: str = ""
    """Hosts that may be fetched although they are not on the public internet, separated by commas: host names, `*.`
    with a domain, IP addresses, networks such as `10.1.0.0/16`. Link-local and cloud metadata addresses are never
    allowed."""


class McpSettings(BaseModel):
    """MCP servers that are programs, which the agents start. Gateways and agents need the same values."""

    stdio: Literal["off", "listed", "any"] = "listed"
    """Which programs may be started: none; those of `programs`, if the kernel has Landlock to confine them; or any,
    unconfined if there is no Landlock."""
    programs: str = ""
    """Programs that may be started, separated by commas: a name on the agents' PATH or an absolute path, with the
    arguments that the command has to begin with, such as `uvx mcp-server-git, /opt/tools/files-mcp`."""
    folders: str = ""
    """Folders that the programs may write to, separated by commas, in addition to a private temporary folder."""


class IngestorSettings(BaseModel):
    """The ingestor worker."""

    concurrency: int = Field(default=4, ge=1, le=1000)
    """Maximum number of documents processed concurrently per process; uploads that arrive during a sync start beside as
    many of its documents."""
    extract_processes: int = Field(default=1, ge=1, le=64)
    """Number of child processes that extract text from files."""
    health_port: int = Field(default=0, ge=0, le=65535)
    """Port of `/healthz`, `/readyz`, `/metrics` for operators, at the telemetry section's address; 0 means none."""


class ConnectorSettings(BaseModel):
    """Sources that connectors read, and the applications that people sign in through."""

    folders: str = ""
    """Folders of the server that connectors may read, separated by commas; empty means none."""
    google_client_id: str = ""
    """Client id of the OAuth application at Google; empty means that nobody can sign in with Google."""
    google_client_secret: SecretStr = SecretStr("")
    """Its secret."""
    google_accounts_url: str = "https://accounts.google.com"
    """Address of the sign-in page."""
    google_token_url: str = "https://oauth2.googleapis.com/token"  # noqa: S105 - an address
    """Address of the token endpoint."""
    google_revoke_url: str = "https://oauth2.googleapis.com/revoke"
    """Address where tokens are revoked, when somebody disconnects their account."""
    google_api_url: str = "https://www.googleapis.com"
    """Address of Google's APIs (Drive)."""
    google_directory_url: str = "https://admin.googleapis.com"
    """Google's Directory API, for group memberships."""
    microsoft_client_id: str = ""
    """Application id at Microsoft Entra; empty means that nobody can sign in with Microsoft."""
    microsoft_client_secret: SecretStr = SecretStr("")
    """Its secret."""
    microsoft_tenant: str = "organizations"
    """Accounts that may sign in: those of a tenant's ID, or of all tenants with `organizations`."""
    microsoft_login_url: str = "https://login.microsoftonline.com"
    """Address of sign-in and tokens; different in national clouds."""
    microsoft_graph_url: str = "https://graph.microsoft.com"
    """Address of Microsoft Graph; different in national clouds."""

    @property
    def allowed_folders(self) -> tuple[str, ...]:
        """The folders of the server that connectors may read."""
        return tuple(filter(None, (folder.strip() for folder in self.folders.split(","))))


class SearchSettings(BaseModel):
    """Searches in documents. Gateways and agents need the same values."""

    feedback: bool = True
    """Whether votes on passages change their ranking for similar questions."""


class DiskSettings(BaseModel):
    """Room on the disk of one machine; `echomind up` names its data folder here."""

    folder: str = ""
    """A folder on the disk whose free space is monitored; empty means none."""
    reserve_mb: int | None = Field(default=None, ge=0, le=10_000_000)
    """Free space in MiB below which nothing new is stored; none means 512, or a tenth of a smaller disk."""


class Settings(BaseSettings):
    """All sections. A service reads those it needs."""

    model_config = SettingsConfigDict(
        env_prefix="ECHOMIND_",
        env_nested_delimiter="__",
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,  # they contain secrets
    )

    postgres: PostgresSettings = PostgresSettings()
    nats: NatsSettings = NatsSettings()
    qdrant: QdrantSettings = QdrantSettings()
    s3: S3Settings = S3Settings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    auth: AuthSettings = AuthSettings()
    secrets: SecretsSettings = SecretsSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    api: ApiSettings = ApiSettings()
    agent: AgentSettings = AgentSettings()
    ingestor: IngestorSettings = IngestorSettings()
    fetch: FetchSettings = FetchSettings()
    web_search: WebSearchSettings = WebSearchSettings()
    verify: VerifySettings = VerifySettings()
    transcription: TranscriptionSettings = TranscriptionSettings()
    description: DescriptionSettings = DescriptionSettings()
    mcp: McpSettings = McpSettings()
    connectors: ConnectorSettings = ConnectorSettings()
    disk: DiskSettings = DiskSettings()
    search: SearchSettings = SearchSettings()
    data_dir: Path = Path(platformdirs.user_data_dir("echomind"))
    """Folder for local files of a machine: keys, sign-in link. Services store no documents here."""
    start_file: Path | None = None
    """File that a starting process waits for before it connects to servers; none: it connects at once. `echomind up`
    creates it when the servers are ready, so that services load their code meanwhile."""
