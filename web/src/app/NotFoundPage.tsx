import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "wouter";
import { Page } from "@/ui/Page";

/** The page for an unknown URL, or one that the reader may not open. */
export function NotFoundPage() {
  const { t } = useLingui();
  return (
    <Page title={t`Page not found`}>
      <p>
        <Trans>
          There is no page at this address, or your role may not open it. <Link href="/">Start a chat</Link>
        </Trans>
      </p>
    </Page>
  );
}
