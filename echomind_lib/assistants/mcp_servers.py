"""MCP (Model Context Protocol) servers as stored in an assistant's `config`: ProtoJSON with encrypted secrets.

The values of `env`, `headers` and `oauth` may be secrets: they are stored encrypted, only their names are shown, and an
empty value in a write keeps the stored one.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from echomind_lib.network import addresses
from echomind_lib.network.addresses import AddressRefusedError
from echomind_lib.network.origins import same_origin
from echomind_lib.secrets import Secrets

SECRET_FIELDS: Final = ("env", "headers", "oauth")
"""Fields of a server that contain secrets by name."""
OAUTH_NEEDED: Final = ("issuer", "clientId", "clientSecret")
OAUTH_OPTIONAL: Final = ("scope",)
"""What `oauth` has, if it has anything."""
_MOVED: Final = (
    "the stored value was given for another address or program (the scheme, host and port of the URL, the issuer of "
    "`oauth`, or the command with its arguments), and is not sent elsewhere"
)
CALL_SECONDS: Final = 60
"""Time-out of one call if the server's `timeoutSeconds` is 0."""


class SecretMissingError(Exception):
    """An empty value was written, but none is stored.

    Attributes:
        field: The field of the value.
        rule: The rule.
    """

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field} {rule}")
        self.field = field
        self.rule = rule


def refuse_host(host: str) -> None:
    """Raises an error if a host is not allowed for an MCP server: link-local, metadata, multicast or unspecified.

    As for chat models, only superadmins choose it, so private and loopback addresses are allowed. The addresses of a
    name are checked when a connection is opened.

    Raises:
        AddressRefusedError: The address is not allowed for MCP servers.
    """
    try:
        addresses.refuse_host(host)
    except AddressRefusedError as error:
        raise AddressRefusedError(f"{error}, where no MCP server may be") from None


def check_url(url: str) -> None:
    """Raises an error if the URL of an MCP server is not allowed.

    Raises:
        AddressRefusedError: The address is not allowed for MCP servers.
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
    """Returns servers in their stored form.

    Args:
        servers: The servers as written, in ProtoJSON.
        stored: The currently stored servers; secrets are kept by the names of server and value, as long as they are
            sent to the same place.
        secrets: Encrypts the new values.

    Raises:
        SecretMissingError: An empty value has no stored one.
    """
    known = {server["name"]: server for server in stored}
    encrypted = []
    for number, server in enumerate(servers):
        before = known.get(server["name"], {})
        kept: dict[str, dict[str, str]] = {}
        for field in SECRET_FIELDS:
            kept[field] = {}
            for name, value in (server.get(field) or {}).items():
                token = secrets.encrypt(value) if value else before.get(field, {}).get(name)
                where = f"assistant.config.mcpServers.{number}.{field}.{name}"
                if token is None:
                    raise SecretMissingError(where, "is empty, and there is no stored value to keep: give it")
                goes_elsewhere = field == "oauth" and name != "issuer" and server[field].get("issuer")
                if not value and (goes_elsewhere or not _is_same_server(before, server)):
                    raise SecretMissingError(where, f"must be given again: {_MOVED}")
                kept[field][name] = token
        encrypted.append({**server, **kept})
    return encrypted


def with_newest_secrets(
    servers: Iterable[Mapping[str, Any]], newer: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Returns stored servers with secrets from newer ones that are sent to the same place.

    Args:
        servers: The servers, as stored.
        newer: A later configuration; its secrets are used, by the names of the server and of the value.
    """
    later = {server["name"]: server for server in newer}
    merged = []
    for server in servers:
        known = later.get(server["name"])
        kept = known if known is not None and _is_same_server(known, server) else {}
        merged.append(
            {**server}
            | {
                field: {name: (kept.get(field) or {}).get(name, token) for name, token in server[field].items()}
                for field in SECRET_FIELDS
                if server.get(field)
            }
        )
    return merged


def _is_same_server(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Returns whether a server's secrets are still sent to the same host or the same program."""
    if old.get("transport") != new.get("transport"):
        return False
    if new.get("transport") == "MCP_TRANSPORT_STDIO":
        return all((old.get(part) or None) == (new.get(part) or None) for part in ("command", "args"))
    return same_origin(old.get("url") or "", new.get("url") or "")


def decrypt(server: Mapping[str, Any], field: str, secrets: Secrets) -> dict[str, str]:
    """Returns the secrets of a stored server, by name.

    Raises:
        SecretUnreadableError: They were encrypted with a key that this process does not have.
    """
    return {name: secrets.decrypt(token) for name, token in (server.get(field) or {}).items()}
