"""The gateway put together: its services, what they share, and its background work."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Final

from echomind_api.accounts.api_keys import ApiKeys
from echomind_api.accounts.deactivation import Deactivations
from echomind_api.accounts.device_sign_ins import DeviceSignIns
from echomind_api.accounts.directory import Directory
from echomind_api.accounts.erasures import Eraser, Erasures
from echomind_api.accounts.groups import Groups
from echomind_api.accounts.identity_providers import OwnIdentityProviders
from echomind_api.accounts.invitations import Invitations
from echomind_api.accounts.key_quotas import delete_ended_quotas
from echomind_api.accounts.scim_clients import OwnScimClients
from echomind_api.accounts.service_accounts import ServiceAccounts
from echomind_api.accounts.setup import Setups
from echomind_api.accounts.sign_in import Auth
from echomind_api.accounts.users import Users
from echomind_api.accounts.web_sessions import OwnWebSessions
from echomind_api.administration.dead_letters import DeadLetters
from echomind_api.administration.feedback import ListedFeedbacks
from echomind_api.administration.purge import Purge
from echomind_api.administration.quotas import Quotas
from echomind_api.administration.secret_keys import SecretKeys
from echomind_api.administration.storage_check import StorageCheck
from echomind_api.administration.system import System
from echomind_api.administration.usage import UsageFigures
from echomind_api.administration.user_access import UserAccess
from echomind_api.assistants.assistants import Assistants
from echomind_api.audit.log import AuditLog
from echomind_api.audit.sealing import AuditSeals
from echomind_api.auth.addresses import Proxies
from echomind_api.auth.cookies import SessionCookie
from echomind_api.auth.invitation_links import InvitationLinks
from echomind_api.auth.local_accounts import LocalAccounts
from echomind_api.auth.password_links import PasswordLinks
from echomind_api.auth.provider_logout import ProviderLogouts
from echomind_api.auth.provider_sign_in import ProviderSignIns
from echomind_api.auth.sessions import WebSessions
from echomind_api.auth.superadmins import Superadmins
from echomind_api.calls.authentication import Authentication
from echomind_api.calls.denials import Denials
from echomind_api.calls.key_uses import KeyUses
from echomind_api.calls.limits import Limits
from echomind_api.calls.middlewares import chain
from echomind_api.calls.recheck import keep_rechecking
from echomind_api.calls.revocations import Revocations
from echomind_api.calls.shared_limits import SharedLimits
from echomind_api.conversations.checkpoints import Checkpoints
from echomind_api.conversations.controls import Controls
from echomind_api.conversations.messages import ChatMessages
from echomind_api.conversations.runs import Runs
from echomind_api.conversations.scores import scores_of
from echomind_api.conversations.sessions import ChatSessions
from echomind_api.conversations.shared_sessions import SharedSessions
from echomind_api.conversations.shares import SessionShares
from echomind_api.conversations.todos import Todos
from echomind_api.conversations.unread_runs import UnreadRuns
from echomind_api.dependencies import Dependencies
from echomind_api.evaluation import EvaluationDatasets, EvaluationRuns
from echomind_api.learned.knowledge.knowledge import Knowledge
from echomind_api.learned.memories.memories import Memories
from echomind_api.models.embedding_models import EmbeddingModels
from echomind_api.models.llms import Llms
from echomind_api.models.rerankers import Rerankers
from echomind_api.notebooks import NotebookRemoval, Notebooks
from echomind_api.notebooks.notes import NotebookNotes
from echomind_api.notebooks.source_access import SourceAccess
from echomind_api.privacy.exports import PersonExports
from echomind_api.privacy.legal_holds import LegalHolds
from echomind_api.programs.imports import Imports
from echomind_api.readiness import health_reader
from echomind_api.retention import Retention, RetentionRules, RetentionSweeper, default_days, expiries
from echomind_api.scim.clients import ScimClients
from echomind_api.scim.endpoint import ScimEndpoint
from echomind_api.sources.connector_sign_ins import ConnectorSignIns
from echomind_api.sources.connector_syncs import ConnectorSyncs
from echomind_api.sources.connectors import Connectors
from echomind_api.sources.document_changes import SelectedDocuments
from echomind_api.sources.documents import Documents
from echomind_api.sources.intake import Intake
from echomind_api.sources.permissions import SourcePermissions
from echomind_api.sources.search import Search
from echomind_api.streams import Feeds, UserFeeds
from echomind_api.transports.http.base_path import base_path
from echomind_api.transports.http.connections import ConnectionLimits
from echomind_api.transports.mcp import McpEndpoint
from echomind_api.transports.mcp.authorization import ResourceMetadata
from echomind_api.transports.mcp.endpoint import later
from echomind_api.transports.mcp.services import McpServices
from echomind_api.transports.openai.files import Files
from echomind_api.transports.openai.vector_stores import VectorStores
from echomind_api.webhooks import Webhooks
from echomind_lib.contract.binding import Service
from echomind_lib.contract.call import Middleware
from echomind_lib.contract.page_tokens import PageTokens
from echomind_lib.documents.changes import DocumentChanges
from echomind_lib.events.log import EventLog
from echomind_lib.indexes import Indexes
from echomind_lib.learned.facts import FactVectors
from echomind_lib.learned.knowledge.search import KnowledgeSearch
from echomind_lib.network.fetching import AllowedHosts
from echomind_lib.runs.assignment import Agents
from echomind_lib.secrets import Secrets

BODY_BYTES: Final = 32 * 2**20
"""Longest body over HTTP, apart from files by multipart form: the list of a large folder's files is as long."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The objects that both transports and the background tasks share."""

    dependencies: Dependencies
    sessions: WebSessions
    invitations: InvitationLinks
    password_links: PasswordLinks
    provider_sign_ins: ProviderSignIns
    provider_logouts: ProviderLogouts
    revocations: Revocations
    authentication: Authentication
    intake: Intake
    documents: Documents
    messages: ChatMessages
    runs: Runs
    unread_runs: UnreadRuns
    sessions_service: ChatSessions
    files: Files
    vector_stores: VectorStores
    shared: SharedSessions
    exports: PersonExports
    services: Sequence[Service]
    middlewares: Sequence[Middleware]
    limits: Limits
    connections: ConnectionLimits
    denials: Denials
    feeds: Feeds
    mcp: McpEndpoint
    scim: ScimEndpoint
    background: Sequence[Callable[[], Awaitable[None]]]
    """Each runs until it is cancelled."""


def build(dependencies: Dependencies) -> Parts:
    """Creates the services and their middlewares."""
    database, bus = dependencies.database, dependencies.bus
    event_log = EventLog(database.pool, bus)
    shared_limits = SharedLimits(database)
    limits, denials = Limits(shared_limits), Denials(database)
    settings, principals = dependencies.settings, dependencies.principals
    local_accounts = LocalAccounts(database, settings.auth.local_accounts)
    superadmins = Superadmins(local_accounts, settings.auth.providers)
    sessions = WebSessions(database, dependencies.failures, local_accounts)
    proxies = Proxies(settings.api.trusted_proxies)
    base = base_path(settings.api.public_url)
    cookie = SessionCookie(proxies, always_secure=settings.auth.cookie_secure, base=base)
    authentication = Authentication(principals, proxies, cookie)
    intake = Intake(database.pool, dependencies.objects, bus)
    feeds, user_feeds = Feeds(database.pool, bus), UserFeeds(database.pool, bus)
    controls = Controls(event_log)
    providers = dependencies.identity_providers
    revocations = Revocations(bus, limits, authentication)
    deactivations = Deactivations(database, revocations, controls, superadmins)
    indexes = Indexes(database.pool, dependencies.vectors)
    purge = Purge(database, event_log, dependencies.objects, indexes)
    notebook_removal = NotebookRemoval(database, purge)
    selected = SelectedDocuments(database, DocumentChanges(database, indexes, bus))
    documents = Documents(dependencies, intake, purge, selected)
    scores = scores_of(database, settings.telemetry)
    agents = Agents(event_log)
    messages = ChatMessages(database, event_log, feeds, dependencies.retriever, scores, agents)
    runs, unread_runs = Runs(database, feeds, controls), UnreadRuns(database.pool, controls)
    shared = SharedSessions(event_log, dependencies.failures)
    connectors = Connectors(
        database,
        bus,
        dependencies.secrets,
        settings.connectors,
        ConnectorSignIns(database, dependencies.secrets, settings, proxies),
    )
    sessions_service = ChatSessions(database, event_log, controls, purge, user_feeds)
    search = Search(database, dependencies.retriever)
    rules = RetentionRules(database, default_days(settings))
    mcp_services = McpServices(
        api=settings.api,
        retention=rules,
        proxies=proxies,
        database=database,
        disk=dependencies.disk,
        messages=messages,
        runs=runs,
        unread_runs=unread_runs,
        sessions=sessions_service,
        search_service=search,
        documents=documents,
        connectors=connectors,
        secrets=dependencies.secrets,
    )
    mcp = McpEndpoint(
        later("echomind_api.transports.mcp.server", mcp_services, version("echomind")),
        mcp_services.cancel_asked,
        settings.api,
        ResourceMetadata(providers, settings.api, proxies),
    )
    scim = ScimEndpoint(
        later("echomind_api.scim.application", database, deactivations, revocations, providers),
        ScimClients(database, dependencies.failures),
        denials,
        settings.api,
        proxies,
        dependencies.disk,
    )
    assistants = Assistants(database, dependencies.secrets, bus, dependencies.settings.mcp)
    knowledge = Knowledge(
        database,
        bus,
        KnowledgeSearch(database.pool, FactVectors(database.pool, dependencies.vectors, dependencies.embeddings)),
    )
    notebooks = Notebooks(
        database,
        event_log,
        controls,
        notebook_removal,
        user_feeds,
        SourceAccess(database, connectors, selected),
    )
    access = UserAccess(
        database=database,
        connectors=connectors,
        assistants=assistants,
        notebooks=notebooks,
        knowledge=knowledge,
        documents=documents.listed_for,
    )
    key_uses, seals = KeyUses(database), AuditSeals(database)
    eraser = Eraser(database, deactivations, purge)
    expired = expiries(database, purge)
    services: list[Service] = [
        Auth(database, principals, dependencies.failures, settings.auth, providers, local_accounts),
        OwnIdentityProviders(database, dependencies.secrets, providers, revocations, superadmins),
        OwnScimClients(database, providers),
        Users(database, revocations, deactivations, eraser, user_feeds, superadmins, access),
        ApiKeys(database, principals),
        OwnWebSessions(database, principals),
        Invitations(database, local_accounts),
        DeviceSignIns(database, dependencies.failures, settings.api, proxies),
        Groups(database, principals),
        ServiceAccounts(database, revocations, deactivations, purge),
        Directory(database, settings.auth.directory),
        Setups(database),
        System(
            database,
            health_reader(dependencies, proxies),
            StorageCheck(database, dependencies.objects, dependencies.vectors),
            superadmins,
        ),
        AuditLog(database, rules),
        Retention(database, rules, expired),
        LegalHolds(database),
        Erasures(database, eraser),
        DeadLetters(database, bus),
        Quotas(database),
        SecretKeys(database, dependencies.secrets),
        Webhooks(database, bus, dependencies.secrets, AllowedHosts(settings.fetch.allowed_hosts)),
        Llms(database, dependencies.secrets),
        EmbeddingModels(database, bus, dependencies.disk, dependencies.secrets),
        Rerankers(database, dependencies.secrets),
        assistants,
        connectors,
        ConnectorSyncs(database, bus),
        documents,
        SourcePermissions(database, documents),
        search,
        knowledge,
        sessions_service,
        SessionShares(database, shared),
        Imports(database, user_feeds),
        messages,
        runs,
        notebooks,
        NotebookNotes(database, user_feeds),
        Todos(database, event_log),
        Checkpoints(database, event_log),
        Memories(database, bus, FactVectors(database.pool, dependencies.vectors, dependencies.embeddings)),
        EvaluationDatasets(database),
        EvaluationRuns(database, event_log, controls),
        ListedFeedbacks(database),
        UsageFigures(database),
    ]
    return Parts(
        dependencies,
        sessions,
        InvitationLinks(database, dependencies.failures, local_accounts),
        PasswordLinks(database, principals, dependencies.failures, local_accounts),
        ProviderSignIns(database, dependencies.secrets, principals, dependencies.failures, providers, superadmins),
        ProviderLogouts(database, providers, dependencies.failures),
        revocations,
        authentication,
        intake,
        documents,
        messages,
        runs,
        unread_runs,
        sessions_service,
        Files(dependencies, documents, intake),
        VectorStores(database, connectors, documents, selected, search),
        shared,
        PersonExports(database, dependencies.objects, authentication),
        services,
        chain(services, authentication, limits, denials, dependencies.disk, key_uses, database),
        limits,
        ConnectionLimits(proxies, settings.api.max_connections, settings.api.max_connections_per_address),
        denials,
        feeds,
        mcp,
        scim,
        background=(
            mcp.run,
            principals.write_last_used,
            denials.write,
            key_uses.run,
            seals.run,
            RetentionSweeper(rules, expired).run,
            partial(delete_ended_quotas, database),
            notebook_removal.run,
            eraser.run,
            agents.run,
            unread_runs.run,
            feeds.run,
            user_feeds.run,
            revocations.run,
            shared_limits.run,
            partial(keep_rechecking, limits, authentication),
            *([scores.run] if scores is not None else []),
        ),
    )


def page_tokens(secrets: Secrets) -> PageTokens:
    """Signs page tokens with keys of this installation, so that every replica accepts them."""
    return PageTokens(secrets.derive("page tokens"))
