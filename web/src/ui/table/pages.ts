/** The pages of a list that are read one after the other, as a query has them. */
export interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

interface PagesOfTable extends Pages {
  error: Error | null;
  refetch: () => unknown;
  isPlaceholderData: boolean;
}

/** The part of a paged list that a table uses. */
export function pagesOf(found: PagesOfTable) {
  return {
    hasMore: found.hasNextPage,
    isLoadingMore: found.isFetchingNextPage,
    onMore: () => void found.fetchNextPage(),
    error: found.error,
    onRetry: () => found.refetch(),
    isStale: found.isPlaceholderData,
  };
}
