/** Signing in and out, and passwords. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { join, readInvitation, readPasswordLink, setPasswordByLink, signIn, signOut } from "@/api/routes";
import { createPasswordLink, getSignInOptions, setPassword } from "@/gen/echomind/public/v1/auth_service_client";
import type { SetPasswordRequestJson } from "@/gen/echomind/public/v1/auth_service_pb";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";
import { addressOf } from "@/ui/base-path";
import { removeAllDrafts } from "./drafts";
import { setupKeys } from "./setup";
import { userKeys } from "./users";

/** The ways to sign in that this server offers. */
export const signInOptionsQuery = queryOptions({
  queryKey: ["sign-in-options"],
  queryFn: ({ signal }) => getSignInOptions({}, { signal }),
});

/** Signs in by a password. */
export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ userName, password }: { userName: string; password: string }) => signIn(userName, password),
    onSuccess: () => client.invalidateQueries({ queryKey: userKeys.current }),
  });
}

/**
 * Signs out here and at the provider of the session, and reloads the page, so that no data of the account stays in
 * memory; deletes its drafts.
 */
export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: signOut,
    onSuccess: (providerUrl) => {
      client.clear();
      removeAllDrafts();
      location.assign(providerUrl || addressOf("/"));
    },
  });
}

/** Sets the caller's own password. */
export function useSetPassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: SetPasswordRequestJson) => setPassword(change),
    onSuccess: () => client.invalidateQueries({ queryKey: setupKeys.all }),
  });
}

/** Creates a link by which a person chooses a new password, once. */
export function useCreatePasswordLink() {
  return useMutation({ mutationFn: (userId: number) => createPasswordLink({ userId }) });
}

/** The offer of an invitation link. */
export function invitationOfferQuery(token: string) {
  return queryOptions({
    queryKey: ["invitation-offer", token],
    queryFn: ({ signal }) => readInvitation(token, signal),
    staleTime: Infinity,
  });
}

/** The offer of a password link. */
export function passwordOfferQuery(token: string) {
  return queryOptions({
    queryKey: ["password-offer", token],
    queryFn: ({ signal }) => readPasswordLink(token, signal),
    staleTime: Infinity,
  });
}

/** Creates the account of an invitation and signs in to it. */
export function useJoin(token: string) {
  return useSignedIn(({ password, ...user }: UserJson & { password: string }) => join(token, user, password));
}

/** Sets a password by a link and signs in. */
export function useSetPasswordByLink(token: string) {
  return useSignedIn((password: string) => setPasswordByLink(token, password));
}

/** A mutation that signs in, after which the page is reloaded, so that no data of another account stays. */
function useSignedIn<Values>(action: (values: Values) => Promise<void>) {
  return useMutation({ mutationFn: action, onSuccess: () => location.replace(addressOf("/")) });
}
