"""Shell completion of names and ids from the server; `echomind --install-completion` sets it up."""

import asyncio
import os
import re
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

Values = Iterable[tuple[str, str]]
"""Completions, each with its description."""


def completion(fetch: "Callable[[Client], Awaitable[Values]]") -> Callable[[typer.Context, str], list[tuple[str, str]]]:
    """Returns an `autocompletion` with values from the server; none if it does not respond.

    Args:
        fetch: Requests the values from the server.
    """

    def complete(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
        is_bash = os.environ.get("_ECHOMIND_COMPLETE") == "complete_bash"
        return [
            (_SPECIAL.sub(r"\\\1", value) if is_bash else value, one_line(about, _HELP_CHARACTERS))
            for value, about in asyncio.run(_ask(fetch, ctx.params))
            if value.startswith(incomplete)
        ]

    return complete


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
