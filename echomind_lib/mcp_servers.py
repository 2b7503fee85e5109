"""Servers of the Model Context Protocol as an assistant's `config` keeps them: ProtoJSON with encrypted secrets.

The values of `env` and `headers` may be secrets: they are stored encrypted, only their names are ever shown, and an
empty value that is written stands for the stored one.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from echomind_lib.network.addresses import METADATA_HOSTS, AddressRefusedError, refuse_address
from echomind_lib.secrets import Secrets

SECRET_FIELDS: Final = ("env", "headers")
"""Fields of a server that hold secrets by name."""
CALL_SECONDS: Final = 60
"""Most seconds of one call where the server's `timeoutSeconds` is 0."""


class SecretMissingError(Exception):
    """An empty value was written, and none is stored that it could stand for; `field` says where."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


def refuse_host(host: str) -> None:
    """Lets a host pass where an MCP server may be: any that is not link-local, metadata, multicast or unspecified.

    As for chat models, only superadmins choose it, so private and loopback addresses are allowed. The addresses of a
    name are checked when a connection is opened.

    Raises:
        AddressRefusedError: No MCP server may be there.
    """
    if host.rstrip(".").lower() in METADATA_HOSTS:
        raise AddressRefusedError(f"{host} is a cloud metadata service, where no MCP server may be")
    try:
        refuse_address(host)
    except AddressRefusedError as error:
        raise AddressRefusedError(f"{error}, where no MCP server may be") from None
    except ValueError:
        return  # a name


def check_url(url: str) -> None:
    """Lets the URL of an MCP server pass.

    Raises:
        AddressRefusedError: It leads to where no MCP server may be.
        ValueError: It is not an http:// or https:// URL with a host, or holds credentials; the message says which.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError(f"is not a URL: {error}") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise ValueError("must be an http:// or https:// URL with a host, such as https://tools.example.org/mcp")
    if parts.username is not None or parts.password is not None:
        raise ValueError("holds a user name or password: put credentials into headers")
    if parts.fragment:
        raise ValueError("must have no fragment")
    refuse_host(host)


def encrypt(
    servers: Iterable[dict[str, Any]], stored: Iterable[Mapping[str, Any]], secrets: Secrets
) -> list[dict[str, Any]]:
    """Servers as they are stored.

    Args:
        servers: What was written, in ProtoJSON.
        stored: What is stored so far; a server's secrets are kept by the names of the server and of the value.
        secrets: Encrypts the new values.

    Raises:
        SecretMissingError: An empty value has no stored one.
    """
    known = {server["name"]: server for server in stored}
    encrypted = []
    for place, server in enumerate(servers):
        before = known.get(server["name"], {})
        kept: dict[str, dict[str, str]] = {}
        for field in SECRET_FIELDS:
            kept[field] = {}
            for name, value in server[field].items():
                token = secrets.encrypt(value) if value else before.get(field, {}).get(name)
                if token is None:
                    raise SecretMissingError(f"assistant.config.mcpServers.{place}.{field}.{name}")
                kept[field][name] = token
        encrypted.append({**server, **kept})
    return encrypted


def decrypt(server: Mapping[str, Any], field: str, secrets: Secrets) -> dict[str, str]:
    """The secrets of a stored server, by name.

    Raises:
        SecretUnreadableError: They were encrypted with a key that this process does not have.
    """
    return {name: secrets.decrypt(token) for name, token in (server.get(field) or {}).items()}
