/** Filter of the audit log, as in the URL and as the server expects it. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { AuditFilter } from "@/data/audit";
import { LIST_AGES } from "@/ui/ages";
import { oneOf, text } from "@/ui/search-state";

/** Actions by what they are about; the value is what their names begin with. */
export const ACTIONS: readonly { value: string; label: MessageDescriptor }[] = [
  { value: "", label: msg`All actions` },
  { value: "Sign-in", label: msg`Sign-ins` },
  { value: "Sign-out", label: msg`Sign-outs` },
  { value: "UserService", label: msg`Accounts` },
  { value: "GroupService", label: msg`Groups` },
  { value: "ApiKeyService", label: msg`API keys` },
  { value: "ApiKey", label: msg`New networks of API keys` },
  { value: "IdentityProviderService", label: msg`Single sign-on` },
  { value: "SCIM", label: msg`SCIM` },
  { value: "SessionShareService", label: msg`Shares` },
  { value: "ChatSessionService", label: msg`Conversations` },
  { value: "ConnectorService", label: msg`Connectors` },
  { value: "DocumentService", label: msg`Documents` },
  { value: "NotebookService", label: msg`Notebooks` },
  { value: "AssistantService", label: msg`Assistants` },
  { value: "LlmService", label: msg`Chat models` },
  { value: "QuotaService", label: msg`Quotas` },
  { value: "SystemService", label: msg`Settings` },
  { value: "AuditService", label: msg`Audit log` },
];

/** The filters of the address. */
export const STATE = { action: text(), user: text(), outcome: oneOf(["all", "done", "denied"], "all"), age: oneOf(LIST_AGES, "any"), about: text() };

/** The filter by what somebody has typed: an IP address, a credential or a target. */
function aboutFilter(about: string): AuditFilter {
  const typed = about.trim();
  if (!typed) return {};
  if (/^(api-keys|web-sessions|identities)\/\d+$/.test(typed)) return { credential: typed };
  return /^[\d.]+$|^[\da-f:.]*:[\da-f:.]*$/i.test(typed) ? { address: typed } : { target: typed };
}

/** The filter of the request. */
export function filterOf(state: { action: string; user: string; outcome: "all" | "done" | "denied"; about: string }, since: string | undefined): AuditFilter {
  const { action, user, outcome, about } = state;
  return {
    ...(action && { action }),
    ...(Number(user) > 0 && { actorId: Number(user) }),
    ...(outcome !== "all" && { denied: outcome === "denied" }),
    ...(since && { fromTime: since }),
    ...aboutFilter(about),
  };
}
