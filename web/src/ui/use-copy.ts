import { useEffect, useState } from "react";

const SHOWN_MS = 1500;

/** Copies text; the first value is true for a moment after it worked. */
export function useCopy(): [isCopied: boolean, copy: (text: string) => void] {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  // Without permission, or over plain HTTP from another machine, nothing is copied and nothing says so.
  const copy = (text: string) => void navigator.clipboard?.writeText(text).then(() => setCopied(true), () => undefined);
  return [isCopied, copy];
}
