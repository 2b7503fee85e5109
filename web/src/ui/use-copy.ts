import { useEffect, useState } from "react";

const SHOWN_MS = 1500;

type CopyState = "idle" | "copied" | "failed";

/** Copies text; for a moment afterwards the state says how that went. */
export function useCopy(): [state: CopyState, copy: (text: string) => void] {
  const [state, setState] = useState<CopyState>("idle");
  useEffect(() => {
    if (state === "idle") return undefined;
    const timer = setTimeout(() => setState("idle"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (text: string) => {
    try {
      // Absent over plain HTTP from another machine, and refused without the browser's permission.
      await navigator.clipboard.writeText(text);
      setState("copied");
    } catch {
      setState("failed");
    }
  };
  return [state, (text) => void copy(text)];
}
