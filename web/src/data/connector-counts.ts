/** Document counts and statuses of connectors. */
import { queryOptions } from "@tanstack/react-query";
import type { DocumentCountJson } from "@/gen/echomind/public/v1/document_pb";
import { countDocuments } from "@/gen/echomind/public/v1/document_service_client";
import { documentKeys } from "./documents";

/** Number of documents of each connector that the reader may read. */
export const countsByConnectorQuery = queryOptions({
  queryKey: [...documentKeys.lists, "by-connector"],
  queryFn: async ({ signal }) => (await countDocuments({}, { signal })).connectors ?? [],
});

/** Number of documents of a connector by status. */
export const countsByStatusQuery = (connectorId: number) =>
  queryOptions({
    queryKey: [...documentKeys.lists, "by-status", connectorId],
    queryFn: async ({ signal }) => (await countDocuments({ filter: { connectorIds: [connectorId] } }, { signal })).statuses ?? [],
  });

/** The count of a value; 0 when there is none. */
export function countOf(counts: readonly DocumentCountJson[] | undefined, value: string): number {
  return Number(counts?.find((count) => count.value === value)?.documents ?? 0);
}
