/** What people said about answers, for superadmins. */
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { listFeedback } from "@/gen/echomind/public/v1/feedback_service_client";

/** Which feedback to list; 0 and undefined for all. */
export interface FeedbackFilter {
  isPositive: boolean | undefined;
  withText: boolean;
  assistantId: number;
  llmId: number;
}

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
