/** Feedback of people on answers and cited passages, for superadmins. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { getFeedbackRates, listFeedback } from "@/gen/echomind/public/v1/feedback_service_client";
import type { FeedbackSubjectJson } from "@/gen/echomind/public/v1/feedback_service_pb";

/** Filter of feedback; 0 and undefined for all. */
export interface FeedbackFilter {
  isPositive: boolean | undefined;
  withText: boolean;
  assistantId: number;
  llmId: number;
  subject: FeedbackSubjectJson;
}

/** Rates of helpful answers and passages, by assistant, chat model and source. */
export const feedbackRatesQuery = queryOptions({
  queryKey: ["feedback-rates"],
  queryFn: ({ signal }) => getFeedbackRates({}, { signal }),
});

/** Feedback, newest first, page by page. */
export const feedbackQuery = (filter: FeedbackFilter) =>
  infiniteQueryOptions({
    queryKey: ["feedback", filter],
    queryFn: ({ pageParam, signal }) => {
      const { isPositive, ...others } = filter;
      return listFeedback({ ...others, ...(isPositive === undefined ? {} : { isPositive }), pageToken: pageParam }, { signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
    placeholderData: keepPreviousData,
  });
