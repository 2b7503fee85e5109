import { useLingui } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import { useSignIn } from "@/data/sources";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { Spinner } from "@/ui/Spinner";

/** The page to which providers redirect after a sign-in for a source; links of the command line start here. */
export function SignInPage() {
  const { t } = useLingui();
  const [sent] = useState(() => Object.fromEntries(new URLSearchParams(location.search)));
  const { mutate, data, error } = useSignIn();
  const isBegun = useRef(false);
  const isEmpty = Object.keys(sent).length === 0;
  useEffect(() => {
    if (isBegun.current || isEmpty) return;
    isBegun.current = true;
    // The provider's parameters are used once, and removed from the browser history.
    history.replaceState(history.state, "", location.pathname);
    mutate(sent, { onSuccess: (connector) => connector && window.close() });
  }, [isEmpty, mutate, sent]);
  return (
    <Page title={t`Sign in to a connector`}>
      {isEmpty && <Notice tone="info">{t`Start on a connector's page with “Sign in”.`}</Notice>}
      {error && <Notice tone="danger">{error.message}</Notice>}
      {data && <Notice tone="info">{t`${data.name ?? ""} is connected with ${data.connectedAccount ?? ""}. You can close this window.`}</Notice>}
      {!isEmpty && !error && !data && <Spinner label={t`Signing in`} />}
    </Page>
  );
}
