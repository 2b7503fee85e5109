import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { ApiKeyScopeJson } from "@/gen/echomind/public/v1/api_key_pb";

interface Scope {
  value: ApiKeyScopeJson;
  label: MessageDescriptor;
  hint: MessageDescriptor;
}

/** Includes the other scopes. */
export const ADMINISTER: ApiKeyScopeJson = "API_KEY_SCOPE_ADMINISTER";

/** What a key may do, within the permissions of its owner. */
export const SCOPES: readonly Scope[] = [
  { value: "API_KEY_SCOPE_READ", label: msg`Read`, hint: msg`Read and search documents, conversations and knowledge.` },
  { value: "API_KEY_SCOPE_ASK", label: msg`Ask`, hint: msg`Ask questions and continue conversations.` },
  { value: "API_KEY_SCOPE_INGEST", label: msg`Ingest`, hint: msg`Add, change and remove connectors and documents.` },
  { value: "API_KEY_SCOPE_MANAGE", label: msg`Manage`, hint: msg`Change everything else, such as notebooks, shares, memories and keys.` },
  { value: ADMINISTER, label: msg`Administer`, hint: msg`All of the above, and accounts, sign-in links, passwords and groups.` },
];
