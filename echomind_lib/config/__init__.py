"""Settings of all services, read from the environment once, at the start of a process.

Every name is `ECHOMIND_<SECTION>__<FIELD>`, for example `ECHOMIND_POSTGRES__URL`.
"""

from echomind_lib.config.media import DescriptionSettings, TranscriptionSettings
from echomind_lib.config.settings import (
    AgentSettings,
    ApiSettings,
    AuthSettings,
    ConnectorSettings,
    DiskSettings,
    EmbeddingSettings,
    FetchSettings,
    IngestorSettings,
    McpSettings,
    NatsSettings,
    PostgresSettings,
    QdrantSettings,
    S3Settings,
    SecretsSettings,
    Settings,
    TelemetrySettings,
)
from echomind_lib.config.verify import VerifySettings
from echomind_lib.config.web_search import WebSearchSettings

__all__ = [
    "AgentSettings",
    "ApiSettings",
    "AuthSettings",
    "ConnectorSettings",
    "DescriptionSettings",
    "DiskSettings",
    "EmbeddingSettings",
    "FetchSettings",
    "IngestorSettings",
    "McpSettings",
    "NatsSettings",
    "PostgresSettings",
    "QdrantSettings",
    "S3Settings",
    "SecretsSettings",
    "Settings",
    "TelemetrySettings",
    "TranscriptionSettings",
    "VerifySettings",
    "WebSearchSettings",
]
