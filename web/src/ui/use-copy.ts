import { useEffect, useState } from "react";

const SHOWN_MS = 1500;

type CopyState = "idle" | "copied" | "failed";

/** Copies text; the state shows the result for some seconds. */
export function useCopy(): [state: CopyState, copy: (text: string) => void] {
  const [state, setState] = useState<CopyState>("idle");
  useEffect(() => {
    if (state === "idle") return undefined;
    const timer = setTimeout(() => setState("idle"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (text: string) => {
    try {
      // Not available over plain HTTP from another machine, and rejected without the browser's permission.
      await navigator.clipboard.writeText(text);
      setState("copied");
    } catch {
      setState("failed");
    }
  };
  return [state, (text) => void copy(text)];
}
