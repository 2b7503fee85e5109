"""The dependencies of the gateway's services."""

from dataclasses import dataclass

import aiohttp

from echomind_api.auth.failures import FailedCredentials
from echomind_api.auth.identity_providers import IdentityProviders
from echomind_api.auth.principals import Principals
from echomind_api.calls.upload_space import UploadSpace
from echomind_lib.config import Settings
from echomind_lib.process.disk import DiskSpace
from echomind_lib.retrieval import Retriever
from echomind_lib.runtime import Connections
from echomind_lib.secrets import Secrets


@dataclass(frozen=True, slots=True)
class Dependencies(Connections):
    """Connections and shared objects of one process, created once at start."""

    settings: Settings
    retriever: Retriever
    secrets: Secrets
    principals: Principals
    identity_providers: IdentityProviders
    failures: FailedCredentials
    models: aiohttp.ClientSession
    """For chat models."""
    disk: DiskSpace
    uploads: UploadSpace
