"""Shell completion of names and ids from the server; `echomind --install-completion` sets it up."""

import asyncio
import os
import re
import unicodedata
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from echomind.cli import nouns
from echomind.cli.api import locate
from echomind.cli.profiles import read_profiles
from echomind.cli.rendering import one_line
from echomind.cli.terminal import CommandError

if TYPE_CHECKING:
    from echomind_lib.contract.client import Client

_SECONDS = 1.5
"""How long the shell waits for the server; then nothing is offered."""
_LIMIT = 200
_HELP_CHARACTERS = 60
_SPECIAL = re.compile(r"([^\w@%+=:,./-])")
_PLAIN = frozenset(" _@%+=:,./()-–—…")
"""Characters beside letters, marks and digits that mean nothing in any shell's quotes, nor in typer's markup."""
_POWERSHELL = ("powershell", "pwsh")
_BARE = re.compile(r"[\w./:=+-]+")
"""What PowerShell takes as it is without quotes."""
_SINGLE_QUOTES = re.compile("(['\u2018\u2019\u201a\u201b])")
"""What PowerShell takes for the end of a quoted string:
https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_quoting_rules."""

Values = Iterable[tuple[str, str]]
"""Completions, each with its description."""


def completion(fetch: "Callable[[Client], Awaitable[Values]]") -> Callable[[typer.Context, str], list[tuple[str, str]]]:
    """Returns an `autocompletion` with values from the server; none if it does not respond.

    What the server returns is other people's text, and shells evaluate what they are given: zsh runs `$(...)` in a
    title. So descriptions lose all that a shell could act on, and values that a shell would change are left out.

    Args:
        fetch: Requests the values from the server.
    """

    def complete(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
        shell = os.environ.get("_ECHOMIND_COMPLETE", "").removeprefix("complete_")
        return [
            (_quoted(value, shell), one_line(_harmless(about), _HELP_CHARACTERS))
            for value, about in asyncio.run(_ask(fetch, ctx.params))
            if value.startswith(incomplete) and _may_offer(value, shell)
        ]

    return complete


def _may_offer(value: str, shell: str) -> bool:
    """Returns whether a shell inserts a value as it is: one line, no option, nothing that typer's script acts on."""
    if value.startswith("-") or not value.isprintable():
        return False
    if shell == "zsh":
        return value == _harmless(value)
    return shell not in _POWERSHELL or ":::" not in value  # what stands between a value and its description


def _quoted(value: str, shell: str) -> str:
    """Returns a value as it stands on the line, for the shells that do not quote it themselves."""
    if shell == "bash":
        return _SPECIAL.sub(r"\\\1", value)
    if shell in _POWERSHELL and not _BARE.fullmatch(value):
        return "'" + _SINGLE_QUOTES.sub(r"\1\1", value) + "'"
    return value


def _harmless(text: str) -> str:
    """Returns a text with a space for each character that a shell or a terminal could act on."""
    return "".join(each if each in _PLAIN or unicodedata.category(each)[0] in "LMN" else " " for each in text)


async def _ask(fetch: "Callable[[Client], Awaitable[Values]]", options: dict[str, Any]) -> Values:
    import aiohttp

    from echomind_lib.contract.call_errors import CallError
    from echomind_lib.contract.client import Client
    from echomind_lib.contract.rest_client import RestTransport
    from echomind_lib.errors import EchoMindError

    folder = options.get("data_dir") or os.environ.get("ECHOMIND_DATA_DIR")
    url, key = (options.get(name) or os.environ.get(f"ECHOMIND_{name.upper()}", "") for name in ("url", "api_key"))
    try:
        target = locate(url, key, Path(folder) if folder else None, read_profiles())
        headers = {"Authorization": f"Bearer {target.api_key}"} if target.api_key else {}
        async with asyncio.timeout(_SECONDS), aiohttp.ClientSession() as session:
            return list(await fetch(Client(RestTransport(target.url, session, headers))))
    except (EchoMindError, CallError, CommandError, TimeoutError):
        return []


async def _profiles(_: "Client") -> Values:
    return ((address, profile.user_name) for address, profile in read_profiles().by_address.items())


def _of(noun: nouns.Noun[Any]) -> Callable[[typer.Context, str], list[tuple[str, str]]]:
    return completion(lambda client: noun.completions(client, _LIMIT))


assistants = _of(nouns.ASSISTANTS)
connector_types = _of(nouns.CONNECTOR_TYPES)
connectors = _of(nouns.CONNECTORS)
connected_accounts = _of(nouns.CONNECTED_ACCOUNTS)
dead_letters = _of(nouns.DEAD_LETTERS)
devices = _of(nouns.DEVICES)
documents = _of(nouns.DOCUMENTS)
groups = _of(nouns.GROUPS)
identity_providers = _of(nouns.IDENTITY_PROVIDERS)
scim_clients = _of(nouns.SCIM_CLIENTS)
invitations = _of(nouns.INVITATIONS)
keys = _of(nouns.KEYS)
knowledge = _of(nouns.KNOWLEDGE)
llms = _of(nouns.LLMS)
embedding_models = _of(nouns.EMBEDDING_MODELS)
evaluation_datasets = _of(nouns.EVALUATION_DATASETS)
memories = _of(nouns.MEMORIES)
notebooks = _of(nouns.NOTEBOOKS)
profiles = completion(_profiles)
legal_holds = _of(nouns.LEGAL_HOLDS)
quotas = _of(nouns.QUOTAS)
rerankers = _of(nouns.RERANKERS)
runs = _of(nouns.RUNS)
service_accounts = _of(nouns.SERVICE_ACCOUNTS)
sessions = _of(nouns.SESSIONS)
shares = _of(nouns.SHARES)
users = _of(nouns.USERS)
webhooks = _of(nouns.WEBHOOKS)
