/** Rules for what is deleted because of its age; for superadmins. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { RetentionDataJson } from "@/gen/echomind/public/v1/retention_rule_pb";
import { listRetentionRules, previewRetentionRule, setRetentionRule } from "@/gen/echomind/public/v1/retention_service_client";

const KEY = ["retention"] as const;

/** The rules, one for each kind of data. */
export const retentionRulesQuery = queryOptions({
  queryKey: [...KEY, "rules"],
  queryFn: async ({ signal }) => (await listRetentionRules({}, { signal })).rules ?? [],
});

/** What would be deleted now if data was kept for so many days. */
export function retentionPreviewQuery(data: RetentionDataJson, days: number) {
  return queryOptions({
    queryKey: [...KEY, "preview", data, days],
    queryFn: ({ signal }) => previewRetentionRule({ data, days }, { signal }),
  });
}

/** Sets for how many days data is kept; without days, the default applies again. */
export function useSetRetentionRule() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ data, days }: { data: RetentionDataJson; days?: number }) => setRetentionRule({ data, ...(days !== undefined && { days }) }),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  });
}
