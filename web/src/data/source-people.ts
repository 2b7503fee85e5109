/** People and groups of sources, their accounts, and the readers of a document at its source. */
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { pagedQuery } from "@/api/pages";
import type { SourcePersonMappingJson } from "@/gen/echomind/public/v1/source_permission_pb";
import {
  listDocumentReaders,
  listSourceAliases,
  listSourceGroups,
  listSourcePeople,
  setSourceAlias,
} from "@/gen/echomind/public/v1/source_permission_service_client";

/** Their query keys. */
export const sourcePeopleKeys = { all: ["source-people"] as const };

const PAGE = 100;

/** Filter of a source's people. */
export interface SourcePeopleFilter {
  connectorId: number;
  query: string;
  mapping?: SourcePersonMappingJson;
  unmappedOnly: boolean;
}

/** The people of a source, page by page; for superadmins. */
export function sourcePeopleQuery(filter: SourcePeopleFilter) {
  return {
    ...pagedQuery([...sourcePeopleKeys.all, "people", filter], listSourcePeople, { ...filter, pageSize: PAGE }),
    placeholderData: keepPreviousData,
  };
}

/** The groups of a source, page by page; for superadmins. */
export function sourceGroupsQuery(filter: { connectorId: number; query: string }) {
  return {
    ...pagedQuery([...sourcePeopleKeys.all, "groups", filter], listSourceGroups, { ...filter, pageSize: PAGE }),
    placeholderData: keepPreviousData,
  };
}

/** All aliases, page by page, or those without effect; for superadmins. */
export function sourceAliasesQuery(filter: { query: string; unusedOnly: boolean }) {
  return {
    ...pagedQuery([...sourcePeopleKeys.all, "aliases", filter], listSourceAliases, { ...filter, pageSize: PAGE }),
    placeholderData: keepPreviousData,
  };
}

/** The readers of a document at its source; for those who manage its connector. */
export const readersQuery = (documentId: string) =>
  queryOptions({
    queryKey: [...sourcePeopleKeys.all, "readers", documentId],
    queryFn: ({ signal }) => listDocumentReaders({ documentId }, { signal }),
  });

/** Maps a person of sources to an account; 0 removes the alias. Applies to every source that knows the person. */
export function useSetAlias() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ key, userId }: { key: string; userId: number }) => setSourceAlias({ key, userId }),
    onSuccess: () => client.invalidateQueries({ queryKey: sourcePeopleKeys.all }),
  });
}
