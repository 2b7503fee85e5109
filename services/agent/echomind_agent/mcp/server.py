"""One MCP server of an assistant, with decrypted secrets."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from echomind_lib.assistants.assistant_settings import McpServerSettings
from echomind_lib.assistants.mcp_servers import CALL_SECONDS
from echomind_lib.secrets import Secrets

_SHORT = 4
"""Maximum length of values that are not masked, as they would match everywhere in a text."""
# Other values are settings, such as folders, addresses or `true`; masking them would make servers' messages useless.
_SECRET_NAME = re.compile(
    r"key|token|secret|pass(?:w|phr|_|-|$)|pwd|auth(?!ors?(?:_|-|$))|cred|cookie|signature|private|dsn|pat$",
    re.IGNORECASE,
)
_SECRET_VALUE = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[\w+=-][\w+/=-]{15,}|\w+://[^/\s]*@.*", re.DOTALL)
"""Values that look like secrets: long ones of letters and digits, such as keys, and URLs with a password."""


class NoTokenError(Exception):
    """No access token can be had for a server, which has not got the request, or has refused it."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server: its connection settings and allowed tools."""

    name: str
    command: str
    """The program to start; empty for a server with a URL."""
    args: Sequence[str]
    env: Mapping[str, str] = field(repr=False)
    url: str
    headers: Mapping[str, str] = field(repr=False)
    oauth: Mapping[str, str] = field(repr=False)
    """How EchoMind signs in at it; empty if it does not."""
    allowed_tools: Sequence[str]
    read_only_tools: Sequence[str]
    trusts_hints: bool
    """Whether an administrator trusts the server's annotations of its tools."""
    is_trusted_destination: bool
    """Whether an administrator allows runs that have read untrusted text to send data to it."""
    has_untrusted_descriptions: bool
    """Whether what it says about its tools is untrusted text."""
    call_seconds: float

    @classmethod
    def read(cls, settings: McpServerSettings, secrets: Secrets) -> "Server":
        """Returns the server of stored settings.

        Raises:
            SecretUnreadableError: Its secrets were encrypted with a key that this process does not have.
        """
        return cls(
            name=settings.name,
            command=settings.command,
            args=settings.args,
            env={name: secrets.decrypt(token) for name, token in settings.env.items()},
            url=settings.url,
            headers={name: secrets.decrypt(token) for name, token in settings.headers.items()},
            oauth={name: secrets.decrypt(token) for name, token in settings.oauth.items()},
            allowed_tools=settings.allowed_tools,
            read_only_tools=settings.read_only_tools,
            trusts_hints=settings.trust_read_only_hints,
            is_trusted_destination=settings.trusted_destination,
            has_untrusted_descriptions=settings.untrusted_descriptions,
            call_seconds=float(settings.timeout_seconds or CALL_SECONDS),
        )

    def allows(self, tool: str) -> bool:
        """Returns whether a tool may be called."""
        return _names(self.allowed_tools, tool)

    def only_reads(self, tool: str, *, hint: bool) -> bool:
        """Returns whether a tool is read-only: by the settings, or by the server's hint if that is trusted.

        Args:
            tool: The tool's name at the server.
            hint: Whether the server annotates the tool as read-only.
        """
        return (hint and self.trusts_hints) or _names(self.read_only_tools, tool)

    def masked(self, text: str) -> str:
        """Returns a text without the server's secrets: values with a secret's name, or that look like one."""
        for name, value in (*self.env.items(), *self.headers.items(), *self.oauth.items()):
            # Of `Bearer abc`, a server may reveal `abc` alone.
            for part in (value, value.rpartition(" ")[2]):
                if len(part) >= _SHORT and (_SECRET_NAME.search(name) or _SECRET_VALUE.fullmatch(part)):
                    text = text.replace(part, "***")
        return text


def version_of(settings: McpServerSettings) -> str:
    """Returns a key that identifies a version of a server's settings."""
    return hashlib.sha256(msgspec.json.encode(settings, order="sorted")).hexdigest()


def _names(patterns: Sequence[str], tool: str) -> bool:
    return any(tool.startswith(pattern[:-1]) if pattern.endswith("*") else tool == pattern for pattern in patterns)
