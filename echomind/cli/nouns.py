"""The things that commands name: how each is listed, found and completed, said once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from echomind.cli.find import find
from echomind.cli.lists import ALL, read_list
from echomind.cli.rendering import describe_browser
from echomind_lib.models import public

if TYPE_CHECKING:
    from echomind.cli.api import Api
    from echomind_lib.contract.client import Client

Thing = TypeVar("Thing")


def _name(thing: Any) -> str:
    name: str = thing.name
    return name


def _nothing(_: Any) -> str:
    return ""


@dataclass(frozen=True)
class Noun(Generic[Thing]):
    """What a command may name.

    Attributes:
        what: Its name in messages, `account`.
        method: The call that lists it, `UserService.list_users`; imported when it is first called.
        name: Returns what a person calls it, beside its id.
        value: Returns what completion offers; its name if not given.
        about: Returns what completion says beside.
    """

    what: str
    method: str
    name: Callable[[Any], str] = _name
    value: Callable[[Any], str] | None = None
    about: Callable[[Any], str] = _nothing

    async def every(self, client: "Client", limit: int = ALL) -> list[Thing]:
        """Returns those that the caller sees, at most `limit`."""
        return await read_list(client, self.method, limit=limit)

    async def find(self, api: "Api", reference: str) -> Thing:
        """Returns the one with this name or id.

        Raises:
            CommandError: There is none, or several have the name.
        """
        return find(await self.every(api.client), reference, self.what, self.name)

    async def completions(self, client: "Client", limit: int) -> list[tuple[str, str]]:
        """Returns what the shell may complete, each with what it is."""
        value = self.value or self.name
        return [(value(thing), self.about(thing)) for thing in await self.every(client, limit)]


def _id(thing: Any) -> str:
    return str(thing.id)


ASSISTANTS: "Noun[public.Assistant]" = Noun(
    "assistant", "AssistantService.list_assistants", about=lambda each: each.description
)
CONNECTOR_TYPES: "Noun[public.ConnectorTypeInfo]" = Noun(
    "connector type", "ConnectorService.list_connector_types", about=lambda each: each.description
)
CONNECTORS: "Noun[public.Connector]" = Noun(
    "connector", "ConnectorService.list_connectors", about=lambda each: f"{each.type.word}, id {each.id}"
)
CONNECTED_ACCOUNTS: "Noun[public.ConnectedAccount]" = Noun(
    "connected account",
    "ConnectorService.list_connected_accounts",
    name=lambda each: each.connector_name,
    about=lambda each: f"{each.account}, id {each.id}",
)
DEAD_LETTERS: "Noun[public.DeadLetter]" = Noun(
    "dead letter",
    "DeadLetterService.list_dead_letters",
    name=_id,
    about=lambda each: f"{each.kind} {each.subject_id}",
)
DEVICES: "Noun[public.WebSession]" = Noun(
    "device", "WebSessionService.list_web_sessions", name=_id, about=lambda each: describe_browser(each.user_agent)
)
DOCUMENTS: "Noun[public.Document]" = Noun(
    "document", "DocumentService.list_documents", name=_id, about=lambda each: each.title
)
EMBEDDING_MODELS: "Noun[public.EmbeddingModel]" = Noun(
    "embedding model",
    "EmbeddingModelService.list_embedding_models",
    name=lambda each: each.model_name,
    about=lambda each: f"{each.model_id} {each.status.word}",
)
EVALUATION_DATASETS: "Noun[public.EvaluationDataset]" = Noun(
    "dataset", "EvaluationDatasetService.list_evaluation_datasets", about=lambda each: f"{each.cases} questions"
)
GROUPS: "Noun[public.Group]" = Noun("group", "GroupService.list_groups", about=lambda each: each.description)
IDENTITY_PROVIDERS: "Noun[public.IdentityProvider]" = Noun(
    "provider", "IdentityProviderService.list_identity_providers", about=lambda each: each.title
)
INVITATIONS: "Noun[public.Invitation]" = Noun(
    "invitation",
    "InvitationService.list_invitations",
    name=lambda each: each.email or str(each.id),
    value=_id,
    about=lambda each: f"{each.status.word} {each.email}",
)
KEYS: "Noun[public.ApiKey]" = Noun("key", "ApiKeyService.list_api_keys", about=lambda each: each.prefix)
KNOWLEDGE: "Noun[public.KnowledgeEntity]" = Noun(
    "knowledge", "KnowledgeService.list_knowledge", name=_id, about=lambda each: each.title
)
LEGAL_HOLDS: "Noun[public.LegalHold]" = Noun(
    "legal hold", "LegalHoldService.list_legal_holds", name=_id, about=lambda each: each.reason
)
LLMS: "Noun[public.Llm]" = Noun(
    "chat model", "LlmService.list_llms", about=lambda each: f"{each.provider.word} {each.model_id}"
)
MEMORIES: "Noun[public.Memory]" = Noun(
    "memory", "MemoryService.list_memories", name=_id, about=lambda each: each.content
)
NOTEBOOKS: "Noun[public.Notebook]" = Noun(
    "notebook",
    "NotebookService.list_notebooks",
    name=lambda each: each.title,
    about=lambda each: f"id {each.id}",
)
QUOTAS: "Noun[public.Quota]" = Noun(
    "quota",
    "QuotaService.list_quotas",
    name=_id,
    about=lambda each: f"{each.scope.word}, each {each.period.word}",
)
RERANKERS: "Noun[public.Reranker]" = Noun(
    "reranker",
    "RerankerService.list_rerankers",
    about=lambda each: f"{each.model_id}{' active' if each.is_active else ''}",
)
RUNS: "Noun[public.Run]" = Noun(
    "run", "RunService.list_runs", name=_id, about=lambda each: f"{each.status.word}: {each.input}"
)
SCIM_CLIENTS: "Noun[public.ScimClient]" = Noun(
    "provider", "ScimClientService.list_scim_clients", about=lambda each: each.provider
)
SERVICE_ACCOUNTS: "Noun[public.ServiceAccount]" = Noun(
    "service account", "ServiceAccountService.list_service_accounts", about=lambda each: each.owner_group
)
SESSIONS: "Noun[public.ChatSession]" = Noun(
    "session", "ChatSessionService.list_chat_sessions", name=_id, about=lambda each: each.title
)
SHARES: "Noun[public.SessionShare]" = Noun(
    "share", "SessionShareService.list_session_shares", name=_id, about=lambda each: each.title
)
USERS: "Noun[public.User]" = Noun(
    "account", "UserService.list_users", name=lambda each: each.user_name, about=lambda each: each.email
)
WEBHOOKS: "Noun[public.Webhook]" = Noun(
    "webhook", "WebhookService.list_webhooks", name=_id, about=lambda each: each.url
)
