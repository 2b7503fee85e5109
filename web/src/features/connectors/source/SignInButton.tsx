import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { connectorKeys } from "@/data/connectors";
import { onSignedIn, signInUrl } from "@/data/sources";
import { Button } from "@/ui/Button";
import { Notice } from "@/ui/Notice";

/** Connects a source with the user's account, in a new window. */
export function SignInButton({ id, account }: { id: number; account: string }) {
  const { t } = useLingui();
  const client = useQueryClient();
  useEffect(() => onSignedIn(id, () => void client.invalidateQueries({ queryKey: connectorKeys.list })), [id, client]);
  const start = useMutation({
    mutationFn: async (opened: Window | null) => {
      try {
        const url = await signInUrl(id);
        if (opened) opened.location.href = url;
        else location.assign(url);
      } catch (error) {
        opened?.close();
        throw error;
      }
    },
  });
  return (
    <>
      <Button onClick={() => start.mutate(open("about:blank", "echomind-sign-in", "popup,width=600,height=750"))}>
        {account ? t`Sign in again` : t`Sign in`}
      </Button>
      {start.error && <Notice tone="danger">{start.error.message}</Notice>}
    </>
  );
}
