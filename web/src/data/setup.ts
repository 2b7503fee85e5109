/** The first steps of the reader: which there are, and how far they are. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { SetupJson, SetupStepJson } from "@/gen/echomind/public/v1/setup_pb";
import { getSetup, updateSetup } from "@/gen/echomind/public/v1/setup_service_client";

/** Query keys of steps. */
export const setupKeys = { all: ["setup"] as const };

/** The reader's first steps. */
export const setupQuery = queryOptions({
  queryKey: setupKeys.all,
  queryFn: ({ signal }) => getSetup({}, { signal }),
  staleTime: 60_000,
});

/** Changes which steps are skipped, or whether the checklist is hidden. */
export function useUpdateSetup() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (setup: Pick<SetupJson, "skipped" | "isHidden">) => updateSetup({ setup }),
    onSuccess: (setup) => client.setQueryData(setupKeys.all, setup),
  });
}

/** The first step that is neither done nor skipped. */
export function openStep(setup: SetupJson | undefined): SetupStepJson | undefined {
  return setup?.isHidden ? undefined : setup?.steps?.find(({ status }) => status === "SETUP_STEP_STATUS_OPEN");
}
