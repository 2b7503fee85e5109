import { Button } from "./Button";
import { Notice } from "./Notice";

/** Says why something could not be loaded, in the server's words, and offers to try again. */
export function LoadFailure({ error, onRetry }: { error: Error; onRetry: () => unknown }) {
  return (
    <Notice
      tone="danger"
      actions={
        <Button size="sm" onClick={() => void onRetry()}>
          Retry
        </Button>
      }
    >
      {error.message}
    </Notice>
  );
}
