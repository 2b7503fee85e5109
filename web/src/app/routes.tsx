/** All pages by path. Each is loaded when it is first opened; the chat is part of the frame's bundle. */
import { useLingui } from "@lingui/react/macro";
import type { ComponentType, ReactNode } from "react";
import type { StringRouteParams } from "wouter";
import type { RoleJson } from "@/gen/echomind/public/v1/common_pb";
import { lazyPart } from "@/ui/lazy-part";
import { Spinner } from "@/ui/Spinner";

/** A page, and the role that it requires. */
export interface PageRoute {
  path: string;
  /** The minimum role to open it; without it, everyone who is signed in. */
  role?: RoleJson | undefined;
  /** Loads it ahead, before it is opened. */
  preload: () => void;
  render: (params: Readonly<Record<string, string | undefined>>) => ReactNode;
}

/** A page by path; path parameters are its props, and a change of them mounts a new page. */
function page<Path extends string>(path: Path, load: () => Promise<ComponentType<StringRouteParams<Path>>>, role?: RoleJson): PageRoute {
  const Loaded = lazyPart(async () => (await load()) as ComponentType<object>, { whenFailed: "page" });
  return { path, role, preload: Loaded.preload, render: (params) => <Loaded key={JSON.stringify(params)} {...params} fallback={<PageSpinner />} /> };
}

function PageSpinner() {
  const { t } = useLingui();
  return <Spinner label={t`Loading the page`} />;
}

export const ROUTES: readonly PageRoute[] = [
  page("/chats", async () => (await import("@/features/conversations/ConversationsPage")).ConversationsPage),
  page("/received", async () => (await import("@/features/shares/ReceivedPage")).ReceivedPage),
  page("/received/:id", async () => (await import("@/features/shares/ReceivedSharePage")).ReceivedSharePage),
  page("/notebooks", async () => (await import("@/features/notebooks/NotebooksPage")).NotebooksPage),
  page("/notebooks/:id", async () => (await import("@/features/notebooks/NotebookPage")).NotebookPage),
  page("/search", async () => (await import("@/features/search/SearchPage")).SearchPage),
  page("/runs", async () => (await import("@/features/runs/RunsPage")).RunsPage),
  page("/runs/compare", async () => (await import("@/features/runs/ComparePage")).ComparePage),
  page("/runs/:id", async () => (await import("@/features/runs/RunPage")).RunPage),
  page("/evaluations", async () => (await import("@/features/evaluation/EvaluationsPage")).EvaluationsPage),
  page("/evaluations/compare", async () => (await import("@/features/evaluation/ComparePage")).ComparePage),
  page("/evaluations/datasets/:id", async () => (await import("@/features/evaluation/DatasetPage")).DatasetPage),
  page("/evaluations/:id", async () => (await import("@/features/evaluation/EvaluationPage")).EvaluationPage),
  page("/inbox", async () => (await import("@/features/inbox/InboxPage")).InboxPage),
  page("/documents", async () => (await import("@/features/documents/DocumentsPage")).DocumentsPage),
  page("/documents/:id", async () => (await import("@/features/documents/DocumentPage")).DocumentPage),
  page("/knowledge", async () => (await import("@/features/knowledge/KnowledgePage")).KnowledgePage),
  page("/knowledge/:id", async () => (await import("@/features/knowledge/EntityPage")).EntityPage),
  page("/sources", async () => (await import("@/features/connectors/ConnectorsPage")).ConnectorsPage),
  page("/sources/new", async () => (await import("@/features/connectors/NewSourcePage")).NewSourcePage),
  page("/connectors/sign-in", async () => (await import("@/features/connectors/SignInPage")).SignInPage),
  page("/sources/:id/people", async () => (await import("@/features/source-people/SourcePeoplePage")).SourcePeoplePage, "ROLE_SUPERADMIN"),
  page("/sources/:id", async () => (await import("@/features/connectors/ConnectorPage")).ConnectorPage),
  page("/assistants", async () => (await import("@/features/assistants/AssistantsPage")).AssistantsPage),
  page("/assistants/new", async () => (await import("@/features/assistants/NewAssistantPage")).NewAssistantPage, "ROLE_SUPERADMIN"),
  page("/assistants/:id", async () => (await import("@/features/assistants/AssistantPage")).AssistantPage, "ROLE_SUPERADMIN"),
  page("/settings/preferences", async () => (await import("@/features/preferences/PreferencesPage")).PreferencesPage),
  page("/settings/devices", async () => (await import("@/features/users/DevicesPage")).DevicesPage),
  page("/device", async () => (await import("@/features/api-keys/DevicePage")).DevicePage),
  page("/settings/about", async () => (await import("@/features/system/AboutPage")).AboutPage),
  page("/settings/account", async () => (await import("@/features/users/AccountPage")).AccountPage),
  page("/settings/groups/:id", async () => (await import("@/features/users/GroupPage")).GroupPage),
  page("/settings/service-accounts", async () => (await import("@/features/service-accounts/ServiceAccountsPage")).ServiceAccountsPage),
  page("/settings/service-accounts/:id", async () => (await import("@/features/service-accounts/ServiceAccountPage")).ServiceAccountPage),
  page("/settings/memory", async () => (await import("@/features/memories/MemoriesPage")).MemoriesPage),
  page("/settings/api-keys", async () => (await import("@/features/api-keys/ApiKeysPage")).ApiKeysPage),
  page("/settings/webhooks", async () => (await import("@/features/webhooks/WebhooksPage")).OwnWebhooksPage),
  page("/settings/webhooks/:id", async () => (await import("@/features/webhooks/WebhookPage")).WebhookPage),
  page("/settings/connect", async () => (await import("@/features/api-keys/ConnectPage")).ConnectPage),
  page("/settings/import", async () => (await import("@/features/imports/ImportPage")).ImportPage),
  page("/settings/shares", async () => (await import("@/features/shares/SharesPage")).SharesPage),
  page("/admin/people", async () => (await import("@/features/users/PeoplePage")).PeoplePage, "ROLE_ADMIN"),
  page("/admin/people/:id/access", async () => (await import("@/features/users/UserAccessPage")).UserAccessPage, "ROLE_SUPERADMIN"),
  page("/admin/invitations", async () => (await import("@/features/users/InvitationsPage")).InvitationsPage, "ROLE_ADMIN"),
  page("/admin/groups", async () => (await import("@/features/users/GroupsPage")).GroupsPage, "ROLE_ADMIN"),
  page("/admin/groups/:id", async () => (await import("@/features/users/GroupPage")).GroupPage, "ROLE_ADMIN"),
  page("/admin/service-accounts", async () => (await import("@/features/service-accounts/ServiceAccountsPage")).ServiceAccountsPage, "ROLE_ADMIN"),
  page("/admin/service-accounts/:id", async () => (await import("@/features/service-accounts/ServiceAccountPage")).ServiceAccountPage, "ROLE_ADMIN"),
  page("/admin/sign-on", async () => (await import("@/features/identity-providers/IdentityProvidersPage")).IdentityProvidersPage, "ROLE_SUPERADMIN"),
  page("/admin/quotas", async () => (await import("@/features/quotas/QuotasPage")).QuotasPage, "ROLE_ADMIN"),
  page("/admin/retention", async () => (await import("@/features/retention/RetentionPage")).RetentionPage, "ROLE_SUPERADMIN"),
  page("/admin/privacy", async () => (await import("@/features/privacy/PrivacyPage")).PrivacyPage, "ROLE_SUPERADMIN"),
  page("/admin/secret-keys", async () => (await import("@/features/system/SecretKeysPage")).SecretKeysPage, "ROLE_SUPERADMIN"),
  page("/admin/audit", async () => (await import("@/features/audit/AuditPage")).AuditPage, "ROLE_SUPERADMIN"),
  page("/admin/webhooks", async () => (await import("@/features/webhooks/WebhooksPage")).InstallationWebhooksPage, "ROLE_SUPERADMIN"),
  page("/admin/webhooks/:id", async () => (await import("@/features/webhooks/WebhookPage")).WebhookPage, "ROLE_SUPERADMIN"),
  page("/admin/dead-letters", async () => (await import("@/features/system/DeadLettersPage")).DeadLettersPage, "ROLE_SUPERADMIN"),
  page("/admin/health", async () => (await import("@/features/system/HealthPage")).HealthPage, "ROLE_ADMIN"),
  page("/admin/models", async () => (await import("@/features/llms/ModelsPage")).ModelsPage, "ROLE_SUPERADMIN"),
  page("/admin/models/:id", async () => (await import("@/features/llms/ModelPage")).ModelPage, "ROLE_SUPERADMIN"),
  page("/admin/usage", async () => (await import("@/features/usage/UsagePage")).UsagePage, "ROLE_ADMIN"),
  page("/admin/notebooks", async () => (await import("@/features/notebooks/AllNotebooksPage")).AllNotebooksPage, "ROLE_SUPERADMIN"),
  page("/admin/feedback", async () => (await import("@/features/feedback/FeedbackPage")).FeedbackPage, "ROLE_SUPERADMIN"),
];

/** Loads the page of an address ahead, when somebody is about to open it. */
export function preloadPage(address: string): void {
  ROUTES.find(({ path }) => path === address)?.preload();
}
