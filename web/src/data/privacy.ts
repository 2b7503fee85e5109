/** Legal holds, and the reports of erased people; for superadmins. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { pagedQuery } from "@/api/pages";
import { listErasures, previewErasure } from "@/gen/echomind/public/v1/erasure_service_client";
import type { LegalHoldJson } from "@/gen/echomind/public/v1/legal_hold_pb";
import { createLegalHold, listLegalHolds, releaseLegalHold } from "@/gen/echomind/public/v1/legal_hold_service_client";
import { changesOf } from "./changes";

const HOLDS = ["legal-holds"] as const;

/** The holds, those that were released too, the newest first. */
export const legalHoldsQuery = infiniteQueryOptions(pagedQuery(HOLDS, listLegalHolds, { pageSize: 100, withReleased: true }));

/** The reports of erased people, the newest first. */
export const erasuresQuery = infiniteQueryOptions({
  ...pagedQuery(["erasures"], listErasures, { pageSize: 100 }),
  // What is under way is looked at again.
  refetchInterval: ({ state: { data } }) =>
    data?.pages.some((page) => page.erasures?.some(({ state }) => state === "ERASURE_STATE_RUNNING" || state === "ERASURE_STATE_WAITING")) ? 5000 : false,
});

/** What the erasure of a person would delete, hand over and keep. */
export function erasurePreviewQuery(userId: number) {
  return queryOptions({ queryKey: ["erasure-preview", userId], queryFn: ({ signal }) => previewErasure({ userId }, { signal }), gcTime: 0 });
}

const useChange = changesOf(HOLDS);

/** Places a hold on a person or a conversation. */
export function usePlaceLegalHold() {
  return useChange((legalHold: LegalHoldJson) => createLegalHold({ legalHold }));
}

/** Releases a hold. */
export function useReleaseLegalHold() {
  return useChange((id: number) => releaseLegalHold({ id }));
}
