import type { AuditEntryJson } from "@/gen/echomind/public/v1/audit_pb";

/** Who has done what an entry says: the user name, or the number of a removed account; empty for nobody known. */
export function whoOf({ actorId = 0, actorName }: AuditEntryJson): string {
  return actorName || (actorId > 0 ? `#${actorId}` : "");
}

/** What an entry is about: the name, where the entry has it, and the path. */
export function targetOf({ target = "", detail }: AuditEntryJson): string {
  const name = detail?.name;
  return typeof name === "string" && name ? `${name} (${target})` : target;
}
