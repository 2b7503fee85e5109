import { Trans } from "@lingui/react/macro";
import { Button } from "./Button";
import { Notice } from "./Notice";

/** Explains why something could not be loaded, in the server's words, with a retry. */
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
