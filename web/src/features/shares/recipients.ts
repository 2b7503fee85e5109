/** The people and groups of a share, as the API and as people name them. */
import { t } from "@lingui/core/macro";
import type { Recipient } from "@/data/directory";
import type { SessionShareJson, SessionShareRecipientJson } from "@/gen/echomind/public/v1/session_share_pb";

/** Returns what was chosen as the API names it. */
export function recipientsOf(chosen: readonly Recipient[]): SessionShareRecipientJson[] {
  return chosen.map((recipient) => (recipient.kind === "person" ? { userName: recipient.userName } : { group: recipient.name }));
}

/** Returns the name of a person or group. */
export function recipientName({ name, userName, group }: SessionShareRecipientJson): string {
  return name || userName || group || "";
}

/** Returns who can read a share. */
export function readersOf({ hasLink, recipients = [] }: SessionShareJson): string {
  const names = recipients.map(recipientName);
  return [...(hasLink ? [t`Link`] : []), ...names].join(", ") || t`Nobody`;
}
