"""The settings' sections. Only `main` modules read the environment; everything else takes values by argument."""

from pathlib import Path
from typing import Literal

import platformdirs
from pydantic import BaseModel, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class PostgresSettings(BaseModel):
    """The database."""

    url: SecretStr = SecretStr("postgresql://echomind@127.0.0.1:5432/echomind")
    """`postgresql://user:password@host:port/database`."""
    pool_size: int = Field(default=10, ge=1, le=500)
    """Maximum connections of a process."""


class NatsSettings(BaseModel):
    """The message server."""

    url: SecretStr = SecretStr("nats://127.0.0.1:4222")
    """`nats://user:password@host:port`; several with commas."""


class QdrantSettings(BaseModel):
    """The vector database."""

    url: str = "http://127.0.0.1:6334"
    """Address of its gRPC port; `https` turns TLS on."""
    api_key: SecretStr | None = None
    """Sent with every call; none means that the server asks for none."""


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
    """The region that requests are signed for."""


class EmbeddingSettings(BaseModel):
    """The embedding process."""

    url: str = "127.0.0.1:50061"
    """`host:port` where it listens and where the others reach it."""
    api_key: SecretStr | None = None
    """Sent with every call, and asked for by the embedding process; none only on an address of this machine alone."""

    @property
    def key(self) -> str | None:
        """The key itself; None when there is none."""
        return self.api_key.get_secret_value() if self.api_key else None

    threads: int = Field(default=1, ge=1, le=64)
    """Threads of a model call. One is the most economical; several shorten a large import."""


class AuthSettings(BaseModel):
    """Sign-in."""

    mode: Literal["local"] = "local"
    """`local`: accounts in the database."""
    cookie_secure: bool = False
    """Whether the session cookie is sent by HTTPS alone, whatever proxies say; turn it on behind TLS where none of
    `api.trusted_proxies` sends `X-Forwarded-Proto`."""
    audit_days: int = Field(default=400, ge=0, le=36_500)
    """Days for which the audit log keeps entries; 0 keeps them forever."""


class SecretsSettings(BaseModel):
    """Keys that stored secrets are encrypted with."""

    keys: SecretStr = SecretStr("")
    """Fernet keys with commas between; the first encrypts, all decrypt. Empty means a file in the data folder."""


class TelemetrySettings(BaseModel):
    """Logs, traces, metrics."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least severe entry that is written."""
    log_format: Literal["json", "console"] = "json"
    """One JSON object a line, or for reading in a terminal."""
    host: str = "127.0.0.1"
    """Address on which each service's health port listens. In a pod `0.0.0.0`, so that Prometheus and probes reach it:
    what it says is for operators, so no ingress or load balancer may lead there."""
    otlp_endpoint: str = ""
    """OTLP/HTTP address for traces; empty disables them."""
    headers: SecretStr = SecretStr("")
    """Headers for it, `name=value` with commas between."""


class ApiSettings(BaseModel):
    """The gateway."""

    host: str = "127.0.0.1"
    """Address to listen on."""
    http_port: int = Field(default=8080, ge=0, le=65535)
    """Port of HTTP."""
    grpc_port: int = Field(default=50051, ge=0, le=65535)
    """Port of gRPC."""
    health_port: int = Field(default=0, ge=0, le=65535)
    """Port of `/healthz`, `/readyz`, `/metrics` for operators, at the telemetry section's address; 0 means none."""
    max_upload_bytes: int = Field(default=200 * 1024 * 1024, ge=1)
    """Largest file that is taken."""
    max_connections: int = Field(default=10_000, ge=1)
    """HTTP connections at the same time, WebSockets included; the process needs as many open files."""
    max_connections_per_address: int = Field(default=2_500, ge=1)
    """As many of one address; those of `trusted_proxies` have no limit of their own."""
    web_dir: Path | None = None
    """Folder of the built web UI; none means the one of the installation."""
    public_url: str = ""
    """Address that people reach the gateway by, with its path when a proxy serves it under one, such as
    `https://tools.example.org/echomind`; empty means `http://host:http_port`."""
    trusted_proxies: str = ""
    """Proxies in front of the gateway whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed, with commas
    between: IP addresses, networks such as `10.1.0.0/16`. Empty means none."""


class AgentSettings(BaseModel):
    """The agent worker."""

    concurrency: int = Field(default=64, ge=1, le=10_000)
    """Runs that one process works on at the same time."""
    runs_per_person: int = Field(default=8, ge=1, le=10_000)
    """Questions of one person that are worked on at the same time, in all processes; more of them wait. Set it alike
    for all."""
    idle_minutes: float = Field(default=10.0, ge=0, le=10_000)
    """Minutes without messages in a conversation before memories and knowledge are extracted from it."""
    health_port: int = Field(default=0, ge=0, le=65535)
    """Port of `/healthz`, `/readyz`, `/metrics` for operators, at the telemetry section's address; 0 means none."""


class FetchSettings(BaseModel):
    """Fetching of web pages that people, models and other pages name."""

    allowed_hosts: str = ""
    """What may be reached although it is not on the public internet, with commas between: host names, `*.` with a
    domain, IP addresses, networks such as `10.1.0.0/16`. Link-local and cloud metadata addresses never may."""


class McpSettings(BaseModel):
    """MCP servers that are programs, which the agents start. Gateways and agents need the same values."""

    stdio: Literal["off", "listed", "any"] = "listed"
    """Which programs may be started: none; those of `programs`, where the kernel has Landlock to confine them; any, and
    without Landlock unconfined."""
    programs: str = ""
    """Programs that may be started, with commas between: a name on the agents' PATH or an absolute path, and arguments
    that it must begin with, such as `uvx mcp-server-git, /opt/tools/files-mcp`."""
    folders: str = ""
    """Folders that the programs may write to, with commas between, beside a temporary one of their own."""


class IngestorSettings(BaseModel):
    """The ingestor worker."""

    concurrency: int = Field(default=4, ge=1, le=1000)
    """Documents that one process works on at the same time."""
    extract_processes: int = Field(default=1, ge=1, le=64)
    """Child processes that read files."""
    health_port: int = Field(default=0, ge=0, le=65535)
    """Port of `/healthz`, `/readyz`, `/metrics` for operators, at the telemetry section's address; 0 means none."""


class ConnectorSettings(BaseModel):
    """Sources that connectors read, and the applications that people sign in through."""

    folders: str = ""
    """Folders of the server that connectors may read, with commas between; empty means none."""
    google_client_id: str = ""
    """Client id of the OAuth application at Google; empty means that nobody can sign in with Google."""
    google_client_secret: SecretStr = SecretStr("")
    """Its secret."""
    google_accounts_url: str = "https://accounts.google.com"
    """Address of the sign-in page."""
    google_token_url: str = "https://oauth2.googleapis.com/token"  # noqa: S105 - an address
    """Address of the token endpoint."""
    google_api_url: str = "https://www.googleapis.com"
    """Google's APIs: Drive."""
    google_directory_url: str = "https://admin.googleapis.com"
    """Google's Directory API, which says who belongs to which group."""
    microsoft_client_id: str = ""
    """Application id at Microsoft Entra; empty means that nobody can sign in with Microsoft."""
    microsoft_client_secret: SecretStr = SecretStr("")
    """Its secret."""
    microsoft_tenant: str = "organizations"
    """Accounts that may sign in: those of a tenant's ID, or of all tenants with `organizations`."""
    microsoft_login_url: str = "https://login.microsoftonline.com"
    """Address of sign-in and tokens; different in national clouds."""
    microsoft_graph_url: str = "https://graph.microsoft.com"
    """Microsoft Graph; another one in national clouds."""

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
    """A folder on the disk that must not become full; empty means that none is watched."""
    reserve_mb: int | None = Field(default=None, ge=0, le=10_000_000)
    """Free space below which nothing new is stored, in MiB; none means 512, or a tenth of a smaller disk."""


class Settings(BaseSettings):
    """All sections. A service reads those it needs."""

    model_config = SettingsConfigDict(env_prefix="ECHOMIND_", env_nested_delimiter="__", extra="ignore", frozen=True)

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
    mcp: McpSettings = McpSettings()
    connectors: ConnectorSettings = ConnectorSettings()
    disk: DiskSettings = DiskSettings()
    search: SearchSettings = SearchSettings()
    data_dir: Path = Path(platformdirs.user_data_dir("echomind"))
    """Folder for what one machine keeps: keys, sign-in link. Services store no documents here."""
