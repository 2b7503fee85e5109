/** The audit log, for superadmins: its entries, their export, and whether they are as they were written. */
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { AuditEntryJson } from "@/gen/echomind/public/v1/audit_pb";
import { listAuditEntries, verifyAuditLog } from "@/gen/echomind/public/v1/audit_service_client";
import type { ListAuditEntriesRequestJson, VerifyAuditLogResponseJson } from "@/gen/echomind/public/v1/audit_service_pb";

/** Filter of entries. */
export type AuditFilter = Omit<ListAuditEntriesRequestJson, "pageSize" | "pageToken" | "oldestFirst" | "afterId">;

/** Entries, newest first, page by page. */
export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ["audit", filter],
    queryFn: ({ pageParam, signal }) => listAuditEntries({ ...filter, pageToken: pageParam }, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
    placeholderData: keepPreviousData,
  });

/** Returns the entries of a filter as JSON lines, oldest first. None is missed while others are written. */
export async function exportAuditLog(filter: AuditFilter): Promise<Blob> {
  const parts: string[] = [];
  let pageToken = "";
  do {
    const page = await listAuditEntries({ ...filter, oldestFirst: true, pageSize: 1000, pageToken });
    parts.push(...(page.entries ?? []).map((entry: AuditEntryJson) => `${JSON.stringify(entry)}\n`));
    pageToken = page.nextPageToken ?? "";
  } while (pageToken);
  return new Blob(parts, { type: "application/jsonl" });
}

/** What a verification of the whole log has found: the last answer of the server. */
export interface Verified extends VerifyAuditLogResponseJson {
  /** The sum of verified entries. */
  entries: number;
  /** The sum of those that expired too early. */
  early: number;
  isWhole: boolean;
}

/** Verifies the whole log, or up to the first thing that is wrong. */
export async function verifyWholeLog(): Promise<Verified> {
  let entries = 0;
  let early = 0;
  let firstSeal = "0";
  for (;;) {
    const found = await verifyAuditLog({ firstSeal });
    entries += found.verifiedEntries ?? 0;
    early += found.earlyExpiredEntries ?? 0;
    firstSeal = found.nextSeal ?? "0";
    const isWhole = (found.defect ?? "AUDIT_DEFECT_UNSPECIFIED") === "AUDIT_DEFECT_UNSPECIFIED";
    if (firstSeal === "0" || !isWhole) return { ...found, entries, early, isWhole };
  }
}
