"""Access to a store through OpenDAL, with the credentials of the connector only.

OpenDAL has its own HTTP client and name resolution. So an address is only checked here before use, but not what its
name resolves to later, nor redirects: only superadmins configure stores.
"""

import asyncio
import socket
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Final

import opendal
from opendal import exceptions
from opendal.layers import TimeoutLayer
from opendal.types import Entry
from yarl import URL

from echomind_ingestor.connectors import protocol
from echomind_lib.connectors.types.storage import StorageCredentials, StorageSettings
from echomind_lib.network.addresses import (
    METADATA_HOSTS,
    AddressRefusedError,
    refuse_address,
    refuse_non_public_address,
)
from echomind_lib.network.fetching import AllowedHosts

_SCHEMES: Final = {"s3": "s3", "gcs": "gcs", "azure": "azblob", "webdav": "webdav"}
_SECONDS: Final = 30.0
"""Time-out of one request."""
FAILURES: Final = (
    exceptions.Error,
    exceptions.Unexpected,
    exceptions.Unsupported,
    exceptions.ConfigInvalid,
    exceptions.NotFound,
    exceptions.PermissionDenied,
    exceptions.IsADirectory,
    exceptions.NotADirectory,
    exceptions.RateLimited,
    exceptions.ConditionNotMatch,
    exceptions.RangeNotSatisfied,
    OSError,
)
"""Exceptions of OpenDAL, which have no common base class; failures while reading are OSErrors."""


async def check_endpoint(endpoint: str, allowed: AllowedHosts) -> None:
    """Checks the address of a store: its host's addresses must be public, or allowed by an administrator.

    Raises:
        SourceUnavailableError: The host cannot be resolved now.
        SourceError: It may not be reached.
    """
    if not endpoint:
        return
    url = URL(endpoint)
    host = (url.host or "").rstrip(".").lower()
    if host in METADATA_HOSTS:
        raise protocol.SourceError(f"{host} is a cloud metadata service: it must not be reached.")
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, url.port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise protocol.SourceUnavailableError(f"{host} cannot be found: check the address.") from error
    for *_, socket_address in found:
        address = str(socket_address[0])
        try:
            refuse_address(address)
            if not allowed.has_host(host) and not allowed.has_address(address):
                refuse_non_public_address(address)
        except AddressRefusedError as error:
            raise protocol.SourceError(
                f"{host} must not be reached: it has an address that is not on the public internet. A superadmin may "
                "allow private ones by ECHOMIND_FETCH__ALLOWED_HOSTS."
            ) from error


def open_store(settings: StorageSettings, credentials: StorageCredentials | None) -> opendal.AsyncOperator:
    """Returns the store. It uses neither the environment nor metadata services for credentials.

    Raises:
        SourceError: The settings or credentials are not valid.
    """
    options = _options(settings, credentials or StorageCredentials())
    try:
        store = opendal.AsyncOperator(_SCHEMES[settings.service], **options)
    except exceptions.ConfigInvalid as error:
        raise protocol.SourceError("The store's settings or credentials are not valid: check each of them.") from error
    # No RetryLayer: with it, a recursive listing of a server that is down is empty.
    return store.layer(TimeoutLayer(timeout=_SECONDS, io_timeout=_SECONDS))


async def list_files(store: opendal.AsyncOperator, prefix: str, after: str | None) -> AsyncIterator[Entry]:
    """Yields the files below a path.

    Args:
        store: The store.
        prefix: The path, with a trailing `/`; empty for all.
        after: The last known path, if the store can list from a path.

    Raises:
        Exception: One of `FAILURES`: it cannot be listed, or not completely.
    """
    if store.capability().list_with_recursive:
        async for entry in await store.list(prefix, recursive=True, start_after=after):
            if _is_file(entry):
                yield entry
        return
    folders = [prefix]
    while folders:
        folder = folders.pop()
        async for entry in await store.list(folder):
            if _is_file(entry):
                yield entry
            elif entry.path.startswith(folder) and entry.path.strip("/") != folder.strip("/"):  # not the folder itself
                folders.append(entry.path)


def _is_file(entry: Entry) -> bool:
    return not entry.path.endswith("/") and not entry.metadata.is_dir


def _options(settings: StorageSettings, given: StorageCredentials) -> dict[str, str]:
    options: dict[str, str] = {}
    if settings.endpoint:
        options["endpoint"] = settings.endpoint.rstrip("/")
    match settings.service:
        case "s3":
            options |= {
                "bucket": settings.bucket,
                "region": settings.region or "us-east-1",
                "disable_config_load": "true",
                "disable_ec2_metadata": "true",
            }
            if given.s3 is None:
                options["skip_signature"] = "true"
            else:
                options |= {"access_key_id": given.s3.access_key, "secret_access_key": given.s3.secret_key}
        case "gcs":
            options |= {"bucket": settings.bucket, "disable_config_load": "true", "disable_vm_metadata": "true"}
            if given.gcs is None:
                options["skip_signature"] = "true"
            else:
                options["credential"] = b64encode(given.gcs.service_account.encode()).decode()
        case "azure":
            assert given.azure is not None, "check_access"
            options |= {"container": settings.bucket, "account_name": given.azure.account_name}
            options |= {"account_key": given.azure.account_key} if given.azure.account_key else {}
            options |= {"sas_token": given.azure.sas_token} if given.azure.sas_token else {}
        case "webdav":
            if given.webdav is not None:
                options |= {"username": given.webdav.username, "password": given.webdav.password}
    return options


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Converts failures of requests; without the store's message, which may contain a signature.

    Raises:
        SourceError: The request failed.
    """
    try:
        yield
    except exceptions.PermissionDenied as error:
        raise protocol.CredentialsRejectedError(
            f"{name} refuses the credentials, or they may not list and read it: grant that, or connect it again."
        ) from error
    except exceptions.RateLimited as error:
        raise protocol.SourceUnavailableError(f"{name} limits the rate of requests.") from error
    except (exceptions.NotFound, exceptions.ConfigInvalid) as error:
        raise protocol.SourceError(f"{name} was not found: check its name, the folder and the address.") from error
    except FAILURES as error:
        if "status: 401" in str(error):  # OpenDAL has no error class for WebDAV's 401
            raise protocol.CredentialsRejectedError(f"{name} refuses the credentials: connect it again.") from error
        raise protocol.SourceUnavailableError(
            f"{name} does not answer as it should: check the address and region."
        ) from error
