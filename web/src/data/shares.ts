/** Share links of the user's sessions, and the content of a link. */
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { pagedQuery, readAll } from "@/api/pages";
import {
  createSessionShare,
  deleteSessionShare,
  forkSharedSession,
  listSessionShares,
  readSharedSession,
  refreshSessionShare,
} from "@/gen/echomind/public/v1/session_share_service_client";
import type { LinkSharingJson } from "@/gen/echomind/public/v1/system_pb";
import { getInstallationSettings, updateInstallationSettings } from "@/gen/echomind/public/v1/system_service_client";

const LISTS = ["shares"] as const;
const SETTINGS = ["installation-settings"] as const;

/** All links of the reader that are not revoked, newest first. */
export const sharesQuery = infiniteQueryOptions(pagedQuery([...LISTS, "all"], listSessionShares, { pageSize: 100 }));

/** The links of one session. */
export const sessionSharesQuery = (session: string) =>
  queryOptions({
    queryKey: [...LISTS, "session", session],
    queryFn: ({ signal }) => readAll(listSessionShares, "sessionShares", { chatSessionId: Number(session) }, signal),
  });

/** Creates a link; its secret is returned only once. */
export function useCreateShare(session: string) {
  return useShareChange((days: number) =>
    createSessionShare({ chatSessionId: Number(session), sessionShare: { expiresAt: new Date(Date.now() + days * DAY_MS).toISOString() } }),
  );
}

const DAY_MS = 86_400_000;

/** Shows readers of a link the session as it is now. */
export function useRefreshShare() {
  return useShareChange((id: number) => refreshSessionShare({ id }));
}

/** Revokes a link, permanently. */
export function useRevokeShare() {
  return useShareChange((id: number) => deleteSessionShare({ id }));
}

function useShareChange<Values, Result>(change: (values: Values) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({ mutationFn: change, onSuccess: () => client.invalidateQueries({ queryKey: LISTS }) });
}

/** The content of a share link. One that does not work stays so until the page is reloaded. */
export const sharedSessionQuery = (token: string) =>
  queryOptions({
    queryKey: ["shared-session", token],
    queryFn: ({ signal }) => readSharedSession({ token }, { signal }),
    retry: false,
    staleTime: Infinity,
  });

/** Forks the shared session of a link into one of the user. */
export function useForkShared(token: string) {
  return useMutation({ mutationFn: () => forkSharedSession({ token }) });
}

/** Settings of the installation, set by superadmins. */
export const installationSettingsQuery = queryOptions({
  queryKey: SETTINGS,
  queryFn: ({ signal }) => getInstallationSettings({}, { signal }),
});

/** Sets who may open share links. */
export function useSetLinkSharing() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (linkSharing: LinkSharingJson) => updateInstallationSettings({ settings: { linkSharing } }),
    onSuccess: async (settings) => {
      client.setQueryData(SETTINGS, settings);
      await client.invalidateQueries({ queryKey: LISTS });
    },
  });
}

/** Switches memory on or off for everybody. */
export function useSetMemoryEnabled() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (memoryEnabled: boolean) => updateInstallationSettings({ settings: { memoryEnabled } }),
    onSuccess: (settings) => client.setQueryData(SETTINGS, settings),
  });
}
