import { LoadFailure } from "./LoadFailure";
import { Spinner } from "./Spinner";

interface QueryViewProps {
  error: Error | null | undefined;
  onRetry: () => unknown;
  /** Whether there is nothing to show yet. */
  isPending: boolean;
  /** What is being loaded, for screen readers. */
  label: string;
}

/** What a page shows of a query beside its data: why it failed, with a retry, or that it is being loaded. */
export function QueryView({ error, onRetry, isPending, label }: QueryViewProps) {
  if (error) return <LoadFailure error={error} onRetry={onRetry} />;
  return isPending ? <Spinner label={label} /> : null;
}
