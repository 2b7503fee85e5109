/** Why a person sees something, in words. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { AccessKind } from "@/data/users";

const WORDS: Readonly<Record<string, MessageDescriptor>> = {
  user: msg`Their own`,
  org: msg`For everyone`,
  owner: msg`Owns it`,
  editor: msg`Can edit`,
  viewer: msg`Can read`,
  individual: msg`Their own`,
  organization: msg`Of the organization`,
  public: msg`Public`,
};

/** Returns the words for a reason; empty for an assistant that everybody sees. */
export function reasonOf(t: (text: MessageDescriptor) => string, kind: AccessKind, reason: string): string {
  const [first = "", ...rest] = reason.split(" ");
  const named = rest.join(" ");
  if (kind === "connector" && first === "group") return t(msg`For the group ${named}`);
  if (kind === "document") return t(msg`From source ${named}`);
  if (kind === "assistant") return reason ? t(msg`For groups: ${reason}`) : t(msg`For everyone`);
  const word = WORDS[reason];
  return word ? t(word) : reason;
}
