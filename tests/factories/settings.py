"""Settings of services in tests."""

from pathlib import Path
from typing import Any

from pydantic import SecretStr

from echomind.local.embedded.nats import NatsServer
from echomind.local.embedded.postgres import PostgresServer
from echomind.local.embedded.process import free_port
from echomind.local.embedded.qdrant import QdrantServer
from echomind.local.embedded.s3 import S3Server
from echomind_lib.config import NatsSettings, PostgresSettings, QdrantSettings, S3Settings, Settings
from echomind_lib.config.settings import EmbeddingSettings
from tests.drivers.servers import database_url

SCRIPT = "export const text = 'a file of the web UI';\n" * 50
"""The script of a gateway's web UI."""


def service_settings(
    name: str,
    folder: Path,
    *,
    postgres: PostgresServer,
    nats: NatsServer,
    qdrant: QdrantServer,
    s3: S3Server,
    **sections: Any,
) -> Settings:
    """Returns settings for real servers.

    Args:
        name: Of what is served: the database is `test_NAME`, the bucket `test-NAME`.
        folder: The data folder is in it.
        postgres, nats, qdrant, s3: The servers.
        sections: Other sections of the settings.
    """
    bucket = S3Settings(
        endpoint=s3.endpoint,
        access_key=s3.access_key,
        secret_key=SecretStr(s3.secret_key),
        bucket=f"test-{name}",
    )
    return Settings(
        postgres=PostgresSettings(url=SecretStr(database_url(postgres, f"test_{name}"))),
        nats=NatsSettings(url=SecretStr(nats.url)),
        qdrant=QdrantSettings(url=qdrant.url, api_key=SecretStr(qdrant.api_key)),
        s3=bucket,
        embedding=EmbeddingSettings(url=f"127.0.0.1:{free_port()}"),
        data_dir=folder / "data",
        **sections,
    )
