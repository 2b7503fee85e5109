/** The installation: its health, versions and packages. */
import { queryOptions } from "@tanstack/react-query";
import { getAbout, getSystemHealth } from "@/gen/echomind/public/v1/system_service_client";

const REFRESH_MS = 10_000;

/** Health of all components, refreshed while the page is open; for admins. */
export const healthQuery = queryOptions({
  queryKey: ["system", "health"],
  queryFn: ({ signal }) => getSystemHealth({}, { signal }),
  refetchInterval: REFRESH_MS,
});

/** The version of EchoMind, and its packages. */
export const aboutQuery = queryOptions({
  queryKey: ["system", "about"],
  queryFn: ({ signal }) => getAbout({}, { signal }),
  staleTime: Infinity,
});
