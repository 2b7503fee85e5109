/** The installation itself: its health, and what it is made with. */
import { queryOptions } from "@tanstack/react-query";
import { getAbout, getSystemHealth } from "@/gen/echomind/public/v1/system_service_client";

const REFRESH_MS = 10_000;

/** How every part is, looked at again while the page is open; for admins. */
export const healthQuery = queryOptions({
  queryKey: ["system", "health"],
  queryFn: ({ signal }) => getSystemHealth({}, { signal }),
  refetchInterval: REFRESH_MS,
});

/** Which version runs, and which packages it is made with. */
export const aboutQuery = queryOptions({
  queryKey: ["system", "about"],
  queryFn: ({ signal }) => getAbout({}, { signal }),
  staleTime: Infinity,
});
