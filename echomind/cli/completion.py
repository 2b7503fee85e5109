"""Shell completion of names and ids from the server; `echomind --install-completion` sets it up."""

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from echomind.cli.api import locate
from echomind.cli.profiles import read_profiles
from echomind.cli.rendering import describe_browser, one_line
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


async def _assistants(client: "Client") -> Values:
    from echomind_lib.models.public import AssistantService

    found = await client.collect(AssistantService.list_assistants, limit=_LIMIT)
    return ((assistant.name, assistant.description) for assistant in found.assistants)


async def _evaluation_datasets(client: "Client") -> Values:
    from echomind_lib.models.public import EvaluationDatasetService

    found = await client.collect(EvaluationDatasetService.list_evaluation_datasets, limit=_LIMIT)
    return ((dataset.name, f"{dataset.cases} questions") for dataset in found.datasets)


async def _connectors(client: "Client") -> Values:
    from echomind_lib.models.public import ConnectorService

    found = await client.collect(ConnectorService.list_connectors, limit=_LIMIT)
    return ((connector.name, f"{connector.type.word}, id {connector.id}") for connector in found.connectors)


async def _connector_types(client: "Client") -> Values:
    from echomind_lib.models.public import ConnectorService

    found = await client.call(ConnectorService.list_connector_types)
    return ((kind.name, kind.description) for kind in found.types)


async def _dead_letters(client: "Client") -> Values:
    from echomind_lib.models.public import DeadLetterService

    found = await client.collect(DeadLetterService.list_dead_letters, limit=_LIMIT)
    return ((str(each.id), f"{each.kind} {each.subject_id}") for each in found.dead_letters)


async def _devices(client: "Client") -> Values:
    from echomind_lib.models.public import WebSessionService

    found = await client.collect(WebSessionService.list_web_sessions, limit=_LIMIT)
    return ((str(device.id), describe_browser(device.user_agent)) for device in found.web_sessions)


async def _documents(client: "Client") -> Values:
    from echomind_lib.models.public import DocumentService

    found = await client.collect(DocumentService.list_documents, limit=_LIMIT)
    return ((str(document.id), document.title) for document in found.documents)


async def _groups(client: "Client") -> Values:
    from echomind_lib.models.public import GroupService

    found = await client.collect(GroupService.list_groups, limit=_LIMIT)
    return ((group.name, group.description) for group in found.groups)


async def _identity_providers(client: "Client") -> Values:
    from echomind_lib.models.public import IdentityProviderService

    found = await client.call(IdentityProviderService.list_identity_providers, {})
    return ((provider.name, provider.title) for provider in found.identity_providers)


async def _scim_clients(client: "Client") -> Values:
    from echomind_lib.models.public import ScimClientService

    found = await client.call(ScimClientService.list_scim_clients, {})
    return ((each.name, each.provider) for each in found.scim_clients)


async def _invitations(client: "Client") -> Values:
    from echomind_lib.models.public import InvitationService

    found = await client.collect(InvitationService.list_invitations, limit=_LIMIT)
    return ((str(invitation.id), f"{invitation.status.word} {invitation.email}") for invitation in found.invitations)


async def _keys(client: "Client") -> Values:
    from echomind_lib.models.public import ApiKeyService

    found = await client.collect(ApiKeyService.list_api_keys, limit=_LIMIT)
    return ((key.name, key.prefix) for key in found.api_keys)


async def _knowledge(client: "Client") -> Values:
    from echomind_lib.models.public import KnowledgeService

    found = await client.collect(KnowledgeService.list_knowledge, limit=_LIMIT)
    return ((str(entity.id), entity.title) for entity in found.knowledge)


async def _embedding_models(client: "Client") -> Values:
    from echomind_lib.models.public import EmbeddingModelService

    found = await client.collect(EmbeddingModelService.list_embedding_models, limit=_LIMIT)
    return ((model.model_name, f"{model.model_id} {model.status.word}") for model in found.embedding_models)


async def _llms(client: "Client") -> Values:
    from echomind_lib.models.public import LlmService

    found = await client.collect(LlmService.list_llms, limit=_LIMIT)
    return ((llm.name, f"{llm.provider.word} {llm.model_id}") for llm in found.llms)


async def _memories(client: "Client") -> Values:
    from echomind_lib.models.public import MemoryService

    found = await client.collect(MemoryService.list_memories, limit=_LIMIT)
    return ((str(memory.id), memory.content) for memory in found.memories)


async def _notebooks(client: "Client") -> Values:
    from echomind_lib.models.public import NotebookService

    found = await client.collect(NotebookService.list_notebooks, limit=_LIMIT)
    return ((notebook.title, f"id {notebook.id}") for notebook in found.notebooks)


async def _profiles(_: "Client") -> Values:
    return ((address, profile.user_name) for address, profile in read_profiles().by_address.items())


async def _runs(client: "Client") -> Values:
    from echomind_lib.models.public import RunService

    found = await client.collect(RunService.list_runs, limit=_LIMIT)
    return ((run.id, f"{run.status.word}: {run.input}") for run in found.runs)


async def _sessions(client: "Client") -> Values:
    from echomind_lib.models.public import ChatSessionService

    found = await client.collect(ChatSessionService.list_chat_sessions, limit=_LIMIT)
    return ((str(session.id), session.title) for session in found.chat_sessions)


async def _shares(client: "Client") -> Values:
    from echomind_lib.models.public import SessionShareService

    found = await client.collect(SessionShareService.list_session_shares, limit=_LIMIT)
    return ((str(share.id), share.title) for share in found.session_shares)


async def _quotas(client: "Client") -> Values:
    from echomind_lib.models.public import QuotaService

    found = await client.collect(QuotaService.list_quotas, limit=_LIMIT)
    return ((str(each.id), f"{each.scope.word}, each {each.period.word}") for each in found.quotas)


async def _users(client: "Client") -> Values:
    from echomind_lib.models.public import UserService

    found = await client.collect(UserService.list_users, limit=_LIMIT)
    return ((user.user_name, user.email) for user in found.users)


assistants = completion(_assistants)
connector_types = completion(_connector_types)
connectors = completion(_connectors)
dead_letters = completion(_dead_letters)
devices = completion(_devices)
documents = completion(_documents)
groups = completion(_groups)
identity_providers = completion(_identity_providers)
scim_clients = completion(_scim_clients)
invitations = completion(_invitations)
keys = completion(_keys)
knowledge = completion(_knowledge)
llms = completion(_llms)
embedding_models = completion(_embedding_models)
evaluation_datasets = completion(_evaluation_datasets)
memories = completion(_memories)
notebooks = completion(_notebooks)
profiles = completion(_profiles)
runs = completion(_runs)
sessions = completion(_sessions)
shares = completion(_shares)
quotas = completion(_quotas)
users = completion(_users)
