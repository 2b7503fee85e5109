import { Trans } from "@lingui/react/macro";
import { useEffect, useEffectEvent, useRef } from "react";
import { Button } from "./Button";
import { Spinner } from "./Spinner";

/** Loads the next part of a list when it comes into sight; it can be pressed, too. */
export function MoreButton({ isLoading, onMore }: { isLoading: boolean; onMore: () => void }) {
  const ref = useRef<HTMLDivElement>(null);
  const more = useEffectEvent(() => {
    if (!isLoading) onMore();
  });
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) more();
    });
    observer.observe(element);
    return () => observer.disconnect();
    // The one that is still in sight when a part has come is to load the next.
  }, [isLoading]);
  return (
    <div ref={ref}>
      <Button size="sm" variant="ghost" disabled={isLoading} onClick={onMore}>
        {isLoading && <Spinner />} <Trans>Show older</Trans>
      </Button>
    </div>
  );
}
