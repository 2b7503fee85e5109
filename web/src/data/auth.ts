/** Signing in and out, and passwords. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { signIn, signOut } from "@/api/routes";
import { getSignInOptions, setPassword } from "@/gen/echomind/public/v1/auth_service_client";
import type { SetPasswordRequestJson } from "@/gen/echomind/public/v1/auth_service_pb";
import { addressOf } from "@/ui/base-path";
import { removeAllDrafts } from "./drafts";
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

/** Signs out, on a new page: nothing of the old one's memory stays, and no draft. */
export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: signOut,
    onSuccess: () => {
      client.clear();
      removeAllDrafts();
      location.assign(addressOf("/"));
    },
  });
}

/** Sets the caller's own password. */
export function useSetPassword() {
  return useMutation({ mutationFn: (change: SetPasswordRequestJson) => setPassword(change) });
}
