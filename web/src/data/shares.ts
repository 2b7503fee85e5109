/** Shares of the user's sessions, what others share with them, and the content of a share. */
import { infiniteQueryOptions, keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { pagedQuery, readAll } from "@/api/pages";
import type { SessionShareJson, SessionShareRecipientJson } from "@/gen/echomind/public/v1/session_share_pb";
import {
  addSessionShareRecipients,
  createSessionShare,
  deleteSessionShare,
  forkReceivedShare,
  forkSharedSession,
  listReceivedShares,
  listSessionShares,
  previewSessionShare,
  readReceivedShare,
  readSharedSession,
  refreshSessionShare,
  removeSessionShareRecipients,
} from "@/gen/echomind/public/v1/session_share_service_client";
import type { LinkSharingJson } from "@/gen/echomind/public/v1/system_pb";
import { getInstallationSettings, updateInstallationSettings } from "@/gen/echomind/public/v1/system_service_client";
import { changesOf } from "./changes";

const LISTS = ["shares"] as const;
const SETTINGS = ["installation-settings"] as const;

/** All shares of the reader that are not revoked, newest first. */
export const sharesQuery = infiniteQueryOptions(pagedQuery([...LISTS, "all"], listSessionShares, { pageSize: 100 }));

/** The shares of one session. */
export const sessionSharesQuery = (session: string) =>
  queryOptions({
    queryKey: [...LISTS, "session", session],
    queryFn: ({ signal }) => readAll(listSessionShares, "sessionShares", { chatSessionId: Number(session) }, signal),
  });

/** What a new share of a session is like. */
export interface NewShare {
  days: number;
  showsQuotes: boolean;
  /** Whether there is a link besides the people and groups. */
  hasLink: boolean;
  recipients: SessionShareRecipientJson[];
}

const useShareChange = changesOf(LISTS);

/** Shares a session; the secret of a link is returned only once. */
export function useCreateShare(session: string) {
  return useShareChange(({ days, ...share }: NewShare) =>
    createSessionShare({
      chatSessionId: Number(session),
      sessionShare: { ...share, expiresAt: new Date(Date.now() + days * DAY_MS).toISOString() },
    }),
  );
}

/** What readers of a new share would see. */
export const sharePreviewQuery = (session: string, showsQuotes: boolean) =>
  queryOptions({
    queryKey: ["share-preview", session, showsQuotes],
    queryFn: ({ signal }) => previewSessionShare({ chatSessionId: Number(session), sessionShare: { showsQuotes } }, { signal }),
    placeholderData: keepPreviousData,
    retry: false,
    // The conversation may have gone on since it was last shown.
    gcTime: 0,
  });

const DAY_MS = 86_400_000;

/** Shows readers of a share the session as it is now. */
export function useRefreshShare() {
  return useShareChange((id: number) => refreshSessionShare({ id }));
}

/** Adds people and groups to a share, or takes it back from them. */
export function useChangeRecipients({ id = 0 }: SessionShareJson) {
  return useShareChange(({ added, removed }: { added?: SessionShareRecipientJson[]; removed?: SessionShareRecipientJson[] }) =>
    added ? addSessionShareRecipients({ id, recipients: added }) : removeSessionShareRecipients({ id, recipients: removed ?? [] }),
  );
}

/** Revokes a share, permanently. */
export function useRevokeShare() {
  return useShareChange((id: number) => deleteSessionShare({ id }));
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

/** What others share with the user, newest first. */
export const receivedSharesQuery = infiniteQueryOptions(pagedQuery(["received-shares"], listReceivedShares, { pageSize: 100 }));

/** The content of what is shared with the user. */
export const receivedShareQuery = (id: number) =>
  queryOptions({
    queryKey: ["received-share", id],
    queryFn: ({ signal }) => readReceivedShare({ id }, { signal }),
    retry: false,
  });

/** Forks what is shared with the user into a session of theirs. */
export function useForkReceived(id: number) {
  return useMutation({ mutationFn: () => forkReceivedShare({ id }) });
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

/** Lets people sign in with passwords, links and invitations beside providers, or not. */
export function useSetLocalAccounts() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (localAccounts: boolean) => updateInstallationSettings({ settings: { localAccounts } }),
    onSuccess: (settings) => client.setQueryData(SETTINGS, settings),
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
