import { Trans } from "@lingui/react/macro";
import { Button } from "./Button";
import { Notice } from "./Notice";

/** Says why something could not be loaded, in the server's words, and offers to try again. */
export function LoadFailure({ error, onRetry }: { error: Error; onRetry: () => unknown }) {
  return (
    <Notice
      tone="danger"
      actions={
        <Button size="sm" onClick={() => void onRetry()}>
          <Trans>Retry</Trans>
        </Button>
      }
    >
      {error.message}
    </Notice>
  );
}
