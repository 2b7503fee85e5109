import { Trans } from "@lingui/react/macro";
import { Button } from "./Button";
import type { Pages } from "./table/pages";

/** Reads the next page of a list; nothing where there is none. */
export function ShowMore({ of, size = "md" }: { of: Pages; size?: "sm" | "md" }) {
  if (!of.hasNextPage) return null;
  return (
    <Button size={size} disabled={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
      <Trans>Show more</Trans>
    </Button>
  );
}
