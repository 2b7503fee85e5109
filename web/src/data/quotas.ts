/** Quotas: limits of questions, tokens and cost for each day or month, and of what is done at a time, and what is used of them. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { pagedQuery } from "@/api/pages";
import type { QuotaJson } from "@/gen/echomind/public/v1/quota_pb";
import { createQuota, deleteQuota, listQuotas, listQuotaUsage, updateQuota } from "@/gen/echomind/public/v1/quota_service_client";
import { changesOf } from "./changes";

const KEY = ["quotas"] as const;

/** The quotas, oldest first. */
export const quotasQuery = infiniteQueryOptions(pagedQuery([...KEY, "list"], listQuotas, { pageSize: 100 }));

/** What is used of the limits that bind the reader, or another person. */
export function quotaUsageQuery(userId = 0) {
  return queryOptions({ queryKey: [...KEY, "usage", userId], queryFn: ({ signal }) => listQuotaUsage({ userId }, { signal }) });
}

const useChange = changesOf(KEY);

/** Adds a quota, or changes the limits of the one with this id. */
export function useSaveQuota() {
  return useChange(({ id, ...quota }: QuotaJson) => {
    const { maxQuestions = "0", maxTokens = "0", maxCost = 0, maxRequestsPerMinute = 0, maxConcurrentRuns = 0, maxConcurrentStreams = 0 } = quota;
    const limits = { maxQuestions, maxTokens, maxCost, maxRequestsPerMinute, maxConcurrentRuns, maxConcurrentStreams };
    return id ? updateQuota({ id, quota: limits }) : createQuota({ quota });
  });
}

/** Removes a quota. */
export function useDeleteQuota() {
  return useChange((id: number) => deleteQuota({ id }));
}
