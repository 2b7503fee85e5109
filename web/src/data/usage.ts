/** Usage of questions: tokens, cost, people. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { UsageGroupingJson } from "@/gen/echomind/public/v1/usage_pb";
import { getUsage } from "@/gen/echomind/public/v1/usage_service_client";

/** The usage of the last days in the user's time zone, by day or another grouping. */
export const usageQuery = (days: number, groupBy: UsageGroupingJson) =>
  queryOptions({
    queryKey: ["usage", days, groupBy],
    queryFn: ({ signal }) => {
      const from = new Date();
      from.setHours(0, 0, 0, 0);
      from.setDate(from.getDate() - days + 1);
      const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      return getUsage({ fromTime: from.toISOString(), groupBy, timeZone }, { signal });
    },
    placeholderData: keepPreviousData,
  });
